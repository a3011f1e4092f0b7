"""Groups of options: a command names a group once and has every option of it.

A group is a dataclass whose fields are options, ``Annotated`` as typer wants its parameters, with their
defaults. A command is decorated with `with_groups`, and takes a group as a parameter by its name alone::

    @with_groups
    def command(*, refs: Refs = None, cuts: Annotated[Cuts, Without("no_trim")], common: Common) -> int: ...

Typer then sees the options in place of the group; the command gets the group with their values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


class Without:
    """Says beside a group which of its options a command does not have: they keep their defaults."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def choose(self, names: list[str]) -> list[str]:
        """The options that the command has, of all."""
        return [name for name in names if name not in self.names]


class Only(Without):
    """Says beside a group which of its options alone a command has."""

    def choose(self, names: list[str]) -> list[str]:
        """The options that the command has, of all."""
        return [name for name in names if name in self.names]


def with_groups(command: Callable[..., T]) -> Callable[..., T]:
    """A command whose signature has the options of its groups in the groups' places.

    It is called by keywords, as typer does, and hands the command each group made of its options.

    Raises
    ------
    TypeError
        If two options have one name, or a group lacks an option that `Without` or `Only` names.
    """
    groups: dict[str, tuple[type, list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for parameter in inspect.signature(command).parameters.values():
        group, chosen = _group_of(hints[parameter.name])
        if group is None:
            parameters.append(_keyword(parameter.name, hints[parameter.name], parameter.default))
        else:
            groups[parameter.name] = group, [field.name for field in chosen]
            options = get_type_hints(group, include_extras=True)
            parameters += [_keyword(field.name, options[field.name], _default(field)) for field in chosen]
    names = [parameter.name for parameter in parameters]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TypeError(f"{command.__qualname__}: more than one option {', '.join(twice)}")

    @wraps(command)
    def collected(**given: Any) -> T:
        made = {name: group(**{o: given.pop(o) for o in options}) for name, (group, options) in groups.items()}
        return command(**given, **made)

    collected.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    collected.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return collected


def _group_of(hint: Any) -> tuple[type, list[Field[Any]]] | tuple[None, list[Field[Any]]]:
    """The group that a parameter is, and those of its fields that the command has; None if it is none."""
    group, *said = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if not (isinstance(group, type) and is_dataclass(group)):
        return None, []
    every = {field.name: field for field in fields(group)}
    chosen = list(every)
    for choice in (one for one in said if isinstance(one, Without)):
        if unknown := [name for name in choice.names if name not in every]:
            raise TypeError(f"{group.__name__} has no option {', '.join(unknown)}")
        chosen = choice.choose(chosen)
    return group, [every[name] for name in chosen]


def _keyword(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
