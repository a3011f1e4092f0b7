"""Groups of options in the signature of a command."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from vchunk.cli.option_groups import Only, Without, with_groups


@dataclass(frozen=True)
class Size:
    """Options of a group."""

    height: Annotated[int, typer.Option("--height", help="How high.", envvar="TEST_HEIGHT")]
    width: Annotated[int | None, typer.Option("-w", "--width", help="How wide.")] = None
    deep: Annotated[bool, typer.Option("--deep", help="In three dimensions.")] = False


@dataclass(frozen=True)
class Names:
    """Options of another group, one of which is called as the parameter of the first."""

    size: Annotated[list[str] | None, typer.Option("--size", help="Its names.")] = None


def draw(
    context: typer.Context,
    *,
    what: Annotated[str, typer.Argument(help="What to draw.")] = "box",
    size: Size,
    fill: Annotated[bool, typer.Option("--fill")] = False,
    names: Names,
) -> int:
    """Draw it."""
    source = context.get_parameter_source("height")
    print(what, size, fill, names.size, source and source.name)
    return 0


def run(*arguments: str, env: dict[str, str] | None = None):
    app = typer.Typer()
    app.command()(with_groups(draw))
    return CliRunner().invoke(app, arguments, env=env)


def test_options_stand_where_the_group_stands() -> None:
    signature = inspect.signature(with_groups(draw))
    assert list(signature.parameters) == ["context", "what", "height", "width", "deep", "fill", "size"]
    assert signature.parameters["height"].default is inspect.Parameter.empty
    assert signature.parameters["deep"].default is False
    assert with_groups(draw).__doc__ == "Draw it."


@pytest.mark.parametrize(
    ("arguments", "env", "printed"),
    [
        (
            ["--height", "2"],
            {},
            "box Size(height=2, width=None, deep=False) False None COMMANDLINE",
        ),
        (
            ["ball", "-w", "3", "--deep", "--fill", "--size", "a", "--size", "b"],
            {"TEST_HEIGHT": "1"},
            "ball Size(height=1, width=3, deep=True) True ['a', 'b'] ENVIRONMENT",
        ),
        (
            ["--height", "2"],
            {"TEST_HEIGHT": "1"},
            "box Size(height=2, width=None, deep=False) False None COMMANDLINE",
        ),
    ],
)
def test_a_command_gets_its_groups(arguments: list[str], env: dict[str, str], printed: str) -> None:
    done = run(*arguments, env=env)
    assert (done.exit_code, done.stdout) == (0, printed + "\n")


def test_an_option_of_a_group_without_a_default_is_required() -> None:
    assert run().exit_code == 2


def test_a_command_may_have_a_part_of_a_group() -> None:
    @with_groups
    def flat(*, size: Annotated[Size, Without("deep", "width")]) -> Size:
        return size

    @with_groups
    def high(*, size: Annotated[Size, Only("height", "deep")]) -> Size:
        return size

    assert list(inspect.signature(flat).parameters) == ["height"]
    assert flat(height=3) == Size(3)
    assert list(inspect.signature(high).parameters) == ["height", "deep"]
    assert high(height=3, deep=True) == Size(3, deep=True)


@pytest.mark.parametrize("choice", [Without("deep", "colour"), Only("colour")])
def test_an_option_that_a_group_has_not_is_a_fault(choice: Without) -> None:
    def command(*, size: Size) -> None: ...

    command.__annotations__["size"] = Annotated[Size, choice]
    with pytest.raises(TypeError, match="Size has no option colour"):
        with_groups(command)


def test_two_options_of_one_name_are_a_fault() -> None:
    def command(*, width: Annotated[int, typer.Option()] = 1, size: Size) -> None: ...

    with pytest.raises(TypeError, match="more than one option width"):
        with_groups(command)
