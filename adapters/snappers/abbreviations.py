"""Full stops that end no sentence: titles, initials, abbreviations, ordinals, enumerators."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\s()\[\]{}\"“”„«»‘’'/—–]+(?=\.$)")
_FIRST_WORD = re.compile(r"[^\w]*(\w[\w'’]*)")
_LINE_START = re.compile(r"(?:^|[\r\n])[^\S\r\n]*$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_ROMAN = re.compile(r"[IVXLC]{2,}")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A name follows.
_TITLES = _words(
    """dr dra mr mrs ms mx messrs prof rev fr hon pres gov sen rep gen col maj capt cpt lt sgt cdr adm st ste
    mt mme mmes mlle hr herr frl sr sra srta don dña dott sig ing dipl डॉ डा श्री श्रीमती प्रो मि पं स्व"""
)
# The same sentence goes on.
_CONNECTIVES = _words(
    """vs cf viz e.g i.e eg ie approx ca resp incl excl esp z.b d.h u.a u.u i.d.r m.a.w s.o s.u o.g p.ex
    bzw evtl ggf vgl sog inkl zzgl allg bspw т.е т.к т.н напр см ср"""
)
# A number, or a word in lower case, follows.
_BEFORE_NUMBER = _words(
    """no nos nr num vol vols fig figs eq eqs eqn sec secs sect ch chap p pp pg art arts par para tab tbl ref refs
    ex pt pts ed eds al app appx n nn abb abs kap bd bde hft s jan feb mar apr jun jul aug sep sept oct nov dec
    okt dez mrz circa c r b d est max min avg etc usw inc ltd co corp jr dept рис табл стр гл гг"""
)
# May end a sentence; it does where the next word is one with which sentences begin.
_NAMES = _words("inc ltd co corp llc plc bros jr dept univ ave blvd")
_STARTERS = _words(
    """The A An It He She They We I You This That These Those There Here His Her Its Our Their My Your In On At
    As For If When While Where After Before But And Or So Yet However Then Also Thus Since Because Although
    Though What Who Why How Is Are Was Were Do Does Did No Not Yes Most Some Many All One To From By With
    Der Die Das Er Sie Es Wir Ich Ein Eine Il Elle Nous Vous Le La Les On El Los Las"""
)
# Languages that write ordinals with a full stop.
_ORDINAL_LANGUAGES = _words("de da no nb nn fi cs sk pl hu sl hr sr bs et lv is fo lb")
# Before a German ordinal also where the text around is in another language.
_BEFORE_ORDINAL = _words("der die das dem den des am im vom zum zur beim ab seit jeder jede jedes")
_GERMAN_MONTHS = _words(
    """Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember"""
)


def ends_in_abbreviation(before: str, after: str, language: str) -> bool:
    """Whether the full stop at the end of ``before`` belongs to a word and the sentence goes on.

    ``after`` is the text from the next character that is not white space.
    """
    match = _WORD.search(before)
    if not match:
        return False
    word, lead = match[0], before[: match.start()]
    lower = word.lower()
    follower = _FIRST_WORD.match(after)
    following = follower[1] if follower else ""
    if word.isdecimal() and len(word) <= 3:
        return _is_ordinal(word, lead, following, language)
    if _ROMAN.fullmatch(word) and lower not in _NAMES:
        ordinal = language in _ORDINAL_LANGUAGES and _last_word(lead).istitle()
        return following[:1].islower() or ordinal or bool(_LINE_START.search(lead))
    if len(word) == 1 and word.isalpha():
        return following not in _STARTERS  # "J. Smith", "z. B."; but "So did I. He left."
    if lower in _CONNECTIVES or (lower in _TITLES and not word[0].islower()):
        return True
    if _DOTTED.fullmatch(word):
        if lower in ("a.m", "p.m"):
            return following[:1].islower() or following[:1].isdecimal()
        return following not in _STARTERS
    goes_on = not following[:1].isupper() and bool(following) and after[0] not in '"“„«'
    return (lower in _BEFORE_NUMBER and (goes_on or _is_reference(following))) or (
        lower in _NAMES and following not in _STARTERS
    )


def _is_ordinal(word: str, lead: str, following: str, language: str) -> bool:
    """Whether a number with a full stop is an ordinal, or counts what follows."""
    previous = _last_word(lead)
    if _LINE_START.search(lead):
        return True
    if len(word) <= 2 and previous[-1:] in "!?." and previous[:-1].lower() not in _BEFORE_NUMBER:
        return True  # "1. First item. 2. Second item.", but not "See p. 5. Then"
    if len(word) > 2:
        return False
    return (
        language in _ORDINAL_LANGUAGES
        or following[:1].islower()
        or previous.lower() in _BEFORE_ORDINAL
        or following in _GERMAN_MONTHS
    )


def _is_reference(following: str) -> bool:
    return bool(_ROMAN.fullmatch(following)) or following in ("I", "V", "X", "A", "B", "C")


def _last_word(text: str) -> str:
    return text.split()[-1] if text.strip() else ""
