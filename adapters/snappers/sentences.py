"""Where sentences begin, by sentencex and what it gets wrong."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from importlib.metadata import version

from vchunk.adapters.snappers.abbreviations import ends_in_abbreviation

VERSION = 2  # of the rules below; part of the identity

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff\uff66-\uff9d]")),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff]")),
    ("ko", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
)
_BEYOND_LATIN = re.compile("[\u0370-\u1fff\u2e80-\ud7af\uf900-\ufaff\uff66-\uff9d]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_SAMPLE = 4000  # characters by which a language is guessed
_KANA_SHARE = 0.05  # Japanese text has more kana than that among its Han characters, Chinese none

_CLOSERS = "\"'”’»›)\\]}」』】）》〉｣"
_QUOTES = "\"'”’»›」』｣"
_NEVER_FIRST = ")]}」』】）》〉｣,;:.!?…、，。！？"
_NEEDS_SPACE = ".!?…"  # without white space behind it one of these stands in a name, number or URL
_JOINERS = "\u200c\u200d"
# Sentence ends that need no white space behind them.
_WIDE = "。！？｡．"
_WIDE_END = re.compile(f"[{_WIDE}]+(?P<closers>[{_CLOSERS}]*)\\s*")
_KHMER_END = re.compile(f"[។៕]+[{_CLOSERS}]*\\s+")
# sentencex knows no Khmer full stop, nor one that a bracket or quote closes behind.
_ENCLOSED_END = re.compile(f'(?:[.!?…][)\\]}}]+[{_CLOSERS}]*|[.…][”’»"]+)\\s+(?=[“"„«(\\[]?[^\\Wa-z\\d_])')
# What still belongs to the sentence before: closing marks and note numbers.
_TRAILING = re.compile(f"(?:[{_CLOSERS}]|\\[\\d+(?:[,–-]\\s?\\d+)*\\]|[⁰¹²³⁴-⁹])+\\s+")
_SPACE = re.compile(r"\s*")
_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)")
# sentencex looks back to the last white space at each mark: quadratic where there is none.
_LONG_RUN = re.compile(r"\S{500,}")
_MASK = {ord(mark): "," for mark in ".!?…։؟۔।॥"}
_LONG_SENTENCE = 400  # characters; longer than what people put between quotes as one thing
_BLIND = {ord(mark): " " for mark in "\"'“”„‘’‚«»‹›()[]{}「」『』【】（）《》｢｣"}
_TAIL = 80  # characters before a boundary that the rules look at


class SentencexSplitter:
    """Sentences by sentencex, in linear time, with its offsets and abbreviations put right.

    A sentence keeps its closing quotes, brackets and note numbers. None begins after a title,
    an initial, an abbreviation that goes on, an ordinal, or inside a number, a URL or ``...``.
    Where no language is given it is guessed from the script.
    """

    identity: str

    def __init__(self) -> None:
        self.identity = f"sentencex-{version('sentencex')}-rules-{VERSION}"

    def starts(self, text: str, language: str | None = None) -> list[int]:
        """Offsets, rising, at which a sentence after the first begins in ``text``.

        ``language`` is a tag such as ``de`` or ``en-US``. Each offset is that of a character
        that is neither white space nor a combining mark.
        """
        code = primary_language(language) or guess_language(text)
        first = _skip_space(text, 0)
        found = _accepted(text, sorted(_candidates(text, code)), first, code)
        edges = [first, *found, len(text)]
        inside = [
            start
            for low, high in itertools.pairwise(edges)
            if high - low > _LONG_SENTENCE
            for start in _in_quotes(text, low, high, code)
        ]
        return sorted({*found, *inside})


def _accepted(text: str, ends: list[int], first: int, language: str) -> list[int]:
    """Where sentences begin behind these ends, as far as they do."""
    found: list[int] = []
    start = first
    for end in ends:
        if end <= start:  # in the white space before it, which is not to be skipped again
            continue
        start = _settle(text, end)
        if start < len(text) and _begins(text, start, language):
            found.append(start)
    return found


def _in_quotes(text: str, low: int, high: int, language: str) -> list[int]:
    """Sentences within a very long one: sentencex splits nothing between quotes or brackets."""
    blind = text[low:high].translate(_BLIND)
    if blind == text[low:high]:
        return []
    ends = sorted(low + end for end in _candidates(blind, language))
    return [start for start in _accepted(text, ends, low, language) if low < start < high]


def primary_language(tag: str | None) -> str | None:
    """``de`` of ``de-AT``, ``de_AT.UTF-8`` or ``DE``; None for nothing usable."""
    code = re.split(r"[-_.]", (tag or "").strip().lower())[0]
    return code if code.isascii() and code.isalpha() and 2 <= len(code) <= 3 and code != "und" else None


def guess_language(text: str) -> str:
    """A language that is written in the text's most frequent script."""
    sample = text[:_SAMPLE]
    if not _BEYOND_LATIN.search(sample):
        return "en"
    counts = {code: len(script.findall(sample)) for code, script in _SCRIPTS}
    if counts["ja"] > _KANA_SHARE * counts["zh"]:
        counts["ja"] += counts["zh"]
    code = max(counts, key=lambda code: counts[code])
    return code if counts[code] > len(_LATIN.findall(sample)) / 2 else "en"


def _candidates(text: str, language: str) -> Iterator[int]:
    """Where a sentence may have ended, before any white space that follows, in no order."""
    import sentencex

    # Wide marks are found here; as blanks they spare sentencex its quadratic case.
    masked = text
    if any(mark in text for mark in _WIDE):
        masked = re.sub(f"[{_WIDE}]", " ", text)
    masked = _LONG_RUN.sub(lambda run: run[0][:-_TAIL].translate(_MASK) + run[0][-_TAIL:], masked)
    masked = re.sub("[\ud800-\udfff]", "\ufffd", masked)
    for sentence in sentencex.get_sentence_boundaries(language, masked):
        yield sentence["end_index"]
    for match in _WIDE_END.finditer(text):
        after = text[match.end() : match.end() + 1]
        quoted = match["closers"] and match["closers"][-1] in _QUOTES
        # "是吗？"她说 goes on: what follows a quote at once belongs to its sentence.
        if not (quoted and not match[0][-1].isspace() and (after.isalnum() or after in "，、,")):
            yield match.end()
    for pattern in (_KHMER_END, _ENCLOSED_END):
        for match in pattern.finditer(text):
            yield match.end()


def _settle(text: str, end: int) -> int:
    """The first character of the next sentence, behind what still belongs to the last one."""
    if end > 0 and not text[end - 1].isspace() and (trailing := _TRAILING.match(text, end)):
        return trailing.end()
    return _skip_space(text, end)


def _begins(text: str, start: int, language: str) -> bool:
    """Whether a sentence begins here, given that somebody thought so."""
    head = text[start]
    if unicodedata.category(head).startswith("M") or head in _JOINERS:
        return False
    left = text[max(0, start - _TAIL) : start]
    body = left.rstrip()
    gap = left[len(body) :]
    core = body.rstrip(_CLOSERS)
    if not core or _BLANK_LINE.search(gap):
        return True
    if head in _NEVER_FIRST:
        return False
    mark = core[-1]
    if not gap:
        return mark not in _NEEDS_SPACE and not (mark == "．" and head.isdecimal())
    enclosed = len(core) < len(body)
    trails_off = mark == "…" or core.endswith("..")
    if head.islower() and (enclosed or trails_off):
        return False
    if mark == "." and not enclosed and not trails_off:
        return not ends_in_abbreviation(core, text[start : start + _TAIL], language)
    return True


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
