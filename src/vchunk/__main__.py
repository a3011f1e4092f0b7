"""``python -m vchunk`` is the command ``vchunk``."""

from vchunk.cli.app import main

if __name__ == "__main__":
    main()
