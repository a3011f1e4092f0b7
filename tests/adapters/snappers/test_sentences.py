from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.snappers import sentences
from vchunk.adapters.snappers.sentences import SentencexSplitter, guess_language, primary_language
from vchunk.domain.ports import SentenceSplitter

SPLITTER: SentenceSplitter = SentencexSplitter()
SEAM = "|"


def split(marked: str, language: str | None = None) -> str:
    """The text with a bar wherever a sentence is found to begin; bars in the input are removed."""
    text = marked.replace(SEAM, "")
    edges = [0, *SPLITTER.starts(text, language), len(text)]
    return SEAM.join(text[a:b] for a, b in pairwise(edges))


def holds(marked: str, language: str | None = None) -> None:
    assert split(marked, language) == marked


@pytest.mark.parametrize(
    "marked",
    [
        "We met. |They left! |Did you? |Yes.",
        "One line ends.\n|The next begins\nand runs on. |Done.",
        "A title without a stop\n\n|A paragraph. |Its end.\n\n\n|Another.",
        "It is. \t \n \n  |So it is.",
    ],
)
def test_plain_sentences(marked: str) -> None:
    holds(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "Dr. Jones and Prof. A. B. Miller met Mrs. Hill. |All sat down.",
        "It is red vs. blue, e.g. in Fig. 7 or vol. 3, No. 12. |Enough.",
        "See Figs. 3 and 4, cf. Eq. 5. |Then read Sec. 2.1 and pp. 7. |Good.",
        "St. Mary lies north. |Mt. Cook is higher.",
        "J. R. Hobbs wrote it. |K. Lee did not.",
        "She lives in the U.S. |It is large. |The U.S. Army is there.",
        "He earned a Ph.D. |Then he left.",
        "Kept by Acme LLC. Europe was not. |By Acme LLC. |It was.",
        "He had a plan B. |It failed.",
        "We met at 5 p.m. |Mary came.",
        "Signed by J.\n\n|Next came this.",
        "Acme Inc. shipped it. |Acme Inc. Europe did not.",
        "So did I. |He left.",
        "We met at 5 p.m. |She came at 6 a.m. on Monday.",
    ],
)
def test_abbreviations_and_initials_end_no_sentence(marked: str) -> None:
    holds(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "It costs 3.14 or 1,000.50 euros. |Take v1.2.3 then.",
        "Read https://a.example/b.html?c=d.e! |Or www.b.example. |Or mail me.x@c.example. |Bye.",
        "Node.js and os.Path are names. |So is ASP.NET here.",
        "Well... maybe. |Hm… perhaps not. |No... |It was late.",
        "In 2003. |He was 42. |Then he was not.",
        "1. First comes this. |2. Second comes that.",
        "Text.\n\n|12. A numbered line\n|IV. A section".replace("\n|IV", "\nIV"),
    ],
)
def test_numbers_urls_and_ellipses_end_no_sentence(marked: str) -> None:
    holds(marked)


def test_german_ordinals_and_abbreviations() -> None:
    holds(
        "Am 3. Mai sah er z. B. die 1. Bundesliga. |Das war im 19. Jahrhundert. |Gut, d. h. sehr gut.",
        "de-AT",
    )
    holds("Geboren 3. Mai 1960. |Gestorben ist er nicht.")
    holds("Sie sah die 1. Bundesliga. |It was on the third. |End.")


@pytest.mark.parametrize(
    "marked",
    [
        'He said "Go away." |Then he left.',
        "She said “Go.” |Then she left. |(He stayed.) |We slept. |[That is all.] |Bye.",
        '"Is it?" she asked. |"What?!" he cried.',
        "It is known.[1] |It is proven.[2, 3] |It is clear.” |Yes.",
        "It is known.¹² |It is proven.",
        "(See the end!) and so on. |See that!) and so on. |Right.",
    ],
)
def test_closing_marks_and_note_numbers_stay_with_their_sentence(marked: str) -> None:
    holds(marked)


@pytest.mark.parametrize(
    ("marked", "language"),
    [
        ("天气很好。|我们去公园吧！|你来吗？|他说：「好。」然后走了。|再见", "zh"),
        ("“是吗？”她说。|“不是。”|“好！”\n|他走了。", "zh"),
        ("「行こう。」と彼は言った。|はい。|「うん。」|「いや。」 |値は３．１４です。", "ja"),
        ("यह पहला है। |यह दूसरा है। |क्या यह तीसरा है? |हाँ। |डॉ. शर्मा आए।", "hi"),
        ("هذه جملة أولى. |هل هذه ثانية؟ |نعم، وهذه ثالثة! |النهاية؛ تمت.", "ar"),
        ("Он пришёл. |Т. е. она ушла! |Что?", "ru"),
        ("오늘은 좋다. |내일은 어떨까? |모른다.", "ko"),
        ("Ήρθε. |Έφυγε! |Τέλος.", "el"),
        ("好。，然后。|“好！”", "zh"),
    ],
)
def test_other_scripts_with_and_without_their_language(marked: str, language: str) -> None:
    holds(marked, language)
    holds(marked, None)
    assert guess_language(marked.replace(SEAM, "")) == language


