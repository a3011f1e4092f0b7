"""Sources that are embedded in order, some of them before their turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vchunk.doc import Doc
from vchunk.domain.pipeline import Coming
from vchunk.wiring import one_blas_thread

if TYPE_CHECKING:
    from vchunk.session import Session


@dataclass(frozen=True, slots=True)
class ComingDoc:
    """A source whose turn it is in `Session.embed_all`."""

    session: Session
    coming: Coming

    def result(self) -> Doc:
        """Wait for the document; to be called once, before the next one's turn.

        Raises
        ------
        VchunkError
            What is wrong with this source.
        """
        with one_blas_thread():
            done = self.coming.result(self.session.progress, self.session.warn)
        return self.session.embedded(done.document, done.report)
