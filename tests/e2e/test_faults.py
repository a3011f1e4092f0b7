"""What a user gets wrong: one clear line, the documented exit code, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def one_line(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    assert len(lines) == 1, stderr
    assert "Traceback" not in stderr
    return lines[0]


def test_missing_file(vchunk):
    done = vchunk("embed", "missing.pdf")
    assert done.returncode == 1
    assert "missing.pdf: no such file" in one_line(done.stderr)
    assert done.output == b""


def test_a_failed_embed_in_front_never_shows_another_document(vchunk_pipe, tmp_path: Path):
    (tmp_path / "a.txt").write_text("A document that was embedded before.", encoding="utf-8")
    done = vchunk_pipe("vchunk embed a.txt && vchunk embed missing.pdf | vchunk tree")
    assert done.returncode == 1
    assert len(done.output.splitlines()) == 1  # the key of a.txt
    assert "no key on standard input" in done.stderr


def test_the_good_are_done_and_the_bad_are_named(vchunk, tmp_path: Path):
    (tmp_path / "good.txt").write_text("A good document.", encoding="utf-8")
    (tmp_path / "bad.txt").write_bytes(bytes(range(256)) * 8)
    done = vchunk("chunk", "bad.txt", "good.txt", "gone.txt", "--method", "structure")
    assert done.returncode == 1
    assert [r["text"] for r in done.records] == ["A good document."]
    assert "bad.txt" in done.stderr
    assert "gone.txt" in done.stderr


def test_a_folder_gives_its_documents_and_an_empty_one_says_so(vchunk, tmp_path: Path):
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "b.txt").write_text("Second.", encoding="utf-8")
    (folder / "deep" / "c.md").write_text("Third.", encoding="utf-8")
    (folder / ".hidden" / "d.txt").write_text("Hidden.", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n")
    done = vchunk("chunk", "docs", "--method", "structure").checked()
    assert [r["text"] for r in done.records] == ["Second.", "Third."]
    (tmp_path / "empty").mkdir()
    empty = vchunk("embed", "empty")
    assert empty.returncode == 1
    assert "no document in this folder" in one_line(empty.stderr)
    assert vchunk("chunk", "docs/*.txt", "--method", "structure").checked().records[0]["text"] == "Second."
    assert "no file matches" in vchunk("embed", "docs/*.pdf").stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--preset", "huge"], "fine, medium, coarse"),
        (["--prominence", "-1"], "--prominence -1"),
        (["--prominence", "much"], "--prominence"),
        (["--preset", "fine", "--prominence", "2"], "--preset and --prominence"),
        (["--f-sig", "1"], "needs --prominence"),
        (["--prominence", "1", "--f-sig", "0"], "--f-sig 0"),
        (["--target-tokens", "0"], "--target-tokens 0"),
        (["--target-tokens", "300", "--max-tokens", "100"], "--max-tokens 100"),
        (["--min-tokens", "300"], "--min-tokens 300"),
        (["--method", "magic"], "velocity, structure"),
        (["--method", "structure", "--prominence", "1"], "--prominence"),
        (["--sections", "often"], "auto, soft, hard"),
        (["--skip", "body-parts"], "--skip body-parts"),
        (["--snapper", "scissors"], "--snapper scissors"),
        (["--snapper-reads", "near"], "--prominence"),
        (["--append-threshold", "40"], "need --method double-pass"),
        (["--method", "double-pass", "--preset", "fine"], "--preset is no option of --method double-pass"),
        (["--method", "double-pass", "--merge-threshold", "200"], "--merge-threshold 200"),
        (["--format", "xml"], "--format xml"),
        (["--keep", "nothing"], "--keep nothing"),
        (["--bogus"], "--bogus"),
        (["--input-format", "klingon"], "--input-format"),
    ],
)
def test_wrong_options_are_refused_before_any_work(vchunk, tmp_path: Path, options: list[str], said: str):
    (tmp_path / "a.txt").write_text("Some text.", encoding="utf-8")
    done = vchunk("chunk", "a.txt", *options)
    assert done.returncode == 2
    assert said in one_line(done.stderr)
    assert done.output == b""


@pytest.mark.parametrize("line", ["junk", '{"key": 3}', '{"key": "junk"}', "{broken"])
def test_lines_on_stdin_that_are_no_keys(vchunk, line: str):
    done = vchunk("chunk", input=line.encode())
    assert done.returncode == 2
    assert "is no key" in one_line(done.stderr)


def test_unknown_key_command_and_store(vchunk, tmp_path: Path):
    unknown = vchunk("chunk", "embedding-0123456789abcdef0123456789abcdef")
    assert unknown.returncode == 1
    assert "embedding-0123456789abcdef" in one_line(unknown.stderr)
    assert vchunk("frobnicate").returncode == 2
    (tmp_path / "file").write_text("x", encoding="utf-8")
    refused = vchunk("store", "ls", "--store", "file")
    assert refused.returncode == 2
    assert "is a file" in one_line(refused.stderr)
    assert not (tmp_path / "store").exists()


def test_a_binary_file_is_no_text(vchunk, tmp_path: Path):
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 20)
    done = vchunk("embed", "noise.bin")
    assert done.returncode == 1
    assert "noise.bin" in one_line(done.stderr)


@pytest.mark.parametrize(
    "options", [["--preset", "fine"], ["--prominence", "0.5", "--max-tokens", "32"], ["--max-tokens", "4"]]
)
def test_degenerate_documents(vchunk, tmp_path: Path, options: list[str]):
    documents = {"empty": "", "blank": " \n\t\n ", "one": "x", "token": "hello", "word": "a" * 20_000}
    for name, text in documents.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        done = vchunk(
            "chunk",
            f"{name}.txt",
            *options,
            "--method",
            "structure" if "--prominence" not in options else "velocity",
        )
        assert done.returncode == 0, done.stderr
        assert "".join(record["text"] for record in done.records) == text.strip()


def damage(folder: Path, array: str) -> None:
    """Flip one byte in the data of an array."""
    (victim,) = [p for p in (folder / array).rglob("*") if p.is_file() and p.name != "zarr.json"]
    victim.chmod(0o644)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0xFF
    victim.write_bytes(data)


@pytest.mark.parametrize(
    ("array", "command"), [("vectors", ["embed", "a.txt"]), ("unit_means", ["chunk", "--preset", "fine"])]
)
def test_a_damaged_embedding_is_made_again(vchunk, tmp_path: Path, array: str, command: list[str]):
    (tmp_path / "a.txt").write_text("One sentence stands here. Another one follows it.", encoding="utf-8")
    key = vchunk("embed", "a.txt").checked().stdout.strip()
    before = vchunk(*command).checked()
    assert before.stderr.count("warning") == 0
    folder = Path(vchunk("store", "path", key).checked().stdout.strip())
    damage(folder, array)
    mended = vchunk(*command).checked()
    assert mended.output == before.output
    assert "making it again" in mended.stderr
    assert "warning" not in vchunk(*command).checked().stderr


def test_json_has_no_nan_and_keeps_odd_characters(vchunk, tmp_path: Path):
    text = 'A "quoted\\" line\u2028separator and an emoji \U0001f469\u200d\U0001f680 stand here.'
    (tmp_path / "odd.txt").write_text(text, encoding="utf-8")
    done = vchunk("chunk", "odd.txt", "--method", "structure").checked()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    (record,) = [json.loads(line, parse_constant=refuse) for line in done.output.decode().split("\n") if line]
    assert record["text"] == text


def artifact(vchunk, key: str) -> Path:
    return Path(vchunk("store", "path", key).checked().stdout.strip())


def test_a_damaged_document_is_put_back(vchunk, vchunk_pipe, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Title\n\nA sentence that stands here.\n", encoding="utf-8")
    before = vchunk_pipe("vchunk embed a.md | vchunk chunk").checked()
    damage(artifact(vchunk, before.records[0]["document"]), "text")
    after = vchunk_pipe("vchunk embed a.md | vchunk chunk").checked()
    assert after.output == before.output
    assert "making it again" in after.stderr


def test_an_unreadable_embedding_is_made_again_from_its_document(vchunk, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Title\n\nA sentence that stands here.\n", encoding="utf-8")
    key = vchunk("embed", "a.md").checked().stdout.strip()
    before = vchunk("chunk", key).checked().output
    header = artifact(vchunk, key) / "zarr.json"
    header.chmod(0o644)
    header.write_bytes(b"")
    assert vchunk("chunk", key).checked().output == before


def test_units_that_are_kept_alone_stay_alone(vchunk, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Title\n\nA sentence stands here. Another follows it.\n", encoding="utf-8")
    vchunk("embed", "a.md", "--keep", "units").checked()
    before = vchunk("store", "ls").checked().records
    vchunk("chunk", "--prominence", "1", "--f-sig", "2").checked()
    assert [r["key"] for r in vchunk("store", "ls").checked().records] == [r["key"] for r in before]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_streams_that_are_closed_or_full(vchunk_pipe, tmp_path: Path):
    (tmp_path / "a.txt").write_text("A sentence stands here.", encoding="utf-8")
    quiet = vchunk_pipe("vchunk chunk a.txt --method structure 2>&- | cat").checked()
    assert len(quiet.records) == 1
    for command in ("chunk a.txt --method structure -q", "--help", "store path"):
        for nowhere, why in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
            done = vchunk_pipe(f"vchunk {command} {nowhere}")
            assert done.returncode == 1
            assert one_line(done.stderr) == f"vchunk: error: standard output: {why}"
    assert vchunk_pipe("vchunk chunk a.txt --method structure -o b.jsonl >&-").returncode == 0
    empty = vchunk_pipe("vchunk chunk - --method structure <&-").checked()
    assert empty.output == b""


def test_a_size_beyond_all_sizes(vchunk, tmp_path: Path):
    (tmp_path / "a.txt").write_text("A sentence stands here.", encoding="utf-8")
    done = vchunk("chunk", "a.txt", "--target-tokens", "9" * 30)
    assert done.returncode == 2
    assert "--target-tokens" in one_line(done.stderr)


def test_a_typed_option_wins_over_a_variable(vchunk, tmp_path: Path):
    (tmp_path / "a.txt").write_text("A sentence stands here. And another one.", encoding="utf-8")
    structure = ["chunk", "a.txt", "--method", "structure"]
    wanted = vchunk(*structure, "--target-tokens", "4").checked()
    assert len(wanted.records) == 2
    variables = {"VCHUNK_PRESET": "coarse", "VCHUNK_F_SIG": "1"}
    assert vchunk(*structure, "--target-tokens", "4", env=variables).checked().output == wanted.output
    assert len(vchunk(*structure, env=variables).checked().records) == 1


def test_a_chunk_is_shown_by_the_id_it_was_printed_with(vchunk, tmp_path: Path):
    (tmp_path / "a.txt").write_text("A sentence stands here. And another one.", encoding="utf-8")
    options = ["--method", "structure", "--target-tokens", "4"]
    chunk = vchunk("chunk", "a.txt", *options).checked().records[1]
    assert vchunk("show", "a.txt", "--chunk", chunk["id"], *options).checked().records == [chunk]
    lost = vchunk("show", "a.txt", "--chunk", chunk["id"], "--method", "structure")
    assert lost.returncode == 1
    assert "give the options that it was cut with" in one_line(lost.stderr)


def test_in_a_directory_that_was_deleted(vchunk_pipe, tmp_path: Path):
    (tmp_path / "a.txt").write_text("A sentence stands here.", encoding="utf-8")
    script = f"mkdir gone && cd gone && rmdir ../gone && vchunk chunk {tmp_path / 'a.txt'} --method structure"
    assert len(vchunk_pipe(script, env={"VCHUNK_STORE": str(tmp_path / "s")}).checked().records) == 1
