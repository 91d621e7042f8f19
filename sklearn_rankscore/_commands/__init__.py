"""The commands of the command line, which `__main__` calls."""
