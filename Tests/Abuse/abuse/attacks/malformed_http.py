"""Requests that no client of good will sends, and some that clients rightly send and servers forget."""
from abuse import addresses
from abuse.client import exchange

#: What is sent (`%H` is the right Host line), and which answers are right.
BAD = (400, 413, 431)
REQUESTS = [
    ("Transfer-Encoding: gzip", b"POST /v1/login HTTP/1.1\r\n%HTransfer-Encoding: gzip\r\n\r\n", (*BAD, 501)),
    ("Transfer-Encoding and Content-Length",
     b"POST /v1/login HTTP/1.1\r\n%HTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", BAD),
    ("two lengths", b"POST /v1/login HTTP/1.1\r\n%HContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", BAD),
    ("a negative length", b"POST /v1/login HTTP/1.1\r\n%HContent-Length: -1\r\n\r\n", BAD),
    ("a length beyond 64 bits", b"POST /v1/login HTTP/1.1\r\n%HContent-Length: 99999999999999999999\r\n\r\n", BAD),
    ("a chunk without a length", b"POST /v1/login HTTP/1.1\r\n%HTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n", BAD),
    ("a chunk beyond 64 bits",
     b"POST /v1/login HTTP/1.1\r\n%HTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n", BAD),
    ("two Host lines", b"GET /healthz HTTP/1.1\r\n%HHost: elsewhere.example\r\n\r\n", BAD),
    ("two equal Host lines", b"GET /healthz HTTP/1.1\r\n%H%H\r\n", BAD),
    ("no Host line", b"GET /healthz HTTP/1.1\r\n\r\n", (*BAD, 403, 421)),
    ("a foreign Host", b"GET /healthz HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", (403, 421)),
    ("a foreign Origin", b"GET /v1/users HTTP/1.1\r\n%HOrigin: https://evil.example\r\n\r\n", (403,)),
    ("Origin: null", b"GET /v1/users HTTP/1.1\r\n%HOrigin: null\r\n\r\n", (403,)),
    ("a space before the colon", b"GET /healthz HTTP/1.1\r\n%HX-Test : 1\r\n\r\n", BAD),
    ("a line that goes on", b"GET /healthz HTTP/1.1\r\n%HX-Test: 1\r\n 2\r\n\r\n", (*BAD, 200)),
    ("a NUL in a field", b"GET /healthz HTTP/1.1\r\n%HX-Test: a\0b\r\n\r\n", BAD),
    ("100 fields", b"GET /healthz HTTP/1.1\r\n%H" + b"X-Test: 1\r\n" * 100 + b"\r\n", BAD),
    ("a field of 64 kB", b"GET /healthz HTTP/1.1\r\n%HX-Test: " + b"x" * 65_536 + b"\r\n\r\n", BAD),
    ("a target of 64 kB", b"GET /" + b"x" * 65_536 + b" HTTP/1.1\r\n%H\r\n", (*BAD, 404, 414)),
    ("HTTP/9.9", b"GET /healthz HTTP/9.9\r\n%H\r\n", (*BAD, 505)),
    ("no HTTP at all", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64, (*BAD, 0)),
    ("HEAD of health", b"HEAD /healthz HTTP/1.1\r\n%H\r\n", (200,)),
    ("HEAD of the page", b"HEAD / HTTP/1.1\r\n%H\r\n", (200,)),
    ("DELETE of a login without a token", b"DELETE /v1/login HTTP/1.1\r\n%H\r\n", (401,)),
    ("PUT of the login", b"PUT /v1/login HTTP/1.1\r\n%H\r\n", (405,)),
    ("GET of the login", b"GET /v1/login HTTP/1.1\r\n%H\r\n", (405,)),
    ("POST to health", b"POST /healthz HTTP/1.1\r\n%HContent-Length: 0\r\n\r\n", (405,)),
    ("an unknown method", b"BREW /healthz HTTP/1.1\r\n%H\r\n", (*BAD, 405, 501)),
    ("a path that climbs", b"GET /../../etc/passwd HTTP/1.1\r\n%H\r\n", (400, 404)),
    ("an encoded path that climbs", b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n%H\r\n", (400, 404)),
    ("an expectation that nobody knows",
     b"POST /v1/login HTTP/1.1\r\n%HExpect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}", (*BAD, 417)),
    ("a body of 65 kB", b"POST /v1/login HTTP/1.1\r\n%HContent-Length: 66000\r\n\r\n" + b" " * 66_000, (413,)),
    ("nested 10,000 deep",
     b"POST /v1/login HTTP/1.1\r\n%HContent-Length: 20000\r\n\r\n" + b"[" * 10_000 + b"]" * 10_000, BAD),
    ("an array for an object", b"POST /v1/login HTTP/1.1\r\n%HContent-Length: 2\r\n\r\n[]", BAD),
]


def attack(stage):
    for number, (what, request, right) in enumerate(REQUESTS):
        host = b"Host: 127.0.0.1:%d\r\n" % stage.port
        status, received = exchange(stage.port, addresses.strangers(60)[number], request.replace(b"%H", host), limit=3)
        stage.check(status in right, f"{what}: {status} rather than {' or '.join(map(str, right))}")
        stage.check(b"Dictionary<" not in received and b"Swift" not in received, f"{what}: {received[-200:]!r}")
    _continues(stage)
    stage.note(f"{len(REQUESTS) + 1} kinds of requests")


def _continues(stage):
    """Who asks before sending a body is told to go on, or at least what the outcome is (RFC 9110, section 10.1.1)."""
    host = b"Host: 127.0.0.1:%d\r\n" % stage.port
    request = b"POST /v1/login HTTP/1.1\r\n" + host + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    status, _ = exchange(stage.port, "127.67.9.1", request, limit=3)
    stage.check(status in (100, 400, 417), f"Expect: 100-continue is answered {status or 'by nothing'}")
