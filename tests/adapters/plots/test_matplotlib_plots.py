"""Pictures: what is on them, that nothing collides, that their bytes repeat."""

from __future__ import annotations

import itertools
import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.text import Text

from vchunk.adapters.plots import lettering
from vchunk.adapters.plots.lettering import UNDRAWN
from vchunk.adapters.plots.matplotlib_plots import MatplotlibPlotter
from vchunk.adapters.plots.velocity_page import MOST_ROWS, decimate, row_length, thinned
from vchunk.domain.errors import MissingExtra, UsageError
from vchunk.domain.figures import CutMark, Figure, TrajectoryFigure, VelocityFigure
from vchunk.domain.prominence import mad

WORDS = "the slow change of meaning between one passage and the one that comes after it"


def wave(tokens: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(tokens)
    return np.asarray(1 + sum(np.sin(t / p + rng.random()) for p in (23.0, 61.0, 190.0)) / 4, np.float32)


def cuts(tokens: int, every: int, *, heading_each: int = 4, pages: bool = False) -> tuple[CutMark, ...]:
    return tuple(
        CutMark(
            token=token,
            strength=(i * 7 % 11) / 3,
            label=f"{i}. {WORDS[i % 30 : 30 + i % 30]}",
            heading_level=1 + i % 3 if heading_each and i % heading_each == 0 else None,
            page=token // 350 + 1 if pages else None,
        )
        for i, token in enumerate(range(every, tokens, every))
    )


def velocity(
    curve: object, marks: tuple[CutMark, ...] = (), *, pages: bool = False, **words: str
) -> VelocityFigure:
    values = np.asarray(curve, np.float32)
    begins = tuple((t, t // 350 + 1) for t in range(0, len(values), 350)) if pages else ()
    title, subtitle = words.get("title", "a.md"), words.get("subtitle", "some chunks")
    return VelocityFigure(title, subtitle, values, mad(values), 40.0, marks, begins)


def trajectory(points: object, marks: tuple[CutMark, ...] = (), step: int = 1) -> TrajectoryFigure:
    values = np.asarray(points, np.float32)
    tokens = np.arange(len(values), dtype=np.int64) * step
    chunks = np.searchsorted([cut.token for cut in marks], tokens, "right")
    return TrajectoryFigure("a.md", "some chunks", values, tokens, chunks.astype(np.int64), marks)


def walk(count: int, dim: int = 16, seed: int = 0) -> np.ndarray:
    return np.cumsum(np.random.default_rng(seed).normal(size=(count, dim)), axis=0)


def texts(canvas: Canvas, *gids: str) -> list[Text]:
    found = [t for t in canvas.findobj(Text) if isinstance(t, Text) and t.get_text() and t.get_visible()]
    return [t for t in found if t.get_gid() in gids] if gids else found


def collisions(shown: list[Text]) -> list[tuple[str, str]]:
    boxes = [(t.get_text(), t.get_window_extent()) for t in shown]
    return [(a, b) for (a, x), (b, y) in itertools.combinations(boxes, 2) if x.overlaps(y)]


def outside(canvas: Canvas) -> list[str]:
    frame = canvas.bbox
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts(canvas)]
    return [
        text
        for text, box in boxes
        if box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1
    ]


def points_of(canvas: Canvas, *gids: str) -> list[tuple[float, float]]:
    lines = [line for axes in canvas.axes for line in axes.lines if line.get_gid() in gids]
    return [(float(x), float(y)) for line in lines for x, y in zip(*line.get_data(), strict=True)]


VELOCITY = {
    "no tokens": velocity([]),
    "one token": velocity([0]),
    "two tokens": velocity([0, 1]),
    "a cut at the second of two": velocity([0, 1], cuts(2, 1)),
    "no cuts": velocity(wave(800)),
    "constant": velocity(np.ones(400), cuts(400, 100)),
    "one spike": velocity(np.r_[np.zeros(300), 9, np.zeros(300)]),
    "a short text": velocity(wave(900), cuts(900, 120)),
    "pages": velocity(wave(3000), cuts(3000, 130, pages=True), pages=True),
    "a long text": velocity(wave(16_000), cuts(16_000, 140, pages=True), pages=True),
    "a cut at every token": velocity(wave(1000), cuts(1000, 1)),
    "a loud end": velocity(np.r_[wave(1500), np.linspace(1, 60, 60)], cuts(1560, 200)),
}
TRAJECTORY = {
    "no points": trajectory(np.zeros((0, 1))),
    "one point": trajectory(walk(1)),
    "two points": trajectory(walk(2)),
    "standing still": trajectory(np.ones((40, 8)), cuts(40, 10)),
    "on a line": trajectory(walk(50, 1), cuts(50, 10)),
    "no cuts": trajectory(walk(300)),
    "a short text": trajectory(walk(900), cuts(900, 120)),
    "a thousand cuts": trajectory(walk(2000), cuts(20_000, 20), step=10),
}
ALL = [
    pytest.param(f, id=f"{kind}: {name}")
    for kind, d in (("curve", VELOCITY), ("path", TRAJECTORY))
    for name, f in d.items()
]


SMALL = [case for case in ALL if "long" not in str(case.id)]
"""Enough rows are drawn without the long one, which takes long."""


@pytest.fixture(autouse=True)
def silence(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """matplotlib complains of fonts through logging, not through warnings."""
    caplog.set_level(logging.WARNING)
    yield
    assert not caplog.records


@pytest.mark.parametrize("figure", ALL)
def test_texts_neither_collide_nor_leave_the_picture(figure: Figure) -> None:
    canvas = MatplotlibPlotter("position").compose(figure)
    canvas.draw_without_rendering()  # axis labels find their places
    assert texts(canvas, "title", "note")
    assert collisions(texts(canvas)) == []
    assert outside(canvas) == []


@pytest.mark.parametrize("figure", SMALL)
@pytest.mark.parametrize(("file_format", "magic"), [("png", b"\x89PNG\r\n\x1a\n"), ("svg", b"<?xml")])
def test_the_same_figure_gives_the_same_bytes(figure: Figure, file_format: str, magic: bytes) -> None:
    first = MatplotlibPlotter().draw(figure, file_format)
    assert first.startswith(magic)
    assert MatplotlibPlotter().draw(figure, file_format) == first
    assert b"Software" not in first
    assert b"dc:date" not in first


@pytest.mark.parametrize("name", ["a short text", "pages", "constant", "a loud end", "a long text"])
def test_every_cut_is_circled_on_the_curve(name: str) -> None:
    figure = VELOCITY[name]
    canvas = MatplotlibPlotter().compose(figure)
    curve = dict(points_of(canvas, "curve"))
    for gid, headed in (("headings", True), ("cuts", False)):
        shown = points_of(canvas, gid)
        assert [t for t, _ in shown] == [c.token for c in figure.cuts if (c.heading_level is not None) == headed]
        assert all(curve.get(token, height) == height for token, height in shown)
    middle = float(np.median(figure.curve))
    token, height = points_of(canvas, "cuts")[0]
    assert height == pytest.approx((figure.curve[int(token)] - middle) / figure.mad, rel=1e-4)


def test_too_many_cuts_are_thinned_and_the_picture_says_so() -> None:
    figure = VELOCITY["a cut at every token"]
    canvas = MatplotlibPlotter().compose(figure)
    shown = len(points_of(canvas, "cuts", "headings"))
    assert 100 < shown < len(figure.cuts)
    assert any(f"{shown} of {len(figure.cuts)} cuts" in t.get_text() for t in texts(canvas, "note"))
    assert len(points_of(canvas, "headings")) > shown / 2  # headings stay, first words go


def test_labels_are_the_headings_then_the_strongest() -> None:
    figure = VELOCITY["a long text"]
    labels = {t.get_text().split(".")[0] for t in texts(MatplotlibPlotter().compose(figure), "label")}
    headed = [c.label.split(".")[0] in labels for c in figure.cuts if c.heading_level is not None]
    bare = [c.label.split(".")[0] in labels for c in figure.cuts if c.heading_level is None]
    assert all(headed)
    assert 0 < sum(bare) < len(bare)


def test_headings_look_weightier_than_first_words() -> None:
    marks = (
        CutMark(200, 1, "Major", 1, None),
        CutMark(400, 1, "Minor", 3, None),
        CutMark(600, 1, "words", None, None),
    )
    shown = texts(MatplotlibPlotter().compose(velocity(wave(800), marks)), "label")
    style = {t.get_text(): (t.get_fontsize(), t.get_fontweight()) for t in shown}
    assert style["Major"][0] > style["Minor"][0] > style["words"][0]
    assert [style[name][1] for name in ("Major", "Minor", "words")] == ["bold", "normal", "normal"]


def test_a_label_stands_over_its_cut() -> None:
    canvas = MatplotlibPlotter().compose(velocity(wave(1000), (CutMark(500, 1, "Middle", 1, None),)))
    (shown,) = texts(canvas, "label")
    (cut,) = points_of(canvas, "headings")
    x, y = canvas.axes[0].transData.transform(cut)
    box = shown.get_window_extent()
    assert box.x0 == pytest.approx(x, abs=2)
    assert box.y0 > y


def test_pages_are_on_a_ruler() -> None:
    canvas = MatplotlibPlotter().compose(VELOCITY["pages"])
    shown = [t.get_text() for t in texts(canvas, "ruler")]
    assert "page 1" in shown
    assert {"2", "5", "8"} <= set(shown)
    assert "page 1" not in [t.get_text() for t in texts(MatplotlibPlotter().compose(VELOCITY["no cuts"]))]


def test_crowded_pages_are_told_in_round_steps() -> None:
    crowded = [(page * 0.1, f"{page}") for page in range(1, 100)]
    assert [number for _, number in thinned(crowded)] == [f"{page}" for page in range(5, 100, 5)]
    assert thinned(crowded[::10]) == crowded[::10]
    figure = replace(VELOCITY["no cuts"], pages=tuple((token, token // 8 + 1) for token in range(0, 800, 8)))
    shown = [t.get_text() for t in texts(MatplotlibPlotter().compose(figure), "ruler")]
    pages = [int(n) for n in shown[1 : shown.index("token 0")]]
    (step,) = {b - a for a, b in itertools.pairwise(pages)}
    assert step in (2, 5, 10)
    assert all(page % step == 0 for page in pages)


def test_the_first_token_which_no_step_leads_to_shows_no_fall() -> None:
    (_, first), (_, second), *_ = points_of(MatplotlibPlotter().compose(velocity(np.r_[0, wave(400)])), "curve")
    assert first == second


def test_a_loud_end_does_not_flatten_the_rest() -> None:
    figure = VELOCITY["a loud end"]
    canvas = MatplotlibPlotter().compose(figure)
    _, high = canvas.axes[0].get_ylim()
    assert high < (60 - np.median(figure.curve)) / figure.mad / 5
    assert any("ends" in t.get_text() for t in texts(canvas, "note"))


def test_a_long_curve_is_wrapped_into_rows_of_one_scale() -> None:
    axes = MatplotlibPlotter().compose(VELOCITY["a long text"]).axes
    assert 8 <= len(axes) <= MOST_ROWS
    assert len({a.get_xlim()[1] - a.get_xlim()[0] for a in axes}) == 1
    assert len({a.get_ylim() for a in axes}) == 1
    starts = [a.get_xlim()[0] for a in axes]
    assert starts == sorted(starts)


@pytest.mark.parametrize("tokens", [0, 1, 1200, 1501, 5000, 14_399, 14_400, 99_999, 310_000, 10_000_000])
def test_rows_are_few_and_hold_everything(tokens: int) -> None:
    length = row_length(tokens)
    assert -(-tokens // length) <= MOST_ROWS
    assert length <= max(1, tokens)


def test_decimation_keeps_every_extreme() -> None:
    y = np.random.default_rng(1).normal(size=20_000)
    y[7_777], y[12_345] = 50, -50
    x, kept = decimate(np.arange(20_000), y, 500)
    assert len(kept) <= 1_002
    assert {7_777, 12_345, 0, 19_999} <= set(x.tolist())
    np.testing.assert_array_equal(y[x], kept)


def test_hostile_titles_and_labels_are_drawn_as_they_are() -> None:
    marks = (
        CutMark(100, 1, r"$\nosuch{1}$ cost_of_a^b \alpha", 1, 1),
        CutMark(400, 1, "مرحبا بالعالم", 2, 1),
        CutMark(700, float("nan"), "共识算法 \U0001fae0\ud800\x00", None, 3),
    )
    figure = velocity(wave(1000), marks, title="$x_1$ 共识 & <tag>.md", subtitle="100 % \\ $")
    canvas = MatplotlibPlotter().compose(figure)
    assert marks[0].label in [t.get_text() for t in texts(canvas, "label")]
    assert "100 % \\ $" in [t.get_text() for t in texts(canvas, "note")]
    for file_format in ("png", "svg"):
        assert MatplotlibPlotter().draw(figure, file_format)


@pytest.fixture
def only_the_first_font(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fonts differ between machines; DejaVu Sans comes with matplotlib."""
    monkeypatch.setattr(lettering, "FALLBACKS", ())
    monkeypatch.setattr(lettering, "families_of", lambda _: [])


CHINESE = (CutMark(200, 1, "共识算法", 1, 2), CutMark(500, 1, "选举 3", None, None))


def drawn(figure: Figure) -> tuple[list[str], list[str]]:
    """The texts of a picture, and what was said of it."""
    said: list[str] = []
    canvas = MatplotlibPlotter(warn=said.append).compose(figure)
    return [t.get_text() for t in texts(canvas, "title", "note", "label")], said


@pytest.mark.usefixtures("only_the_first_font")
@pytest.mark.parametrize("figure", [velocity(wave(800), CHINESE), trajectory(walk(800), CHINESE)])
def test_a_picture_without_its_letters_says_so_and_tells_places(figure: Figure) -> None:
    shown, said = drawn(replace(figure, title="系统设计入门", names=("a.zh.md", "key")))
    assert shown[0] == "a.zh.md"
    assert {"page 2, token 200", "token 500"} <= set(shown)
    assert any(UNDRAWN in line for line in shown)
    assert not any("this heading" in line or "these words" in line for line in shown)
    (warning,) = said
    assert "CJK (系)" in warning
    assert "Noto Sans CJK" in warning


@pytest.mark.usefixtures("only_the_first_font")
@pytest.mark.parametrize("name", ["title", "names", "labels"])
def test_only_letters_of_what_is_shown_are_missed(name: str) -> None:
    figure = velocity(wave(800), (CutMark(200, 1, "Raft", 1, None), CutMark(500, 1, "the log", None, None)))
    if name == "title":
        figure = replace(figure, title="Raft 共识")
    elif name == "names":
        figure = replace(figure, names=("共识.md",))
    else:
        figure = replace(figure, cuts=(*figure.cuts, CutMark(700, 1, "Raft 共识", 2, None)))
    shown, said = drawn(figure)
    assert len(said) == (name != "names")
    assert not any(UNDRAWN in line for line in shown)
    assert {"a chunk begins with this heading", "a chunk begins with these words"} <= set(shown)


def test_a_path_has_start_end_and_numbered_cuts() -> None:
    figure = TRAJECTORY["a short text"]
    canvas = MatplotlibPlotter().compose(figure)
    assert [t.get_text() for t in texts(canvas, "end")] == ["start", "end"]
    assert len(points_of(canvas, "cuts", "numbered cuts")) == len(figure.cuts)
    numbers = [t.get_text() for t in texts(canvas, "number")]
    assert numbers == [t.get_text() for t in texts(canvas, "listed")]
    words = [t.get_text() for t in texts(canvas, "label")]
    assert len(words) == len(numbers)
    # The number is the chunk's index: the first cut begins chunk 1.
    for number, said in zip(numbers, words, strict=True):
        assert said.split(".")[0] == figure.cuts[int(number) - 1].label.split(".")[0]


def bend(times: int) -> np.ndarray:
    """A path that turns back on itself, so that cuts lie close together."""
    t = np.linspace(0, 2 * np.pi, 900)
    return np.c_[np.sin(times * t) * t, np.cos((times + 1) * t) * t]


@pytest.mark.parametrize(
    "figure",
    [
        *TRAJECTORY.values(),
        *(trajectory(bend(times), cuts(900, every)) for times in (2, 5, 9) for every in (11, 25, 60)),
    ],
)
def test_no_text_of_a_path_stands_on_a_mark(figure: TrajectoryFigure) -> None:
    canvas = MatplotlibPlotter().compose(figure)
    boxes = [t.get_window_extent().padded(2.0) for t in texts(canvas, "number", "end")]
    places = points_of(canvas, "cuts", "numbered cuts")
    for x, y in canvas.axes[0].transData.transform(places).tolist() if places else ():
        assert not [box for box in boxes if box.x0 < x < box.x1 and box.y0 < y < box.y1]


def test_cuts_that_lie_close_together_are_both_numbered() -> None:
    figure = trajectory(walk(900), (CutMark(440, 1, "one", None, None), CutMark(441, 1, "two", None, None)))
    canvas = MatplotlibPlotter().compose(figure)
    assert [t.get_text() for t in texts(canvas, "number")] == ["1", "2"]
    assert points_of(canvas, "cuts") == []


def test_a_crowded_path_numbers_headings_only() -> None:
    figure = TRAJECTORY["a thousand cuts"]
    numbers = [int(t.get_text()) for t in texts(MatplotlibPlotter().compose(figure), "number")]
    assert 5 < len(numbers) < 40
    assert all(figure.cuts[n - 1].heading_level is not None for n in numbers)


def test_colours_tell_chunks_or_position() -> None:
    figure = trajectory(walk(90), cuts(90, 30))
    (by_chunk,) = [
        c for c in MatplotlibPlotter("chunk").compose(figure).axes[0].collections if c.get_gid() == "path"
    ]
    colours = [tuple(c) for c in by_chunk.get_colors()]
    assert [len(list(run)) for _, run in itertools.groupby(colours)] == [29, 30, 30]
    canvas = MatplotlibPlotter("position").compose(figure)
    (by_place,) = [c for c in canvas.axes[0].collections if c.get_gid() == "path"]
    assert np.asarray(by_place.get_array()).tolist() == list(range(1, 90))
    assert len(canvas.axes) == 2  # the map and its colour bar


def test_one_scale_on_both_axes_of_a_path() -> None:
    points = np.zeros((100, 4))
    points[:, 0] = np.linspace(0, 8, 100)
    points[:, 1] = np.sin(points[:, 0])
    axes = MatplotlibPlotter().compose(trajectory(points)).axes[0]
    box = axes.get_window_extent()
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert box.width / (right - left) == pytest.approx(box.height / (high - low))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: MatplotlibPlotter("rainbow"), "--colour rainbow"),
        (lambda: MatplotlibPlotter(projection="tsne"), "--projection tsne"),
        (lambda: MatplotlibPlotter().draw(VELOCITY["no cuts"], "gif"), "--format gif"),
    ],
)
def test_what_there_is_not_is_refused_by_name(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]


def test_umap_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtra, match="umap"):
        MatplotlibPlotter(projection="umap").draw(TRAJECTORY["no cuts"], "png")


def test_the_users_settings_neither_matter_nor_change() -> None:
    figure = VELOCITY["a short text"]
    expected = MatplotlibPlotter().draw(figure, "svg")
    settings = {"savefig.facecolor": "red", "font.size": 30, "svg.hashsalt": "other", "figure.dpi": 31}
    with matplotlib.rc_context(settings):
        before = dict(matplotlib.rcParams)
        assert MatplotlibPlotter().draw(figure, "svg") == expected
        assert dict(matplotlib.rcParams) == before


def test_pyplot_is_never_imported_and_matplotlib_only_when_drawing() -> None:
    code = (
        "import sys, numpy as np\n"
        "from vchunk.adapters.plots.matplotlib_plots import MatplotlibPlotter\n"
        "from vchunk.domain.figures import VelocityFigure\n"
        "plotter = MatplotlibPlotter()\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plotter.draw(VelocityFigure('a', 'b', np.arange(9, dtype=np.float32), 1.0, 40.0, (), ()), 'svg')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
