"""Source code: one block of code in its language, code point for code point."""

from __future__ import annotations

import re
from pathlib import PurePath

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.domain.document import Block, Document, Kind, Source, Span
from vchunk.domain.ports import Warn

_BY_LANGUAGE = {
    "bash": "sh bash zsh ksh", "c": "c h", "clojure": "clj cljs", "cmake": "cmake", "cpp": "cc cpp cxx hpp hh hxx",
    "csharp": "cs", "css": "css scss less", "cuda": "cu cuh", "dart": "dart", "elixir": "ex exs", "erlang": "erl",
    "fortran": "f f90 f95", "fsharp": "fs", "go": "go", "graphql": "graphql gql", "groovy": "groovy gradle",
    "haskell": "hs", "hcl": "tf hcl", "ini": "ini cfg conf properties", "java": "java",
    "javascript": "js jsx mjs cjs",
    "julia": "jl", "kotlin": "kt kts", "lisp": "lisp el", "lua": "lua", "make": "mk",
    "nix": "nix", "objective-c": "m mm", "ocaml": "ml mli", "pascal": "pas", "perl": "pl pm", "php": "php",
    "powershell": "ps1", "protobuf": "proto", "python": "py pyi pyw", "r": "r", "ruby": "rb", "rust": "rs",
    "scala": "scala", "scheme": "scm", "solidity": "sol", "sql": "sql", "svelte": "svelte", "swift": "swift",
    "toml": "toml", "tsx": "tsx", "typescript": "ts mts cts", "vb": "vb", "verilog": "v sv", "vhdl": "vhd vhdl",
    "vue": "vue", "xml": "xml xsd xsl xslt", "yaml": "yaml yml", "zig": "zig",
}  # fmt: skip
_BY_NAME = {
    "makefile": "make", "gnumakefile": "make", "dockerfile": "dockerfile", "cmakelists.txt": "cmake",
    "rakefile": "ruby", "gemfile": "ruby", "vagrantfile": "ruby", "jenkinsfile": "groovy", "justfile": "make",
}  # fmt: skip
_BY_INTERPRETER = {
    "bash": "bash", "sh": "bash", "zsh": "bash", "python": "python", "node": "javascript", "perl": "perl",
    "ruby": "ruby",
    "php": "php", "lua": "lua", "rscript": "r", "julia": "julia", "make": "make", "pwsh": "powershell",
}  # fmt: skip

LANGUAGES = {f".{ending}": language for language, endings in _BY_LANGUAGE.items() for ending in endings.split()}
"""The language of each ending."""

_INTERPRETER = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?([A-Za-z]+)")
_CODING = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class CodeReader(DecodingReader):
    """Reads source code, in the encoding of Python's ``coding:`` line where it has one."""

    name = "code"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document: one block, from its first line that is not blank."""
        match = _CODING.match(source.data[:1024])
        text = decode(source, warn, self.encoding, declared=match[1].decode() if match else None)
        language = language_of(source.name, text)
        blank = re.match(r"(?:[^\S\r\n]*(?:\r\n|\n|\r))*", text)
        span = Span(blank.end() if blank else 0, max(len(text.rstrip()), blank.end() if blank else 0))
        return Document(
            text=text,
            blocks=(Block(Kind.CODE, span, language=language),) if text.strip() else (),
            media_type=f"text/x-{language}" if language else "text/plain",
            reader=self.signature,
        )


def language_of(name: str, text: str = "") -> str | None:
    """The language of code by its file's name, else by the interpreter that its first line names."""
    path = PurePath(name)
    found = _BY_NAME.get(path.name.lower()) or LANGUAGES.get(path.suffix.lower())
    if found is None and (match := _INTERPRETER.match(text)):
        found = _BY_INTERPRETER.get(match[1].lower())
    return found
