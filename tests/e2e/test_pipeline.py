"""The main job at a shell: embed, chunk, tree, plot, show, store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ARTICLE = """# Rivers and clocks

A short text in two halves, so that there is something to cut.

## Rivers

A river begins where rain gathers on high ground. It cuts its bed into the rock, carries gravel in
spring and fine mud in summer, and slows where the valley widens. Where it meets the sea the mud
sinks, and a delta grows by a few metres every year. Fish that live in the estuary bear salt water
as well as fresh. When the river floods, the fields beside it are covered with new soil.

| river  | length |
|--------|--------|
| Alder  | 41 km  |
| Birken | 138 km |

## Clocks

A mechanical clock stores work in a wound spring. The escapement lets the train of wheels move by
one tooth at a time, and the balance decides when. Oil thickens in the cold, so an old watch runs
slow in winter. A quartz clock counts the trembling of a crystal instead, some thirty thousand
times a second, and divides until a second is left.

```python
def ticks(seconds: int) -> int:
    return seconds * 32768
```
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a document and a store that the tests of this module share."""
    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "article.md").write_text(ARTICLE, encoding="utf-8")
    return folder


@pytest.fixture
def at(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VCHUNK_STORE", str(home / "store"))
    return home


@pytest.fixture
def key(vchunk, at: Path) -> str:
    return vchunk("embed", "article.md", cwd=at).checked().stdout.strip()


def test_embed_prints_one_key_and_a_second_run_encodes_nothing(vchunk, at: Path, key: str):
    again = vchunk("embed", "article.md", "--format", "json", cwd=at).checked()
    (record,) = again.records
    assert key.startswith("embedding-")
    assert record["key"] == key
    assert record["tokens"] > 200
    assert record["windows_encoded"] == 0
    assert record["windows_reused"] == record["windows"] > 0


def test_the_four_commands_chained(vchunk_pipe, at: Path, key: str):
    done = vchunk_pipe(
        "vchunk embed article.md | vchunk chunk --preset fine > chunks.jsonl"
        " && vchunk tree --format json > tree.json < /dev/null && vchunk plot -o curve.png < /dev/null",
        cwd=at,
    )
    done.checked()
    chunks = [json.loads(line) for line in (at / "chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(chunks) >= 3
    for chunk in chunks:
        assert chunk["text"] == ARTICLE[chunk["start"] : chunk["end"]]
        assert chunk["embedding"] == key
        assert chunk["tokens"] <= 128
    tree = json.loads((at / "tree.json").read_text(encoding="utf-8"))
    (top,) = tree["children"]
    assert [child["title"] for child in top["children"]] == [None, "Rivers", "Clocks"]
    assert (at / "curve.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_a_reader_that_stops_early_ends_us_quietly(vchunk_pipe, at: Path, key: str):
    done = vchunk_pipe(f"{{ vchunk chunk -q {key} --target-tokens 8; echo $? >&2; }} | head -1", cwd=at).checked()
    assert len(done.records) == 1
    assert done.stderr.strip() in ("141", "0")  # 0 where all fitted into the pipe before it was closed


def test_the_same_question_gives_the_same_bytes(vchunk, at: Path, key: str):
    for question in (
        ["chunk", "--prominence", "1"],
        ["chunk", "--format", "json"],
        ["tree"],
        ["plot", "--format", "svg"],
    ):
        first = vchunk(*question, key, cwd=at).checked()
        assert first.output
        assert vchunk(*question, key, cwd=at).output == first.output


def test_a_document_comes_as_argument_as_key_on_stdin_and_as_text_on_stdin(vchunk, at: Path, key: str):
    by_path = vchunk("chunk", "article.md", cwd=at).checked()
    by_key = vchunk("chunk", input=f"{key}\n".encode(), cwd=at).checked()
    by_prefix = vchunk("chunk", key[:20], cwd=at).checked()
    as_text = vchunk("chunk", "-", "--input-format", "markdown", input=ARTICLE.encode(), cwd=at).checked()
    assert by_path.output == by_key.output == by_prefix.output == as_text.output


def test_keys_may_come_as_the_records_of_embed(vchunk_pipe, at: Path, key: str):
    done = vchunk_pipe("vchunk embed article.md --format json | vchunk chunk -q", cwd=at).checked()
    assert {record["embedding"] for record in done.records} == {key}


def test_the_last_document_is_remembered_by_directory(vchunk, at: Path, key: str, tmp_path: Path):
    assert vchunk("tree", cwd=at).checked().records[0]["embedding"] == key
    lost = vchunk("tree", cwd=tmp_path)
    assert lost.returncode == 1
    assert "no document has been embedded from this directory" in lost.stderr


def test_blocks_stay_whole_and_headings_stay_with_their_text(vchunk, at: Path, key: str):
    for chunk in vchunk("chunk", key, "--preset", "fine", cwd=at).checked().records:
        assert chunk["text"].count("```") % 2 == 0
        assert ("| Alder" in chunk["text"]) == ("| Birken" in chunk["text"])
        assert not chunk["text"].splitlines()[-1].startswith("#")


def test_show(vchunk, at: Path, key: str):
    assert vchunk("show", key, "--text", cwd=at).checked().stdout == ARTICLE
    (blocks,) = [json.loads(vchunk("show", key, "--blocks", "--format", "json", cwd=at).checked().stdout)]
    assert {"heading", "paragraph", "table", "code"} <= {block["kind"] for block in blocks}
    (facts,) = vchunk("show", key, cwd=at).checked().records
    assert facts["title"] == "Rivers and clocks"
    chunk = vchunk("chunk", key, "--preset", "coarse", cwd=at).checked().records[0]
    found = vchunk("show", key, "--chunk", chunk["id"][:12], cwd=at).checked().records[0]
    assert found == chunk


def test_store_lists_what_is_there(vchunk, at: Path, key: str):
    listed = vchunk("store", "ls", cwd=at).checked().records
    assert key in {record["key"] for record in listed}
    assert vchunk("store", "path", cwd=at).checked().stdout.strip() == str(at / "store")
    assert Path(vchunk("store", "path", key[:24], cwd=at).checked().stdout.strip()).is_dir()


def test_output_to_a_file_is_whole_or_absent(vchunk, at: Path, key: str, tmp_path: Path):
    target = tmp_path / "chunks.jsonl"
    vchunk("chunk", key, "-o", target, cwd=at).checked()
    assert target.read_bytes() == vchunk("chunk", key, cwd=at).output
    failed = vchunk("chunk", "embedding-ffffffffffff", "-o", tmp_path / "no" / "x.jsonl", cwd=at)
    assert failed.returncode == 1
    assert not (tmp_path / "no").exists()


def test_what_was_left_out_is_listed(vchunk, tmp_path: Path):
    text = "---\ntitle: Kept apart\n---\n\nThe body of the text is this sentence.\n"
    (tmp_path / "front.md").write_text(text, encoding="utf-8")
    done = vchunk("chunk", "front.md", "--format", "json", "--method", "structure").checked()
    (document,) = json.loads(done.stdout)
    assert [part["role"] for part in document["left_out"]] == ["front_matter"]
    assert "left out: front_matter" in done.stderr
    kept = vchunk("chunk", "front.md", "--skip", "none", "--method", "structure").checked()
    assert "Kept apart" in kept.stdout


def test_embed_text_puts_the_trail_in_front(vchunk, at: Path, key: str):
    texts = [r["embed_text"] for r in vchunk("chunk", key, "--format", "embed-text", cwd=at).checked().records]
    assert any(text.startswith("Rivers and clocks > Rivers\n\n") for text in texts) or any(
        text.startswith("Rivers and clocks\n\n") for text in texts
    )


@pytest.mark.parametrize("kind", ["velocity", "trajectory"])
def test_plot_draws_both_kinds(vchunk, at: Path, key: str, tmp_path: Path, kind: str):
    vchunk("plot", key, "--kind", kind, "-o", tmp_path / "p.svg", cwd=at).checked()
    assert b"<svg" in (tmp_path / "p.svg").read_bytes()[:2000]
    piped = vchunk("plot", key, "--kind", kind, cwd=at).checked()
    assert piped.output.startswith(b"\x89PNG\r\n")


def test_units_only_embedding_cuts_the_same_and_encodes_again_for_another_f_sig(vchunk, at: Path, key: str):
    small = vchunk("embed", "article.md", "--keep", "units", cwd=at).checked().stdout.strip()
    assert small != key

    def starts(name: str, *options: str) -> list[int]:
        return [c["start"] for c in vchunk("chunk", name, *options, cwd=at).checked().records]

    assert starts(small) == starts(key)
    assert starts(small, "--prominence", "1") == starts(key, "--prominence", "1")
    other = vchunk("chunk", small, "--prominence", "1", "--f-sig", "0.3", cwd=at).checked()
    assert "encoding the document again" in other.stderr
    assert [c["start"] for c in other.records] == starts(key, "--prominence", "1", "--f-sig", "0.3")


def test_captions_give_times_and_speakers(vchunk, tmp_path: Path):
    cues = ["00:01.000 --> 00:02.000\n<v Ada>Shall we begin?", "00:02.000 --> 00:03.500\n<v Bea>Let us begin."]
    (tmp_path / "talk.vtt").write_text("\n\n".join(["WEBVTT", *cues]) + "\n", encoding="utf-8")
    done = vchunk("chunk", "talk.vtt", "--method", "structure", "--max-tokens", "9").checked()
    assert [(r["speaker"], r["time"], r["text"]) for r in done.records] == [
        ("Ada", [1.0, 2.0], "Ada: Shall we begin?"),
        ("Bea", [2.0, 3.5], "Bea: Let us begin."),
    ]
    blocks = json.loads(vchunk("show", "talk.vtt", "--blocks").checked().stdout)
    assert [(b["kind"], b["speaker"], b["time"]) for b in blocks[:2]] == [
        ("turn", "Ada", None),
        ("cue", None, [1.0, 2.0]),
    ]


@pytest.mark.parametrize(
    "command", [["chunk", "--method", "structure"], ["tree", "--method", "structure"], ["show", "--blocks"]]
)
def test_numbered_headings_are_read_where_they_are_asked_for(vchunk, tmp_path: Path, command: list[str]):
    (tmp_path / "act.txt").write_text("PART I\n\n1. Scope\n\nThis act has a scope.\n", encoding="utf-8")
    name, *options = command
    plain = vchunk(name, "act.txt", *options).checked().stdout
    asked = vchunk(name, "act.txt", *options, "--numbered-headings").checked().stdout
    by_variable = vchunk(name, "act.txt", *options, env={"VCHUNK_NUMBERED_HEADINGS": "1"}).checked().stdout
    assert by_variable == asked
    assert '"title": "PART I"' in asked
    assert '"title": "PART I"' not in plain
