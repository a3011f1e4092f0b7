"""Every error that vchunk raises on purpose.

::

    VchunkError
    ├── UsageError        (also ValueError)   an argument that cannot be right; exit code 2
    ├── ReadError         (also ValueError)   a source that gives no document
    │   └── MissingSource     (also FileNotFoundError) no file of that name
    ├── ModelError        (also RuntimeError) an encoder, tokenizer or classifier that cannot be used
    ├── MissingExtra      (also ImportError)  an optional package that is not installed
    └── StoreError        (also OSError)      the artifact store
        ├── MissingArtifact   (also KeyError) no artifact of that name
        └── DamagedArtifact                   an artifact that is not what was written

Each message is one line that names the file or the option and the way out.
"""


class VchunkError(Exception):
    """Root of all errors that vchunk raises on purpose."""

    exit_code = 1


class UsageError(VchunkError, ValueError):
    """An argument that cannot be right, whatever the document."""

    exit_code = 2


class ReadError(VchunkError, ValueError):
    """A source that cannot be turned into a document."""


class MissingSource(ReadError, FileNotFoundError):
    """No file of that name."""


class ModelError(VchunkError, RuntimeError):
    """An encoder, tokenizer or classifier that cannot be found, loaded or used."""


class MissingExtra(VchunkError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'vchunk[{extra}]'")
        self.extra = extra


class StoreError(VchunkError, OSError):
    """The artifact store cannot be read or written."""


class MissingArtifact(StoreError, KeyError):
    """No artifact of that name is in the store."""

    def __str__(self) -> str:  # KeyError would quote the message
        return str(self.args[0]) if self.args else ""


class DamagedArtifact(StoreError):
    """An artifact whose bytes are not the bytes that were written."""
