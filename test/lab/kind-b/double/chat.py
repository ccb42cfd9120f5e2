"""One generation: from the request's parameters to the answer, whole or as a stream."""
import json
import queue
import sys
import time
import uuid

from . import errors
from .engine import EngineError
from .scheduler import Busy, Left

PATHS = ("/v1/chat/completions", "/v1/completions", "/v1/messages")
KEEP_ALIVE_SECONDS = 10


def complete(handler, path, body):
    prompt, max_tokens, slot = parameters(handler.api, path, body)
    scheduler = handler.api.scheduler
    try:
        waited = scheduler.admit(handler.client_left)
    except Busy as error:
        raise errors.busy(error) from None
    except Left:
        handler.close_connection = True
        return
    completed = cancelled = False
    try:
        events = Events(handler, prompt, max_tokens, slot)
        reply = stream if body.get("stream") else whole
        completed = reply(handler, path, events, waited)
        cancelled = not completed
    except EngineError as error:
        print(f"request failed: {error}", file=sys.stderr, flush=True)
        raise errors.engine_failed() from None
    finally:
        scheduler.release(completed, cancelled)


def parameters(api, path, body):
    if path == "/v1/completions":
        prompt = body.get("prompt")
        if not isinstance(prompt, str):
            raise errors.bad_request("prompt must be a string.", "prompt")
    else:
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
            raise errors.bad_request("messages must be a non-empty list.", "messages")
        prompt = "".join(str(one.get("content", "")) for one in messages)
    max_tokens, slot = body.get("max_tokens", api.args.ngen), body.get("cache_slot", 0)
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 1:
        raise errors.bad_request("max_tokens must be a positive integer.", "max_tokens")
    if not isinstance(slot, int) or not 0 <= slot < api.args.kv_slots:
        raise errors.bad_request("cache_slot is out of range.", "cache_slot")
    return prompt, min(max_tokens, api.args.ngen), slot


class Events:
    """What the engine says of one request; a client that leaves cancels it."""

    def __init__(self, handler, prompt, max_tokens, slot):
        self._handler, self._engine = handler, handler.api.engine
        self._number, self._queue = self._engine.submit(prompt, max_tokens, slot)
        self._max_tokens = max_tokens
        first = self._next(lambda: None)
        if first is not None and "too_long" in first:
            raise errors.too_long(first["limit"], first["too_long"])

    def tokens(self, idle):
        """Yields the tokens, then the engine's last word; ends early, without one, when the client left."""
        while (event := self._next(idle)) is not None:
            yield event
            if event.get("done"):
                return

    def _next(self, idle):
        quiet_since = time.monotonic()
        while True:
            try:
                event = self._queue.get(timeout=0.05)
            except queue.Empty:
                if self._handler.client_left():
                    self._engine.cancel(self._number)
                    return None
                if time.monotonic() - quiet_since > KEEP_ALIVE_SECONDS:
                    quiet_since = time.monotonic()
                    idle()
                continue
            if event is None or "failed" in event:
                raise EngineError("colibri engine dispatcher stopped" if event is None else event["failed"])
            return event


def finish_reason(last):
    return "stop" if last["stopped"] else "length"


def whole(handler, path, events, waited):
    text, last = "", None
    for event in events.tokens(lambda: None):
        text += event.get("token", "")
        last = event if event.get("done") else None
    if last is None:
        handler.close_connection = True
        return False
    handler.send_json(200, document(handler.api, path, text, last), x_colibri_queue_wait_ms=str(waited))
    return True


def document(api, path, text, last):
    made, read = last["completion_tokens"], last["prompt_tokens"]
    if path == "/v1/messages":
        content = [{"type": "text", "text": text}]
        usage = {"input_tokens": read, "output_tokens": made}
        return {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": api.model_id, "content": content,
                "stop_reason": "max_tokens", "usage": usage}
    answer = {"text": text} if path == "/v1/completions" else {"message": {"role": "assistant", "content": text, "refusal": None}}
    chat = path != "/v1/completions"
    return {
        "id": ("chatcmpl-" if chat else "cmpl-") + uuid.uuid4().hex,
        "object": "chat.completion" if chat else "text_completion",
        "created": int(time.time()),
        "model": api.model_id,
        "choices": [{"index": 0, **answer, "logprobs": None, "finish_reason": finish_reason(last)}],
        "usage": {"prompt_tokens": read, "completion_tokens": made, "total_tokens": read + made},
    }


def stream(handler, _path, events, waited):
    """The status line is sent only now that the engine has accepted the request."""
    handler.close_connection = True
    handler.send_response(200)
    for name, value in [("Content-Type", "text/event-stream"), ("Connection", "close"), ("x-colibri-queue-wait-ms", str(waited))]:
        handler.send_header(name, value)
    handler.end_headers()
    number, created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        body = {"id": number, "object": "chat.completion.chunk", "created": created, "model": handler.api.model_id, "choices": [choice]}
        handler.wfile.write(b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\n")

    chunk({"role": "assistant"})
    try:
        for event in events.tokens(lambda: chunk({"reasoning_content": ""})):
            if event.get("done"):
                chunk({}, finish_reason(event))
                handler.wfile.write(b"data: [DONE]\n\n")
                return True
            chunk({"content": event["token"]})
    except EngineError as error:
        # Too late for a status: the stream just ends.
        print(f"request failed: {error}", file=sys.stderr, flush=True)
    return False
