"""The HTTP face: who may ask, what is public, and in which order a request is judged."""
import hmac
import json
import select
import socket
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from . import chat, errors
from .names import env, variable

BODY_LIMIT = 4194304
LOCAL_NAMES = {"127.0.0.1", "localhost", "::1", ""}


class Api:
    """What all connections share."""

    def __init__(self, args, family):
        self.args = args
        self.model_id = args.model_id or family[1]
        self.started = int(time.time())
        allowed = [*args.allowed_host, *filter(None, env("ALLOWED_HOSTS").split(","))]
        self.hosts = LOCAL_NAMES | {args.host.lower()} | {name.strip().lower() for name in allowed}
        if "*" in self.hosts:
            print("WARNING: requests for any Host are accepted", file=sys.stderr, flush=True)
        self.engine = self.scheduler = None

    def ready(self, engine, scheduler):
        self.engine, self.scheduler = engine, scheduler

    def model(self):
        return {"id": self.model_id, "object": "model", "created": self.started, "owned_by": "colibri"}

    def health(self):
        return {"status": "ok", "scheduler": self.scheduler.snapshot(), "kv_slots": self.args.kv_slots, **self.engine.info}


class Server(ThreadingHTTPServer):
    request_queue_size = 5
    daemon_threads = True

    def __init__(self, address, api):
        self.api = api
        self._lock = threading.Lock()
        self._peers = {}
        self.answering = set()
        self._total = int(env("MAX_CONNECTIONS", "64"))
        self._per_address = int(env("MAX_CONNECTIONS_PER_IP", "8"))
        super().__init__(address, Handler)

    def verify_request(self, request, client_address):
        with self._lock:
            here = self._peers.get(client_address[0], 0)
            if here >= self._per_address or sum(self._peers.values()) >= self._total:
                print(f"[api] {client_address[0]} refused: per-address cap {self._per_address}", file=sys.stderr, flush=True)
                return False
            self._peers[client_address[0]] = here + 1
            return True

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._peers[client_address[0]] -= 1


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "colibri"
    timeout = float(env("READ_DEADLINE", "30"))

    @property
    def api(self):
        return self.server.api

    def do_GET(self):
        self._answer(self._get)

    def do_POST(self):
        self._answer(self._post)

    def do_OPTIONS(self):
        self._answer(lambda: self.send_json(204, None))

    def _answer(self, handle):
        self.server.answering.add(self)
        try:
            self._check_host()
            handle()
        except errors.ApiError as error:
            shape = {"type": "error", "error": {k: error.body[k] for k in ("type", "message")}}
            anthropic = self.path.startswith("/v1/messages")
            self.send_json(error.status, shape if anthropic else {"error": error.body})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.server.answering.discard(self)

    def _get(self):
        path, authorized = urlsplit(self.path).path, self._authorized()
        if path == "/health":
            return self.send_json(200, self.api.health() if authorized else {"status": "ok"})
        if path in ("/experts", "/profile"):
            return self.send_json(200, {})
        if not authorized:
            raise errors.unauthorized()
        if path == "/v1/models":
            return self.send_json(200, {"object": "list", "data": [self.api.model()]})
        if path.startswith("/v1/models/"):
            name = unquote(path[len("/v1/models/") :])
            if name == self.api.model_id:
                return self.send_json(200, self.api.model())
        raise errors.not_found()

    def _post(self):
        if not self._authorized():
            self.close_connection = True
            raise errors.unauthorized()
        body = self._body()
        if body.get("model") != self.api.model_id:
            raise errors.no_such_model(body.get("model"))
        path = urlsplit(self.path).path
        if path not in chat.PATHS:
            raise errors.not_found()
        chat.complete(self, path, body)

    def _body(self):
        size = self.headers.get("Content-Length", "")
        if not size.isdigit() or not 1 <= int(size) <= BODY_LIMIT:
            self.close_connection = True
            raise errors.bad_request(f"The body must have 1 to {BODY_LIMIT} bytes.")
        try:
            body = json.loads(self.rfile.read(int(size)))
        except ValueError:
            raise errors.bad_request("The body is not valid JSON.") from None
        if not isinstance(body, dict):
            raise errors.bad_request("The body must be a JSON object.")
        return body

    def _authorized(self):
        key = self.api.args.api_key
        if not key:
            return True
        header = self.headers.get("Authorization", "")
        sent = header[len("Bearer ") :] if header.startswith("Bearer ") else self.headers.get("x-api-key", "")
        # A key that is not ASCII raises here: that connection ends without an answer, as with the real one.
        return hmac.compare_digest(sent, key)

    def _check_host(self):
        host = self.headers.get("Host", "").strip()
        bare = host[1 : host.index("]")] if host.startswith("[") and "]" in host else host
        if bare.count(":") == 1:
            bare = bare.split(":")[0]
        if bare.lower() not in self.api.hosts and "*" not in self.api.hosts:
            self.close_connection = True
            raise errors.host_refused(bare, variable("ALLOWED_HOSTS"))

    def client_left(self):
        readable, _, _ = select.select([self.connection], [], [], 0)
        try:
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def send_json(self, status, body, **headers):
        content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("x-request-id", uuid.uuid4().hex)
        if status == 429:
            self.send_header("Retry-After", "1")
        if self.close_connection:
            self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        print(f"[api] {self.client_address[0]} - {format % args}", file=sys.stderr, flush=True)
