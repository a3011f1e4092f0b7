"""Files of gold answers and gold boundaries, in the forms that people have them."""

from __future__ import annotations

import json

import pytest

from vchunk.adapters.gold_files import read_questions, read_segmented
from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError
from vchunk.domain.questions import Asked, Reference


def source(text: str, name: str = "q") -> Source:
    return Source(name, text.encode())


def test_the_form_of_chroma() -> None:
    references = [{"content": 'a, "b"', "start_index": 3, "end_index": 9}, {"start_index": 20, "end_index": 21}]
    cell = json.dumps(references).replace('"', '""')
    text = f'question,references,corpus_id\nWho?,"{cell}",tides\n'
    assert read_questions(source(text)) == [
        Asked("q, row 2", "Who?", "tides", (Reference(3, 9, 'a, "b"'), Reference(20, 21)))
    ]


@pytest.mark.parametrize(
    "text",
    [
        'question,document,start,end\n"Who, and when?",a.md,3,9\n',
        '\ufeffquestion, document, start, end\r\n"Who, and when?",a.md,3,9\r\n',
        "question;document;start;end\nWho, and when?;a.md;3;9\n",
        "document\tquestion\tstart\tend\na.md\tWho, and when?\t3.0\t9.0\n",
        '{"question": "Who, and when?", "document": "a.md", "start": 3.0, "end": 9.0}\n',
        '{"question": "Who, and when?", "document": "a.md", "start": 3, "end": 9}\n',
        '\n{"question": "Who, and when?", "document": "a.md", "spans": [[3, 9]]}\n\n',
        '{"question": "Who, and when?", "document": "a.md", "spans": [{"start": 3, "end": 9}]}',
        '[{"query": "Who, and when?",\n"corpus_id": "a.md",\n"references":[{"start_index": 3, "end_index": 9}]}]',
    ],
)
def test_plain_forms_say_the_same(text: str) -> None:
    (asked,) = read_questions(source(text))
    assert (asked.text, asked.document, asked.references) == ("Who, and when?", "a.md", (Reference(3, 9),))


@pytest.mark.parametrize(
    "text",
    [
        "question,quote\nWho?,The keeper.\n",
        '{"question": "Who?", "quote": "The keeper."}',
        '{"question": "Who?", "quotes": ["The keeper."]}',
        '{"question": "Who?", "references": [{"content": "The keeper."}]}',
    ],
)
def test_answers_may_be_quoted(text: str) -> None:
    (asked,) = read_questions(source(text))
    assert (asked.document, asked.references) == (None, (Reference(quote="The keeper."),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "q: is empty"),
        (" \n", "q: is empty"),
        ("question,start,end\n", "q: has a header and no rows"),
        ("[]", "q: has a header and no rows"),
        (
            "name,answer\na,b\n",
            "q: is neither JSON nor a CSV with a column question; its first line is 'name,answer'",
        ),
        ("question,start,end\nWho?,3,9\n,3,9\n", "q, row 3: has no question"),
        ("question,start,end\nWho?,,\n", "q, row 2: has no gold answer; give start and end"),
        ("question,start,end\nWho?,3,\n", "q, row 2: end '' is no whole number"),
        ("question,start,end\nWho?,3,x\n", "q, row 2: end 'x' is no whole number"),
        ('{"question": "a", "start": 1, "end": 2.5}', "q, row 1: end 2.5 is no whole number"),
        ('{"question": "a", "quote": "b"}\n{"question"\n', "q, row 2: is no JSON ("),
        ("[1]", "q, row 1: is no JSON object"),
        ('{"question": "a", "spans": [[1, 2, 3]]}', "q, row 1: [1, 2, 3] is no gold answer"),
        ('{"question": "a", "spans": 7}', "q, row 1: spans is no list in JSON"),
        ("question,references\nWho?,none\n", "q, row 2: references is no list in JSON"),
        ('{"question": 5, "quote": "b"}', "q, row 1: has no question"),
    ],
)
def test_faults_are_named_with_their_row(text: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_questions(source(text))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_other_codecs_are_refused_by_name() -> None:
    with pytest.raises(ReadError, match=r"q: is not UTF-8 \(byte 9\)"):
        read_questions(Source("q", b"question\n\xff"))


def test_texts_with_boundaries() -> None:
    first, second = read_segmented(
        source(
            '{"id": "one", "text": "Aa. Bb.", "boundaries": [4]}\n{"text": "Cc.", "boundaries": []}\n', "b.jsonl"
        )
    )
    assert (first.name, first.text, first.boundaries) == ("one", "Aa. Bb.", (4,))
    assert (second.name, second.boundaries, second.place) == ("b.jsonl:2", (), "b.jsonl, row 2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"text": "", "boundaries": [1]}', "q, row 1: has no text"),
        ('{"text": "Aa."}', "q, row 1: has no boundaries"),
        ('{"text": "Aa.", "boundaries": ["x"]}', "q, row 1: boundary 'x' is no whole number"),
    ],
)
def test_faults_of_boundaries(text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read_segmented(source(text))
