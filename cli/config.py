"""``vchunk config``: which settings hold, where they come from, and what computes here."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import Without, with_groups
from vchunk.cli.output import choose_format, json_line, open_output
from vchunk.cli.references import make_encoder
from vchunk.cli.render import show

FORMATS = ("pretty", "json")
_APART = {"--output"}  # of one command each time
_SECRET = {"--password"}


@with_groups
def command(
    context: typer.Context,
    *,
    format: Annotated[
        str | None,
        opt.format_option("pretty (on a terminal), json (else)."),
    ] = None,
    output: opt.Out = None,
    encoding: Annotated[opt.Encoding, Without("keep")],
    store: opt.Store = None,
) -> int:
    """Print what holds here, and from where: an option, a variable, or the default.

    First comes what the encoder's options lead to on this machine, then every option that has a
    variable, with its value for commands that do not say otherwise.
    """
    from vchunk import wiring
    from vchunk.domain.windows import make_plan

    format = choose_format(format, output, FORMATS)
    place = wiring.make_store(store)
    made = make_encoder(encoding)
    plan, identity = make_plan(encoding.windows, made.window), made.identity
    here: dict[str, Any] = {
        "store": str(place.root),
        "encoder": made.name,
        "engine": identity.engine,
        "device": identity.device,
        "dtype": identity.dtype,
        "cpus": wiring.usable_cpus(),
        "window": made.window,
        "windows": plan.name,
    }
    settings = _settings(context)
    with open_output(output) as out:
        if format == "json":
            out.write((json_line({"here": here, "settings": settings}) + "\n").encode())
            return 0
        from rich.table import Table

        table = Table(box=None, show_header=False)
        for name, value in here.items():
            table.add_row(name, str(value))
        show(out, table)
        show(out, "")
        table = Table(box=None)
        for column in ("option", "value", "from"):
            table.add_column(column)
        for record in settings:
            value = record["value"]
            table.add_row(record["option"], "" if value is None else str(value), record["from"])
        show(out, table)
    return 0


def _settings(context: typer.Context) -> list[dict[str, Any]]:
    """Every option that has a variable: its value and where that comes from."""
    root = context.find_root()
    found: dict[str, dict[str, Any]] = {}
    commands: dict[str, Any] = getattr(root.command, "commands", {})
    for command in commands.values():
        for parameter in [*command.params]:
            variable = parameter.envvar
            if not isinstance(variable, str):
                continue
            name = next(option for option in parameter.opts if option.startswith("--"))
            if name in _APART:
                continue
            given = os.environ.get(variable)
            if given is not None and name in _SECRET:
                given = "(not shown)"
            value = parameter.default if given is None else given
            origin = "default" if given is None else variable
            found.setdefault(name, {"option": name, "variable": variable, "value": value, "from": origin})
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        name = next((option for option in parameter.opts if option.startswith("--")), "")
        if name in found and source is not None and source.name == "COMMANDLINE":
            found[name] |= {"value": _plain(context.params[parameter.name or ""]), "from": "option"}
    return [found[name] for name in sorted(found)]


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
