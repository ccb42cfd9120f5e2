"""Who may use the engine now: a fixed number of slots, a short queue, and the counts that /health shows."""
import threading
import time


class Busy(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.message = message
        self.code = code


class Left(Exception):
    """The client went away while it was waiting."""


class Scheduler:
    def __init__(self, capacity, max_queue, queue_timeout):
        self._changed = threading.Condition()
        self.capacity, self.max_queue, self.queue_timeout = capacity, max_queue, queue_timeout
        self._queue = []
        self.counts = dict.fromkeys(["active", "admitted", "completed", "rejected", "timed_out", "cancelled"], 0)

    def admit(self, client_left):
        """Waits for a slot and returns the milliseconds that took."""
        started, ticket = time.monotonic(), object()
        with self._changed:
            if len(self._queue) >= self.max_queue and not self._free():
                self.counts["rejected"] += 1
                raise Busy("The inference queue is full.", "queue_full")
            self._queue.append(ticket)
            try:
                self._wait_turn(ticket, started, client_left)
            finally:
                self._queue.remove(ticket)
            self.counts["active"] += 1
            self.counts["admitted"] += 1
        return int((time.monotonic() - started) * 1000)

    def _wait_turn(self, ticket, started, client_left):
        while self._queue[0] is not ticket or self.counts["active"] >= self.capacity:
            if time.monotonic() - started > self.queue_timeout:
                self.counts["timed_out"] += 1
                raise Busy("Timed out waiting for the inference engine.", "queue_timeout")
            if client_left():
                self.counts["cancelled"] += 1
                raise Left
            self._changed.wait(0.05)

    def _free(self):
        return self.counts["active"] < self.capacity and not self._queue

    def release(self, completed, cancelled=False):
        with self._changed:
            self.counts["active"] -= 1
            self.counts["completed"] += 1 if completed else 0
            self.counts["cancelled"] += 1 if cancelled else 0
            self._changed.notify_all()

    def snapshot(self):
        with self._changed:
            counts = self.counts
            return {
                "active": counts["active"],
                "queued": len(self._queue),
                "capacity": self.capacity,
                "max_queue": self.max_queue,
                "queue_timeout_seconds": self.queue_timeout,
                **{name: counts[name] for name in ["admitted", "completed", "rejected", "timed_out", "cancelled"]},
            }
