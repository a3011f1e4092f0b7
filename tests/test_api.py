"""The library as a program uses it."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import vchunk
from fakes import FakeEncoder, FakeSplitter
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.document import Source

TEXT = "# One\n\nBoats sail on the sea. Masts carry sails.\n\n# Two\n\nClocks tick. Springs drive them.\n"


def session(**more: object) -> vchunk.Session:
    return vchunk.Session(encoder=FakeEncoder(), store=MemoryStore(), splitter=FakeSplitter(), **more)


def test_a_path_a_text_and_bytes_give_the_same_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    by_path = vchunk.read(tmp_path / "a.md")
    by_name = vchunk.read(str(tmp_path / "a.md"))
    by_text = vchunk.read(TEXT, media_type="text/markdown")
    by_bytes = vchunk.read(TEXT.encode(), media_type="text/markdown")
    assert by_path.key == by_name.key == by_text.key == by_bytes.key
    assert by_path.text == TEXT


def test_a_str_without_line_break_is_a_path_if_it_looks_like_one() -> None:
    with pytest.raises(TypeError, match=r"encoder is no option here: give session=vchunk.Session\(encoder=...\)"):
        vchunk.embed("a.md", encoder="minilm")
    with pytest.raises(TypeError, match="no option 'keep': choose from encoding, input_format"):
        vchunk.read("a.md", keep="units")
    with pytest.raises(FileNotFoundError, match="no such file"):
        vchunk.read("missing.md")
    with pytest.raises(vchunk.ReadError, match="no such file"):
        vchunk.read("a name with blanks.pdf")
    assert vchunk.read("A sentence is no path.").text == "A sentence is no path."


def test_a_lone_surrogate_in_a_text_becomes_a_replacement_character() -> None:
    assert vchunk.read("a\ud800b\n").text == "a\ufffdb\n"


def test_chunks_do_not_change_the_document() -> None:
    doc = session().embed(vchunk.Source("a.md", TEXT.encode()))
    fine = doc.chunks(max_tokens=8)
    coarse = doc.chunks(preset="coarse")
    assert doc.chunks(max_tokens=8) == fine
    assert len(fine) > len(coarse)
    assert [c.text for c in fine] == [TEXT[c.start : c.end] for c in fine]
    assert doc.chunks(vchunk.Granularity(max_tokens=8)) == fine


def test_what_is_left_out_can_be_named_in_several_ways() -> None:
    doc = vchunk.read("---\ntitle: T\n---\n\nBody text.\n", media_type="text/markdown")
    assert [part.role for part in doc.chunks(method="structure").left_out] == [vchunk.Role.FRONT_MATTER]
    for nothing in ("none", ["none"], ()):
        assert not doc.chunks(method="structure", skip=nothing).left_out
    assert doc.chunks(method="structure", skip="body").left_out
    with pytest.raises(vchunk.UsageError, match="choose from"):
        doc.chunks(method="structure", skip="nothing")


@pytest.mark.parametrize(
    "wanted",
    [
        {"target_tokens": "12"},
        {"target_tokens": 1.5},
        {"target_tokens": True},
        {"target_tokens": 10**20},
        {"prominence": "2"},
        {"prominence": float("nan")},
        {"preset": "huge"},
        {"preset": "fine", "prominence": 1.0},
    ],
)
def test_wrong_wishes_are_usage_errors(wanted: dict[str, object]) -> None:
    with pytest.raises(vchunk.UsageError):
        vchunk.Granularity(**wanted)


def test_documents_and_chunks_survive_pickling_and_copying(tmp_path: Path) -> None:
    home = vchunk.Session(encoder=FakeEncoder(), splitter=FakeSplitter(), store=tmp_path / "store")
    doc = home.embed(vchunk.Source("a.md", TEXT.encode()))
    chunks = doc.chunks(max_tokens=8)
    assert pickle.loads(pickle.dumps(chunks)) == chunks
    assert copy.deepcopy(doc).chunks(max_tokens=8) == chunks
    assert pickle.loads(pickle.dumps(doc)).chunks(max_tokens=8) == chunks


def test_several_sources_come_in_order_and_each_fails_for_itself(tmp_path: Path) -> None:
    texts = ["River water flows. Trees stand.", "Courts hear cases. Rates rise."]
    sources = [Source(f"{n}.txt", text.encode()) for n, text in enumerate(texts)]
    coming = session().embed_all([sources[0], tmp_path / "none.txt", sources[1], sources[0]])
    found: list[object] = []
    for one in coming:
        try:
            found.append(one.result())
        except vchunk.VchunkError as error:
            found.append(str(error))
    alone = [session().embed(source) for source in sources]
    assert "none.txt: no such file" in str(found[1])
    docs = [doc for doc in found if isinstance(doc, vchunk.Doc)]
    assert [doc.text for doc in docs] == [texts[0], texts[1], texts[0]]
    keys = [one.embedding.key for one in (*docs, *alone) if one.embedding]
    assert keys[:2] == keys[3:]
    assert [doc.report.windows_encoded for doc in docs if doc.report] == [1, 1, 0]


@pytest.mark.parametrize("one", ["a.txt", Path("a.txt"), Source("a.txt", b"a")])
def test_one_source_is_not_several(one: str | Path | Source) -> None:
    with pytest.raises(vchunk.UsageError, match="give a list"):
        next(session().embed_all(one))  # type: ignore[arg-type]


def test_a_document_is_opened_again_by_its_key() -> None:
    home = session()
    doc = home.embed(vchunk.Source("a.md", TEXT.encode()))
    assert doc.embedding is not None
    again = home.open(str(doc.embedding.key))
    assert again.chunks(prominence=0.5) == doc.chunks(prominence=0.5)
    bare, same = home.open(doc.key).chunks(method="structure"), doc.chunks(method="structure")
    assert [c.text for c in bare] == [c.text for c in same]
    assert again.tree() == doc.tree()


def test_errors_are_ours_and_the_builtin_kind() -> None:
    with pytest.raises(ValueError, match="no such file"):
        vchunk.read("missing.md")
    with pytest.raises(KeyError):
        session().open("embedding-" + "0" * 32)
