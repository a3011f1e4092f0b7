"""The command line: one module a command. They parse, call the library and print; no logic."""
