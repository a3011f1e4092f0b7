"""vchunk and its peers on the same documents, with the same embedding model and the same search.

    python benchmarks/compare.py --corpora FOLDER --questions FILE.csv [--only NAME ...] [--write PAGE.md]

FOLDER holds Markdown files; FILE.csv has Chroma's columns ``question``, ``references`` and ``corpus_id``
(a file's name without .md). Each peer is installed from PyPI in an environment of its own under
``--work`` and run there, one after the other; what has been run is not run again until the corpora, the
runner or the requirements change. Needs the extra ``eval`` (tiktoken).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from peers.protocol import Corpus, read_corpora
from tables import Comparison, compare, comparison_table, main_table, record
from vchunk import Session
from vchunk.adapters.encoders.minilm import bundled_folder
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.boundaries import find_boundaries
from venvs import PeerError, make_venv

HERE = Path(__file__).resolve().parent
WORK = HERE.parent / "build" / "peers"
PEERS = (
    "vchunk",
    "ragatini",
    "smantic",
    "chunk_it_pro",
    "chonkie",
    "semchunk",
    "semantic_text_splitter",
    "langchain",
    "llama_index",
)
LONGEST = 3600  # seconds that one peer may take


def digest(*parts: bytes) -> str:
    """A short name for what a run depends on."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(len(part).to_bytes(8, "little") + part)
    return hashed.hexdigest()[:16]


def sentence_starts(corpus: Corpus) -> list[int]:
    """Where vchunk may cut: given to peers that lack a model for it."""
    session = Session(store=MemoryStore())
    return [int(x) for x in find_boundaries(session.read(corpus.path).document, session.splitter).offsets]


def run_peer(name: str, corpora: Path, boundaries: Path, inputs: list[bytes], work: Path) -> Path:
    """Run a peer in its environment; the folder with its results.

    Raises
    ------
    PeerError
        If it cannot be installed, fails, or takes too long.
    """
    folder = work / name
    requirements = HERE / "peers" / "requirements" / f"{name}.txt"
    sources = [HERE / "peers" / f"{part}.py" for part in (name, "protocol", "locating", "minilm")]
    own = name == "vchunk"
    if own:
        import vchunk

        package = Path(vchunk.__file__).parent
        sources += [p for part in (".", "domain", "adapters") for p in sorted((package / part).rglob("*.py"))]
        python = Path(sys.executable)
        own_path = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        path = [str(HERE), *(str(Path(entry).absolute()) for entry in own_path)]
    else:
        sources.append(requirements)
        python = make_venv(folder / "venv", requirements)
        path = [str(HERE)]
    out = folder / digest(*inputs, *(source.read_bytes() for source in sources))
    out.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS")}
    command = [str(python), "-m", f"peers.{name}", "--corpora", str(corpora), "--out", str(out)]
    command += ["--model", str(bundled_folder()), "--boundaries", str(boundaries)]
    log = out / "log.txt"
    with log.open("w") as file:
        try:
            done = subprocess.run(
                command, stdout=file, stderr=subprocess.STDOUT, cwd=out, env=environment, timeout=LONGEST
            )
        except subprocess.TimeoutExpired:
            raise PeerError(f"{name}: ran longer than {LONGEST} s, see {log}") from None
    if done.returncode:
        raise PeerError(f"{name}: failed, see {log}")
    return out


def write_between(path: Path, name: str, text: str) -> None:
    """Put a table between its marks in a document."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = path.read_text("utf-8")
    if begin not in page or end not in page:
        raise SystemExit(f"{path}: lacks the lines {begin} and {end}")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    path.write_text(pattern.sub(lambda _: f"{begin}\n{text}{end}", page), "utf-8")


def main() -> int:
    """Run, score, write; 1 if a peer failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--questions", type=Path, required=True, metavar="FILE.csv")
    parser.add_argument("--only", nargs="+", choices=PEERS, default=PEERS, metavar="NAME")
    parser.add_argument("--work", type=Path, default=WORK, help="environments and results (default: build/peers)")
    parser.add_argument("--write", type=Path, metavar="PAGE.md", help="put the tables between their marks there")
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    corpora = read_corpora(given.corpora)
    if not corpora:
        parser.error(f"{given.corpora}: holds no Markdown file")
    inputs = [part.encode() for corpus in corpora for part in (corpus.name, corpus.text)]
    boundaries = work / f"boundaries-{digest(*inputs)}.json"
    boundaries.write_text(json.dumps({corpus.name: sentence_starts(corpus) for corpus in corpora}), "utf-8")
    inputs.insert(0, boundaries.read_bytes())

    folders, failures = {}, []
    for name in given.only:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            folders[name] = run_peer(name, given.corpora.resolve(), boundaries, inputs, work)
        except PeerError as error:
            failures.append(str(error))
            print(error, file=sys.stderr)
    from search import score_all  # imports torch

    rows = score_all(folders, corpora, given.questions, work)
    comparisons = compare(rows)
    tables = {"peers": main_table(rows), "same size": comparison_table(comparisons)}
    results = {"rows": [record(row) for row in rows], "failures": failures}
    (work / "results.json").write_text(json.dumps(results, indent=1), "utf-8")
    for name, table in tables.items():
        print(table)
        if given.write:
            write_between(given.write, name, table)
    tell_losses(comparisons)
    return 1 if failures else 0


def tell_losses(comparisons: Sequence[Comparison]) -> None:
    """Say where a peer of equal size is better by more than the interval."""
    for one in [one for one in comparisons if one.row.peer != "vchunk"]:
        for budget in one.beaten:
            print(f"{one.row.peer}, {one.row.name}: better than {one.preset.setting} at {budget}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
