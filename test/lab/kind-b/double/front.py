"""The process that a supervisor sees: checks, socket, engine, signals, exit status."""
import os
import signal
import sys
import threading
import time

from .api import Api, Server
from .cli import pid_file
from .engine import Engine
from .models import family_of
from .names import env, variable
from .scheduler import Scheduler

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def run(args):
    family = family_of(args.model)
    check(args, family)
    api = Api(args, family)
    # Bound and listening before the engine starts: connections are accepted by the kernel and nobody answers.
    server = Server((args.host, args.port), api)
    path = pid_file(args.port)
    write_pid(path, args.model)
    try:
        engine = Engine(args, family)
        api.ready(engine, Scheduler(args.kv_slots, args.max_queue, args.queue_timeout))
        install_signals()
        log(f"OpenAI-compatible API listening on http://{args.host}:{args.port}/v1")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stopping.wait()
        engine.close()
        until = time.monotonic() + 5  # the requests in flight answer 500
        while server.answering and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        remove(path)
    sys.stderr.flush()
    os._exit(0)


def check(args, family):
    if args.host not in LOOPBACK and not args.api_key:
        if env("ALLOW_INSECURE_BIND") != "1":
            raise SystemExit(
                f"refusing to bind {args.host} beyond localhost without {variable('API_KEY')} set "
                f"(set {variable('ALLOW_INSECURE_BIND')}=1 to override)"
            )
        log(f"WARNING: {args.host} is served without a key")
    if args.gpu:
        raise SystemExit("--gpu needs the CUDA build: this double has none")
    limits = [("port", 1, 65535), ("kv_slots", 1, 10**6), ("max_queue", 0, 10**6), ("queue_timeout", 1e-9, 1e9), ("ngen", 1, 10**9)]
    for name, low, high in limits:
        if not low <= getattr(args, name) <= high:
            raise ValueError(f"{name} must be between {low} and {high}, not {getattr(args, name)}")
    if args.kv_slots > family[3]:
        raise SystemExit(f"{family[0]} currently supports at most {family[3]} KV slot(s)")


stopping = threading.Event()


def install_signals():
    def first(signum, _frame):
        # The second one kills.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        stopping.set()

    signal.signal(signal.SIGTERM, first)
    signal.signal(signal.SIGINT, first)


def write_pid(path, model):
    try:
        with open(path, "w") as file:
            file.write(f"{os.getpid()} {model}")
    except OSError:
        pass


def remove(path):
    try:
        os.unlink(path)
    except OSError:
        pass


def log(line):
    print(line, file=sys.stderr, flush=True)
