"""Prints what a pyproject.toml needs to run, one line each: for a layer that is built before it."""

import sys
import tomllib

with open(sys.argv[1], "rb") as file:
    print("\n".join(tomllib.load(file)["project"]["dependencies"]))
