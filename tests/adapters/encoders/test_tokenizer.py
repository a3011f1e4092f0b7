from __future__ import annotations

import json
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers

import models
from vchunk.adapters.encoders import tokenizer as module
from vchunk.adapters.encoders.tokenizer import HfTokenizer
from vchunk.domain.errors import ModelError
from vchunk.domain.ports import StreamingTokenizer


def definition(engine: Any) -> dict[str, Any]:
    return json.loads(engine.to_str())


def make(engine: Any, name: str = "test") -> HfTokenizer:
    return HfTokenizer.from_bytes(engine.to_str().encode(), name)


def llama_like() -> Any:
    engine = models.byte_bpe()
    engine.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(
                _pattern(r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+"), "isolated"
            ),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return engine


def _pattern(regex: str) -> Any:
    from tokenizers import Regex

    return Regex(regex)


def prepending() -> Any:
    engine = models.word_piece()
    engine.normalizer = normalizers.Sequence([normalizers.Prepend("x"), normalizers.Lowercase()])
    return engine


KINDS = {
    "word piece": models.word_piece,
    "byte bpe": models.byte_bpe,
    "byte bpe with a space in front": lambda: models.byte_bpe(add_prefix_space=True),
    "byte bpe split by regex": llama_like,
    "unigram": models.unigram,
    "word piece with a letter in front": prepending,
}


@pytest.fixture(scope="module")
def engines() -> dict[str, Any]:
    return {name: build() for name, build in KINDS.items()}


def raw(engine: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The library's tokens, unknown ones written once for each four letters."""
    encoding = engine.encode(text, add_special_tokens=False)
    ids: list[int] = []
    offsets: list[tuple[int, int]] = []
    for token, name, (start, end) in zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True):
        unknown = name == "[UNK]" or (token == 0 and name not in ("[CLS]", "[PAD]"))
        for at in range(start, max(end, start + 1), 4 if unknown else max(end - start, 1)):
            ids.append(token)
            offsets.append((at, min(at + 4, end) if unknown else end))
    return ids, offsets


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("newline", ["\n", "\n\n", "\r\n", "\n \n", "\ń", ".\n", " "])
def test_pieces_give_the_tokens_of_the_whole(
    engines: dict[str, Any], kind: str, newline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE", 300)
    text = models.sentences(90).replace("\n", newline) + newline
    ids, offsets = raw(engines[kind], text)
    tokens = make(engines[kind]).tokenize(text)
    assert tokens.ids.tolist() == ids
    assert list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)) == offsets


