"""The command ``vchunk``, also as ``python -m vchunk``."""

import os


def main() -> None:
    """Load the command line and run it; Ctrl-C ends it quietly from the start."""
    try:
        from vchunk.cli.app import main as run
    except KeyboardInterrupt:
        os._exit(130)  # what is half imported would be told of otherwise
    run()


if __name__ == "__main__":
    main()
