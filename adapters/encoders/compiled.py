"""A torch module that ``torch.compile`` made faster: kernels fused for this machine, whatever the batch."""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vchunk.domain.errors import ModelError

_LOGGERS = ("torch._dynamo", "torch._inductor", "torch._functorch", "torch.utils.cpp_extension")


class CompiledModule:
    """Runs a transformers model as ``torch.compile`` compiled it at the first batch.

    Sizes are dynamic: one code serves all batches, another one batches of a single window. The model must
    be one graph: were it compiled in parts, a part that is compiled too often would go uncompiled from then
    on, and bits would depend on which batches came first.

    Parameters
    ----------
    module : torch.nn.Module
        On its device, ready to run.
    name : str
        What the model is called in errors.
    """

    def __init__(self, module: Any, name: str) -> None:
        self.device = module.device
        self._module = module
        self._name = name
        self._run: Any = None
        self._known: set[tuple[bool, bool, int]] = set()

    def __call__(self, *, input_ids: Any, attention_mask: Any) -> Any:
        """What the module gives.

        Raises
        ------
        ModelError
            If it cannot be compiled here.
        """
        rows, length = input_ids.shape
        # What decides whether code fits: one size may be taken for another where they are equal at first.
        shape = rows > 1, rows == length, length
        if shape in self._known:
            with _TURNS.together():
                return self._run(input_ids=input_ids, attention_mask=attention_mask)
        with _TURNS.alone():
            output = self._compile(input_ids, attention_mask)
            self._known.add(shape)
            return output

    def _compile(self, ids: Any, mask: Any) -> Any:
        """Run a batch of a shape that is new, which may have to be compiled for it."""
        import torch

        # Batches share a few kernels, so processes that compile beside this one would cost more than they save.
        options: dict[str, Any] | None = {"compile_threads": 1} if self.device.type == "cpu" else None
        try:
            with _quiet():
                if self._run is None:
                    self._run = torch.compile(self._module, dynamic=True, fullgraph=True, options=options)
                return self._run(input_ids=ids, attention_mask=mask)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # of torch's three compilers, and of the one for C++
            raise ModelError(
                f"{self._name}: torch.compile fails ({_reason(error)}); leave --compile out"
            ) from error


class _Turns:
    """Lets calls run together, or one alone.

    While torch traces a model, compiled ones cannot run in any thread: a flag of the whole process refuses them.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._alone = False
        self._waiting = 0  # to run alone; who runs with others lets them go first

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run beside others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone and not self._waiting)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run while nobody else does."""
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: not self._alone and not self._running)
            finally:
                self._waiting -= 1
            self._alone = True
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()


_TURNS = _Turns()


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings and notes of torch's compilers, unless the user wants them (``TORCH_LOGS``)."""
    loggers = [] if os.environ.get("TORCH_LOGS") else [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _reason(error: Exception) -> str:
    """What is wrong, as one short line: what torch says, and the first error of a compiler that it called."""
    inner = getattr(error, "inner_exception", None) or error
    lines = [" ".join(line.split()) for line in str(inner).splitlines() if line.strip()]
    called = next((line for line in lines[1:] if "error:" in line), "")
    return ": ".join(part[:160] for part in (*lines[:1], called) if part) or type(inner).__name__