@pytest.mark.parametrize("kind", ["word piece", "byte bpe"])
def test_the_runs_of_a_stream_are_the_tokens_of_the_text(
    engines: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE", 300)
    text = models.sentences(90) + "q" * 30
    tokenizer = make(engines[kind])
    assert isinstance(tokenizer, StreamingTokenizer)
    runs, whole = list(tokenizer.stream(text)), tokenizer.tokenize(text)
    assert len(runs) > 5
    for name in ("ids", "starts", "ends"):
        assert [x for run in runs for x in getattr(run, name).tolist()] == getattr(whole, name).tolist()


@given(st.text(alphabet="ab.é́İ漢😀 \n\r\t", max_size=120))
def test_any_text_is_tokenised_in_pieces_as_it_is_whole(text: str) -> None:
    before = module.PIECE
    module.PIECE = 10
    try:
        for engine in _PIECEWISE:
            tokens = make(engine).tokenize(text)
            ids, offsets = raw(engine, text)
            assert tokens.ids.tolist() == ids
            assert (
                tokens.starts.tolist()
                == np.maximum.accumulate([s for s, _ in offsets] or [0])[: len(ids)].tolist()
            )
    finally:
        module.PIECE = before


_PIECEWISE = [models.word_piece(), models.byte_bpe(), llama_like()]


@pytest.mark.parametrize("kind", ["word piece", "byte bpe", "byte bpe split by regex"])
def test_a_long_text_is_cut_into_pieces(
    engines: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE", 300)
    seen: list[str] = []
    encode = HfTokenizer._encode
    monkeypatch.setattr(HfTokenizer, "_encode", lambda self, piece: (seen.append(piece), encode(self, piece))[1])
    text = models.sentences(90)
    make(engines[kind]).tokenize(text)
    assert max(map(len, seen)) < len(text) / 5
    assert sum(map(len, seen)) < 4 * len(text)  # the neighbourhood of each cut is read two more times


def test_a_text_with_no_safe_place_is_tokenised_whole_with_little_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PIECE", 300)
    engine = models.word_piece()
    engine.pre_tokenizer = pre_tokenizers.Split("zzz", "isolated")  # words run across lines
    text = "\n".join(["ab"] * 2000)
    seen: list[str] = []
    encode = HfTokenizer._encode
    monkeypatch.setattr(HfTokenizer, "_encode", lambda self, piece: (seen.append(piece), encode(self, piece))[1])
    tokens = make(engine).tokenize(text)
    assert tokens.ids.tolist() == raw(engine, text)[0]
    assert len(seen) < 100


def test_truncation_and_padding_in_the_file_are_switched_off() -> None:  # F089
    plain, cut = models.word_piece(), models.word_piece()
    cut.enable_truncation(16)
    cut.enable_padding(length=64)
    text = models.sentences(40)
    tokens = make(cut).tokenize(text)
    assert len(tokens) > 100
    assert tokens.ends[-1] == len(text)
    assert tokens.ids.tolist() == make(plain).tokenize(text).ids.tolist()
    assert make(cut).identity == make(plain).identity


def test_identity_tells_tokenizers_apart_but_not_names_or_layouts() -> None:
    engine = models.word_piece()
    pretty = json.dumps(definition(engine), indent=3, sort_keys=True).encode()
    assert HfTokenizer.from_bytes(pretty, "other").identity == make(engine).identity
    cased = models.word_piece()
    cased.normalizer = normalizers.BertNormalizer(lowercase=False)
    assert make(cased).identity != make(engine).identity


def test_json_bytes_make_an_equal_tokenizer() -> None:
    first = make(models.byte_bpe())
    second = HfTokenizer.from_bytes(first.json_bytes(), first.name)
    assert second.identity == first.identity
    assert second.json_bytes() == first.json_bytes()
    assert second.tokenize("some text").ids.tolist() == first.tokenize("some text").ids.tolist()


def test_offsets_are_those_of_the_text_before_lower_casing() -> None:
    text = "İSTANBUL İLİ ÇOCUK İÇİN. THE END."
    tokens = make(models.word_piece()).tokenize(text)
    pieces = [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)]
    assert pieces == ["İS", *"TANBULİLİÇOCUKİÇİN.", "THE", *"END."]
    assert tokens.ends[-1] == len(text)


def test_offsets_count_code_points_behind_wide_characters() -> None:
    text = "😀😀 the river, 漢字 the sea"
    tokens = make(models.byte_bpe()).tokenize(text)
    assert tokens.ends[-1] == len(text)
    assert text[tokens.starts[-1] : tokens.ends[-1]].strip() in "the sea"
    assert (np.diff(tokens.starts) >= 0).all()


@given(st.text(st.characters(), max_size=60))
def test_any_text_gives_ordered_offsets_inside_it(text: str) -> None:
    for engine in _PIECEWISE:
        tokens = make(engine).tokenize(text)
        assert len(tokens.ids) == len(tokens.starts) == len(tokens.ends)
        assert (np.diff(tokens.starts) >= 0).all()
        assert (tokens.starts <= tokens.ends).all()
        assert (tokens.ends <= len(text)).all()
        assert (tokens.ids.dtype, tokens.starts.dtype, tokens.ends.dtype) == (np.int32, np.int64, np.int64)


def test_starts_never_fall_where_a_tokenizer_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = SimpleNamespace(ids=[1, 2, 3], offsets=[(0, 2), (1, 1), (0, 3)])
    monkeypatch.setattr(HfTokenizer, "_encode", lambda *_: encoding)
    tokens = make(models.word_piece()).tokenize("abc")
    assert (tokens.starts.tolist(), tokens.ends.tolist()) == ([0, 1, 1], [2, 1, 3])


def test_half_of_a_surrogate_pair_does_not_shift_what_follows() -> None:
    text = "the \ud83d river"
    tokens = make(models.word_piece()).tokenize(text)
    assert [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)] == ["the", "river"]