def test_khmer_full_stops() -> None:
    holds("ខ្ញុំទៅ។ |គាត់មក៕ |ចប់", "km")
    holds("ខ្ញុំទៅ។ |គាត់មក៕ |ចប់")


def test_an_english_text_with_a_chinese_sentence_in_it() -> None:
    holds("He wrote a line. |天气很好。|And Dr. Li read it? |Yes.")
    holds("She asked: هل هذه ثانية؟ |نعم and left. |Done.")


@pytest.mark.parametrize(
    ("tag", "language"),
    [("en-US", "en"), ("de_AT.UTF-8", "de"), ("ZH", "zh"), ("nb", "nb"), ("", None), (None, None), ("und", None),
     ("C", None), ("12", None), ("english", None)],
)  # fmt: skip
def test_tags_name_their_primary_language(tag: str | None, language: str | None) -> None:
    assert primary_language(tag) == language


def test_a_language_that_sencencex_does_not_know_is_no_error() -> None:
    holds("One. |Two.", "xx-YY")


def test_no_sentence_begins_with_a_mark_that_joins_the_one_before() -> None:
    assert SPLITTER.starts("One. \u0301Two", "en") == []
    assert SPLITTER.starts("One. \u200dTwo", "en") == []
    assert SPLITTER.starts("Right . . . and ! ? wrong", "en") == []


def test_offsets_count_code_points() -> None:
    text = "😀😀 Ja. \U00020000é́ Nein. Ende"
    assert [text[start] for start in SPLITTER.starts(text, "de")] == ["\U00020000", "E"]


def test_blank_and_empty_texts_have_one_sentence_at_most() -> None:
    for text in ("", " ", "\n\n\n", "\n\nOnly one.\n\n", "x"):
        assert SPLITTER.starts(text, None) == []


def test_half_of_a_surrogate_pair_does_not_shift_what_follows() -> None:
    assert SPLITTER.starts("One \ud83d. Two.", None) == [7]


def test_text_with_no_white_space_is_cheap_for_sentencex(monkeypatch: pytest.MonkeyPatch) -> None:
    import sentencex

    seen: list[str] = []

    def record(_: str, text: str) -> list[dict[str, int]]:
        seen.append(text)
        return []

    monkeypatch.setattr(sentencex, "get_sentence_boundaries", record)
    text = "हाँ?" * 1000 + " 好。" * 3 + "好。" * 1000 + " 好!" * 3
    SPLITTER.starts(text, "hi")
    assert [len(part) for part in seen] == [len(text)]
    # It looks back to the last white space at each mark that it knows: few marks, or short runs.
    assert max(sum(map(run.count, "?!。")) for run in seen[0].split()) < 100


def test_white_space_is_passed_over_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[int] = []
    skip = sentences._skip_space
    monkeypatch.setattr(sentences, "_skip_space", lambda text, at: (passed.append(at), skip(text, at))[1])
    text = "One.\n" + "\n" * 2000 + "Two. Three."
    starts = SPLITTER.starts(text, "en")
    assert [text[start:][:3] for start in starts] == ["Two", "Thr"]
    assert len(passed) < 10


def test_identity_names_the_version() -> None:
    from importlib.metadata import version

    assert version("sentencex") in SPLITTER.identity


pieces = st.one_of(
    st.sampled_from('J3xé漢है؟।。！.…!?"“”」() \n\u0301\u200d😀\u00a0\x00．'),
    st.sampled_from(["One", "dr", "e.g", "12", "1.5", "No", "です", "...", "[1]", "\n\n", "\r\n", "http://a.b"]),
)


@given(st.lists(pieces, max_size=40).map("".join), st.sampled_from([None, "en", "de", "zh", "hi", "th", "zz"]))
def test_any_text_gives_rising_starts_on_visible_characters(text: str, language: str | None) -> None:
    starts = SPLITTER.starts(text, language)
    first = len(text) - len(text.lstrip())
    assert starts == sorted(set(starts))
    for start in starts:
        assert first < start < len(text)
        assert not text[start].isspace()
        assert unicodedata.category(text[start])[0] != "M"


def test_a_whole_text_between_quotes_is_split_into_its_sentences():
    said = " ".join(f"This is sentence number {n} of a long speech." for n in range(30))
    text = f'{{"content": "{said}", "role": "user"}}'
    starts = SentencexSplitter().starts(text, "en")
    assert len(starts) >= 29
    assert all(text[start:].startswith(("This is", '"', "role", "}")) for start in starts)


def test_a_short_quote_stays_whole():
    text = 'She said: "Come in. Sit down. Be quiet." Then she left the room.'
    assert SentencexSplitter().starts(text, "en") == [text.index("Then")]
