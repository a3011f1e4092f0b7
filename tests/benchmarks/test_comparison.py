"""The comparison with other chunkers, on texts of a few words and without any of them installed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import compare
from peers.protocol import Bench, Corpus, Cut, Piece, chunk_lines, read_corpora, run_setting, serve, texts
from scoring import Scores, Target, lost_share, questions_about, read_chunks, score_chunks
from tables import Row, comparison_table, main_table, record
from tables import compare as compare_rows
from vchunk.domain.document import Span
from vchunk.domain.retrieval import Question
from vchunk.domain.retrieval_scores import Excerpt, Ruler
from venvs import PeerError

TEXT = "One two three.\r\n\r\nFour five."
REQUIREMENTS = sorted((Path(compare.HERE) / "peers" / "requirements").glob("*.txt"))


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora"
    folder.mkdir()
    (folder / "b.md").write_bytes(TEXT.encode())
    (folder / "a.md").write_bytes("Zwölf Wörter.".encode())
    return folder


def bench() -> Bench:
    return Bench(Path("unused"), {})


def row(peer: str, setting: str, tokens: float, recall: list[float], seconds: float = 2.0) -> Row:
    column = np.tile(recall, 3)  # a handful of questions tells nothing
    scores = Scores(3, tokens, dict.fromkeys((400, 800, 1600), column), column, column, 1.0, 0.25)
    return Row(peer, setting, "text", scores, 2.0, 1.0, seconds)


def test_corpora_are_read_code_point_for_code_point(corpora: Path) -> None:
    assert [(corpus.name, corpus.text) for corpus in read_corpora(corpora)] == [
        ("a", "Zwölf Wörter."),
        ("b", TEXT),
    ]


def test_a_setting_leaves_chunks_and_costs(corpora: Path, tmp_path: Path) -> None:
    given = bench()

    def cut(corpus: Corpus) -> list[Piece]:
        given.encoded += len(corpus.text)
        return texts(corpus.text.split("."))

    run_setting("halves", cut, read_corpora(corpora), given, tmp_path)
    chunks = read_chunks(tmp_path / "halves.jsonl")
    assert [(c["corpus"], c["start"], c["end"], c["text"]) for c in chunks] == [
        ("a", 0, 12, "Zwölf Wörter"),
        ("b", 0, 13, "One two three"),
        ("b", 18, 27, "\r\n\r\nFour five"),
    ]
    cost = json.loads((tmp_path / "halves.json").read_text("utf-8"))
    assert cost["encoded_tokens"] == len("Zwölf Wörter.") + len(TEXT)
    assert cost["cpu_seconds"] >= 0


def test_what_is_indexed_instead_of_the_text_is_kept() -> None:
    piece = Piece("Four five.", 18, embed_text="Title\nFour five.", vector=[1.0, 0.0])
    (line,) = chunk_lines(Corpus(Path("b.md"), TEXT), [piece])
    assert (line["embed_text"], line["vector"], "kept" in line) == ("Title\nFour five.", [1.0, 0.0], False)


def test_shared_work_is_done_once_and_charged_every_time() -> None:
    given, calls = bench(), []

    def work() -> str:
        calls.append(1)
        sum(range(300_000))
        given.encoded += 7
        return "done"

    assert [given.once("a", work), given.once("a", work)] == ["done", "done"]
    assert len(calls) == 1
    assert given.encoded == 14
    assert given.charged > 0
    given.once("b", work)
    assert len(calls) == 2


def test_vectors_of_chunks_are_no_cost_of_making_them(corpora: Path, tmp_path: Path) -> None:
    given = bench()

    def cut(corpus: Corpus) -> list[Piece]:
        given.encoded += 3
        with given.indexing():
            given.encoded += 10
            sum(range(3_000_000))
        return texts([corpus.text])

    run_setting("blend", cut, read_corpora(corpora), given, tmp_path)
    cost = json.loads((tmp_path / "blend.json").read_text("utf-8"))
    assert (cost["encoded_tokens"], cost["index_tokens"]) == (6, 20)
    assert cost["cpu_seconds"] < -given.charged


def test_a_runner_runs_what_is_not_done(corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, made = tmp_path / "out", []
    (tmp_path / "boundaries.json").write_text('{"a": [0], "b": [0, 18]}')

    def settings(given: Bench) -> dict[str, Callable[[], Cut]]:
        def make() -> Cut:
            made.append(given.boundaries["b"])
            return lambda corpus: texts([corpus.text])

        return {"one": make, "two": make}

    arguments = ["--corpora", corpora, "--model", tmp_path, "--boundaries", tmp_path / "boundaries.json"]
    monkeypatch.setattr(sys, "argv", ["runner", *map(str, arguments), "--out", str(out)])
    serve(settings)
    (out / "two.json").unlink()
    serve(settings)
    assert made == [[0, 18]] * 3
    assert sorted(path.name for path in out.iterdir()) == ["one.json", "one.jsonl", "two.json", "two.jsonl"]


def test_questions_about_other_documents_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    gold = json.dumps([{"content": "Four", "start_index": 18, "end_index": 22}]).replace('"', '""')
    path.write_text(f'question,references,corpus_id\nWhat?,"{gold}",b\nWho?,"{gold}",c\n')
    assert questions_about(path, {"b": TEXT}) == [Question("What?", (Excerpt("b", Span(18, 22)),))]


def test_scores_by_hand() -> None:
    """Two chunks; the question finds the second one first, which is half of its answer."""
    text = "aaaa bbbb"
    chunks = [{"corpus": "x", "start": 0, "end": 4}, {"corpus": "x", "start": 5, "end": 9, "kept": [[5, 7]]}]
    ruler = Ruler(np.array([0, 5]), np.array([5, 9]))
    question = Question("?", (Excerpt("x", Span(7, 9)), Excerpt("x", Span(2, 4))))
    target = Target({"x": text}, {"x": ruler}, [question], np.array([[0, 1]], np.float32))
    scores = score_chunks(chunks, np.eye(2, dtype=np.float32), target)
    assert (scores.chunks, scores.mean_tokens) == (2, 1.0)
    assert {budget: column.tolist() for budget, column in scores.recall.items()} == {400: [1], 800: [1], 1600: [1]}
    assert scores.iou.tolist() == [4 / 8]
    assert scores.omega.tolist() == [4 / 8]
    assert (scores.verbatim, scores.lost) == (0.5, 0.25)


def test_a_chunk_counts_where_its_text_first_stands() -> None:
    chunks = [{"corpus": "x", "start": 5, "end": 9}]
    question = Question("?", (Excerpt("x", Span(0, 4)),))
    ruler = Ruler(np.array([0, 5]), np.array([5, 9]))
    target = Target({"x": "same same"}, {"x": ruler}, [question], np.ones((1, 1), np.float32))
    assert score_chunks(chunks, np.ones((1, 1), np.float32), target).recall[400].tolist() == [1]


def test_text_in_two_chunks_is_not_lost_twice_nor_held_twice() -> None:
    chunks = [{"corpus": "x", "start": 0, "end": 6}, {"corpus": "x", "start": 3, "end": 6}]
    assert lost_share(chunks, {"x": "aaa bb ccccc"}) == 0.5
    assert lost_share(chunks, {"x": "aaa bb", "y": "dd eee"}) == 0.5


def test_only_equal_sizes_are_compared() -> None:
    rows = [
        row("vchunk", "fine", 64, [0.5, 0.5]),
        row("vchunk", "coarse", 256, [0.1, 0.3]),
        row("better", "small", 70, [0.75, 0.75]),
        row("worse", "large", 210, [0.1, 0.1]),
        row("other", "medium", 128, [1.0, 1.0]),
        row("vchunk", "structure, fine", 60, [0.5, 0.75]),
    ]
    found = {c.row.peer: c for c in compare_rows(rows)}
    presets = {peer: c.preset.setting for peer, c in found.items()}
    assert presets == {"better": "fine", "worse": "coarse", "vchunk": "fine"}
    assert found["vchunk"].row.setting == "structure, fine"
    assert found["better"].leads[400].mean == pytest.approx(0.25)
    assert found["better"].beaten == [400, 800, 1600]
    assert found["worse"].beaten == []
    assert compare_rows([*rows[:1], row("luckier", "once", 64, [0.9, 0.4])])[0].beaten == []
    assert "**+25.0 (+25.0 to +25.0)**" in comparison_table(found.values())


def test_tables_give_ratios_to_the_finest_preset() -> None:
    table = main_table([row("vchunk", "fine", 64, [0.5]), row("peer", "x", 80, [0.25], seconds=0.5)]).splitlines()
    assert [line.split(" | ")[-1] for line in table[2:]] == ["1 |", "0.25 |"]
    assert "| peer | x | 80 | 25.0 | 25.0 | 25.0 | 25.0 | 25.0 | 100 | 25.0 | 2.0 + 1.0 |" in table[3]
    assert json.loads(json.dumps(record(row("peer", "x", 80, [0.25, 0.75]))))["recall_400"] == 0.5


def test_a_table_replaces_the_one_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- peers: begin -->\nold\n<!-- peers: end -->\nafter\n")
    for text in ("| new \\1 |\n", "| newer |\n"):
        compare.write_between(page, "peers", text)
        assert page.read_text() == f"before\n<!-- peers: begin -->\n{text}<!-- peers: end -->\nafter\n"
    with pytest.raises(SystemExit, match="lacks"):
        compare.write_between(page, "others", "")


def test_a_peer_that_fails_is_named_with_its_log(
    corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "make_venv", lambda *_: Path(sys.executable))
    boundaries = tmp_path / "boundaries.json"
    boundaries.write_text("{}")
    with pytest.raises(PeerError, match=r"ragatini: failed, see (.*log\.txt)") as error:
        compare.run_peer("ragatini", corpora, boundaries, [], tmp_path)
    log = re.search(r"see (.*)", str(error.value))
    assert log is not None
    assert "No module named 'ragatini" in Path(log[1]).read_text()


def test_each_peer_has_a_runner_and_what_it_needs() -> None:
    assert {path.stem for path in REQUIREMENTS} == {*compare.PEERS} - {"vchunk"}
    assert all((compare.HERE / "peers" / f"{name}.py").is_file() for name in compare.PEERS)


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.stem)
def test_requirements_are_pinned_and_bring_no_other_torch(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    names = {line.split("==")[0].lower().replace("_", "-") for line in lines}
    assert names.isdisjoint({"torch", "transformers", "sentence-transformers", "numpy", "scipy", "vchunk"})