def test_the_names_of_special_tokens_are_text() -> None:
    tokenizer = make(models.word_piece())
    special = {0, 2, 3}
    tokens = tokenizer.tokenize("the [SEP] and [CLS] and [PAD]")
    assert not special & set(tokens.ids.tolist())
    assert tokenizer.special_ids() == ([2], [3])
    assert (
        pickle.loads(pickle.dumps(tokenizer)).tokenize("[SEP]").ids.tolist()
        == tokenizer.tokenize("[SEP]").ids.tolist()
    )


def test_special_ids_of_other_templates() -> None:
    assert make(models.unigram()).special_ids() == ([1], [2])
    bare = models.word_piece()
    data = definition(bare) | {"post_processor": None}
    assert HfTokenizer(data, "bare").special_ids() == ([], [])


def test_count_is_the_number_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 300)
    tokenizer = make(models.word_piece())
    text = models.sentences(50)
    assert tokenizer.count(text) == len(tokenizer.tokenize(text))
    assert tokenizer.count("") == len(tokenizer.tokenize("")) == 0


def test_a_pickled_tokenizer_is_the_same() -> None:
    tokenizer = make(models.byte_bpe(), "mine")
    tokenizer.tokenize("loaded")
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert (copy.name, copy.identity) == ("mine", tokenizer.identity)
    assert copy.tokenize("the river").ids.tolist() == tokenizer.tokenize("the river").ids.tolist()


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"version": "1.0"}', b"\xff\xfe"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ModelError, match=r"^mine: not a tokenizer\.json .*$"):
        HfTokenizer.from_bytes(data, "mine")


def test_a_model_of_an_unknown_kind_is_refused() -> None:
    tokenizer = HfTokenizer.from_bytes(b'{"model": {"type": "Morse"}}', "mine")
    with pytest.raises(ModelError, match=r"^mine: not a tokenizer\.json"):
        tokenizer.tokenize("a")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"tokenizer\.json: .*tokenizer\.json"):
        HfTokenizer.from_file(tmp_path / "tokenizer.json")


def test_a_file_gives_its_name(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    models.word_piece().save(str(path))
    assert HfTokenizer.from_file(path).name == "tokenizer.json"
    assert HfTokenizer.from_file(path, "words").name == "words"


FORKED = """
import multiprocessing, sys
from vchunk.adapters.encoders.tokenizer import HfTokenizer
tokenizer = HfTokenizer.from_file(sys.argv[1])
text = "the river and the sea.\\n" * 20000
tokenizer.tokenize(text)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(set(pool.map(tokenizer.count, [text, text])) == {tokenizer.count(text)})
"""


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_forked_processes_tokenise_without_a_word_on_stderr(tmp_path: Path) -> None:
    models.word_piece().save(str(tmp_path / "tokenizer.json"))
    command = [sys.executable, "-c", FORKED, str(tmp_path / "tokenizer.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.parametrize("word", ["q" * 101, "q" * 20_000, "ปฏิญญาสากลว่าด้วยสิทธิมนุษยชน", "ปฏญ", "ปฏิญ", "ปฏิญญ"])
def test_a_word_without_known_pieces_is_a_token_for_each_four_letters(word: str) -> None:
    tokenizer = make(models.word_piece())
    text = f"the {word} the"
    tokens = tokenizer.tokenize(text)
    inside = [
        (int(start) - 4, int(end) - 4)
        for start, end in zip(tokens.starts, tokens.ends, strict=True)
        if 4 <= start < 4 + len(word)
    ]
    assert inside == [(at, min(at + 4, len(word))) for at in range(0, len(word), 4)]
    assert len(set(tokens.ids[1:-1].tolist())) == 1 or len(word) < 5
    assert tokenizer.count(text) == len(tokens)
    assert (np.diff(tokens.starts) > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_known_words_are_the_tokens_of_the_library(engines: dict[str, Any], kind: str) -> None:
    text = models.sentences(20)
    tokenizer = make(engines[kind])
    assert tokenizer.tokenize(text).ids.tolist() == raw(engines[kind], text)[0]
    assert tokenizer.count(text) == len(raw(engines[kind], text)[0])
