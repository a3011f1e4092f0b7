"""Pages cut up into heads, columns, drawings and feet, and put together again as blocks in reading order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vchunk.adapters.readers.pdf_blocks import Draft, Measure, blocks_of
from vchunk.adapters.readers.pdf_cells import Grid, place_tables, take_tables
from vchunk.adapters.readers.pdf_columns import regions
from vchunk.adapters.readers.pdf_figures import place_figures, take_words
from vchunk.adapters.readers.pdf_furniture import split_furniture
from vchunk.adapters.readers.pdf_lines import Line
from vchunk.adapters.readers.pdf_pages import PageContent
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.adapters.readers.pdf_table_columns import in_columns
from vchunk.adapters.readers.pdf_turned import add_headings, as_shown
from vchunk.domain.document import Kind, Role


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page cut up.

    ``parts`` are its columns in reading order, ``figures`` and ``tables`` what was taken out of
    them, ``turned`` the runs of each reading direction but the page's own.
    """

    number: int
    head: list[Line]
    parts: list[list[Line]]
    foot: list[Line]
    figures: list[Draft]
    tables: list[Draft]
    turned: list[list[Run]]


def lay_out(pages: Sequence[PageContent], grids: Sequence[Grid]) -> list[PageLayout]:
    """The pages of a document, its columns numbered through as regions."""
    split = split_furniture([page.groups[0] if page.groups else [] for page in pages], [p.height for p in pages])
    laid: list[PageLayout] = []
    region = 0
    for (head, body, foot), page in zip(split, pages, strict=True):
        (rest, *groups), figures = take_words([body, *page.groups[1:]], page.figures)
        mine = [grid for grid in grids if grid.page == page.number]
        rest, tables, turned = _take_tables(rest, groups, mine)
        parts = regions(rest) if rest else []
        for part in parts:
            for line in part:
                line.region = region
            region += 1
        laid.append(PageLayout(page.number, head, parts, foot, figures, tables, turned))
    return laid


def _take_tables(
    runs: list[Run], groups: Sequence[list[Run]], grids: Sequence[Grid]
) -> tuple[list[Run], list[Draft], list[list[Run]]]:
    """Upright runs, tables and turned runs; tables may hold turned words."""
    if not grids:
        return runs, [], list(groups)
    shown = [[as_shown(run) for run in group] for group in groups]
    rest, tables = take_tables([*runs, *(run for group in shown for run in group)], grids)
    left = {id(run) for run in rest}
    turned = [
        [run for run, copy in zip(group, copies, strict=True) if id(copy) in left]
        for group, copies in zip(groups, shown, strict=True)
    ]
    return [run for run in runs if id(run) in left], tables, turned


def drafts_of(
    laid: Sequence[PageLayout], usual: Measure, recognised: Mapping[int, Sequence[Draft]]
) -> list[Draft]:
    """All blocks in page order, furniture at the head and foot of its page."""
    drafts: list[Draft] = []
    for page in laid:
        drafts += [Draft(Kind.PARAGRAPH, [line], Role.FURNITURE) for line in page.head]
        body = [draft for part in page.parts for draft in blocks_of(part, usual)]
        place_figures(body, page.figures)
        place_tables(body, page.tables)
        turned = _turned(body, page, usual)
        for table in body:
            if table.kind is Kind.TABLE and not table.grid:
                table.rows = in_columns(table.rows)
        drafts += body + turned
        drafts += recognised.get(page.number, ())
        drafts += [Draft(Kind.PARAGRAPH, [line], Role.FURNITURE) for line in page.foot]
    return drafts


def _turned(body: list[Draft], page: PageLayout, usual: Measure) -> list[Draft]:
    """The blocks of turned text; what heads the columns of a table goes to it, in place."""
    left = {id(run) for run in add_headings(body, [run for group in page.turned for run in group])}
    drafts: list[Draft] = []
    for group in page.turned:
        rest = [run for run in group if id(run) in left]
        for part in regions(rest) if rest else []:
            for line in part:
                line.region = -page.number
            drafts += blocks_of(part, usual)
    return drafts
