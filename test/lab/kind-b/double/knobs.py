"""How a test makes the double slow, broken or old: knobs.json beside the program, or KINDB_<NAME> in the environment."""
import os

PROGRAM_DIR = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

DEFAULTS = {
    "spec_flags": False,  # `serve` knows --no-browser, as the spec has it
    "without_flags": "",  # flags that an older version does not know, separated by commas
    "load_seconds": 0.2,
    "load_exit": -1,  # the engine ends with this status instead of becoming ready
    "first_seconds": 0.0,  # the first generation after a start: cold
    "token_seconds": 0.0,
    "answer_tokens": 16,  # where an answer ends by itself
    "ignore_term": False,  # the engine does not listen to SIGTERM
    "smallest_plan_gb": 0.0,  # the engine refuses to start where less memory is available
}


def knobs():
    """Reads the file anew each time, so that a running double can be changed."""
    try:
        with open(os.path.join(PROGRAM_DIR, "knobs.json")) as file:
            import json  # most starts have no such file

            values = {**DEFAULTS, **json.load(file)}
    except FileNotFoundError:
        values = dict(DEFAULTS)
    for name, default in DEFAULTS.items():
        text = os.environ.get("KINDB_" + name.upper())
        if text is not None:
            values[name] = text in ("1", "true") if isinstance(default, bool) else type(default)(text)
    return values
