"""The errors that a client sees."""


class ApiError(Exception):
    def __init__(self, status, message, kind="invalid_request_error", param=None, code=None):
        super().__init__(message)
        self.status = status
        self.body = {"message": message, "type": kind, "param": param, "code": code}


def unauthorized():
    return ApiError(401, "Invalid or missing API key.", "authentication_error", code="invalid_api_key")


def not_found():
    return ApiError(404, "Not found.", code="not_found")


def no_such_model(name):
    return ApiError(404, f"The model `{name}` does not exist.", param="model", code="model_not_found")


def host_refused(host, variable):
    message = (
        f"Host header '{host}' not allowed. Add it with --allowed-host {host} (or {variable}), "
        "or --allowed-host '*' to accept any host when the bind is already public."
    )
    return ApiError(403, message, code="forbidden")


def bad_request(message, param=None):
    return ApiError(400, message, param=param, code="invalid_value" if param else "invalid_body")


def too_long(limit, tokens):
    message = (
        f"This model's maximum context length is {limit} tokens, however your messages resulted in at least {tokens} tokens. "
        "Please shorten the conversation, or restart the server with a larger CTX."
    )
    return ApiError(400, message, param="messages", code="context_length_exceeded")


def engine_failed():
    return ApiError(500, "The colibri engine failed to process the request.", "server_error", code="engine_error")


def busy(error):
    return ApiError(429, error.message, "rate_limit_error", code=error.code)
