"""The brand's place in names: the spec writes SRV where the real program has its own prefix."""
import os

PREFIX = "SRV"
LOWER = PREFIX.lower()
VERSION = "1.7.0"
PROGRAM = "coli"


def variable(name):
    return f"{PREFIX}_{name}"


def env(name, default=""):
    return os.environ.get(variable(name), default)
