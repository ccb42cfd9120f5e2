"""The front's end of the pipe to the engine process."""
import json
import os
import queue
import subprocess
import sys
import threading

from .knobs import PROGRAM_DIR
from .names import variable

GRACE_SECONDS = 5


class EngineError(Exception):
    """The engine did not do what it was asked; the client gets a 500."""


class Engine:
    def __init__(self, args, family):
        self._waiting = {}
        self._lock = threading.Lock()
        self._alive = True
        self._next = 0
        binary = os.environ.get(variable("ENGINE"), "")
        if binary and not os.path.exists(binary):
            raise SystemExit("colibri engine is not built. Run: make -C c colibri")
        self.process = subprocess.Popen(
            [os.path.join(PROGRAM_DIR, "colibri"), "0"],
            # The real one executes itself once more, hence its name in the process table.
            executable="/proc/self/exe",
            cwd=os.path.join(PROGRAM_DIR, "double", "engine"),
            env=environment(args, family),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.info = self._until_ready()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _until_ready(self):
        line = self.process.stdout.readline()
        if not line.startswith("READY "):
            self.process.wait()
            raise RuntimeError("colibri engine exited unexpectedly")
        return json.loads(line[len("READY ") :])

    def submit(self, prompt, max_tokens, slot):
        """A queue of events: {"token"}, {"done"}, or None when the engine is gone."""
        events = queue.Queue()
        with self._lock:
            if not self._alive:
                self.process.poll()  # only now is a dead child reaped
                raise EngineError("colibri engine dispatcher stopped")
            self._next += 1
            self._waiting[self._next] = events
            self._send({"id": self._next, "prompt": prompt, "max_tokens": max_tokens, "slot": slot})
            return self._next, events

    def cancel(self, number):
        with self._lock:
            if number in self._waiting:
                self._send({"cancel": number})

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
        except OSError:
            raise EngineError("colibri engine dispatcher stopped") from None

    def _dispatch(self):
        for line in self.process.stdout:
            event = json.loads(line)
            with self._lock:
                events = self._waiting.get(event["id"])
                if event.get("done"):
                    self._waiting.pop(event["id"], None)
            if events:
                events.put(event)
        with self._lock:
            self._alive = False
            for events in self._waiting.values():
                events.put(None)

    def close(self):
        self.process.terminate()
        for last_resort in (self.process.kill, lambda: None):
            try:
                self.process.wait(GRACE_SECONDS)
                return
            except subprocess.TimeoutExpired:
                last_resort()


def environment(args, family):
    """All of the front's own, the key included; flags win, and 0 means `not given`."""
    given = {
        "SNAP": args.model,
        "SERVE": "1",
        "SERVE_BATCH": "1",
        "NGEN": str(args.ngen),
        "KV_SLOTS": str(args.kv_slots),
        "KINDB_CTX_NAME": family[2],
        # The interpreter finds its library by argv[0], which is the engine's name here.
        "PYTHONHOME": sys.base_prefix,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if args.ram:
        given["RAM_GB"] = str(args.ram)
    if args.ctx:
        given[family[2]] = str(args.ctx)
    return {**os.environ, **given}
