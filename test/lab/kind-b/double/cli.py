"""Arguments: what is known, what ends with status 2, and what is a default from the environment."""
import argparse
import functools
import os
import signal
import sys
import time

from .knobs import knobs
from .names import LOWER, PROGRAM, VERSION, env

# Hosts are asked for --help more often than for anything else. Where a width is given, argparse does not import what finds out that of a
# terminal, which would take as long as all the rest.
HELP = functools.partial(argparse.HelpFormatter, width=78)

PLAIN = ["--repin", "--cap", "--topp", "--topk", "--temp", "--cluster-workers", "--cluster-coordinator", "--gpu", "--vram"]


def parser():
    top = argparse.ArgumentParser(prog=PROGRAM, formatter_class=HELP)
    top.add_argument("--version", action="version", version=f"colibri {VERSION}")
    # Known before the subcommand too, where its value is lost: the subcommand's own default overwrites it.
    top.add_argument("--model", default=env("MODEL"))
    commands = top.add_subparsers(dest="command")
    serving(commands.add_parser("serve", formatter_class=HELP), browser=knobs()["spec_flags"])
    serving(commands.add_parser("web", formatter_class=HELP), browser=True)
    commands.add_parser("stop", formatter_class=HELP).add_argument("--port", type=int, default=8000)
    return top


def serving(command, browser):
    unknown = set(filter(None, knobs()["without_flags"].split(",")))

    def flag(name, **options):
        if name not in unknown:
            command.add_argument(name, **options)

    flag("--model", default=env("MODEL"), help="model directory")
    flag("--ram", type=int, default=0, help="RAM budget in GB")
    flag("--ctx", type=int, default=0, help="context length in tokens")
    flag("--ngen", type=int, default=16384)
    flag("--policy", choices=["quality", "balanced", "experimental-fast"], default=env("POLICY", "quality"))
    flag("--auto-tier", action="store_true")
    flag("--no-tune-profile", action="store_true")
    for name in PLAIN:
        flag(name)
    flag("--host", default="127.0.0.1")
    flag("--port", type=int, default=8000)
    flag("--model-id", default=env("MODEL_ID"))
    flag("--api-key", default=env("API_KEY"))
    flag("--cors-origin", action="append", default=[])
    flag("--max-queue", type=int, default=int(env("MAX_QUEUE", "8")))
    flag("--queue-timeout", type=float, default=float(env("QUEUE_TIMEOUT", "300")))
    flag("--kv-slots", type=int, default=int(env("KV_SLOTS", "1")))
    flag("--allowed-host", action="append", default=[])
    if browser:
        flag("--no-browser", action="store_true")


def main(argv):
    top = parser()
    args = top.parse_args(argv)
    if args.command is None:
        top.print_help()
        return 0
    if args.command == "stop":
        return stop(args.port)
    if args.command == "web":
        print(f"dashboard: http://{args.host}:{args.port}/", flush=True)
    from .front import run

    return run(args)


def pid_file(port):
    import tempfile  # not needed for --help

    return os.path.join(tempfile.gettempdir(), f"{LOWER}-serve-{port}.pid")


def stop(port):
    """Status 0 also when nothing runs."""
    try:
        pid = int(open(pid_file(port)).read().split()[0])
        os.kill(pid, signal.SIGTERM)
        time.sleep(2)
        os.kill(pid, signal.SIGKILL)
    except (OSError, ValueError, IndexError):
        print(f"nothing more to stop on port {port}", file=sys.stderr)
    return 0
