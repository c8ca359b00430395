"""HTTP to the hub's nodes over asyncio: one connection a request, as behind a load balancer that has lost a node."""
import asyncio
import json


class Unreachable(Exception):
    """No answer came: whether the request took effect is unknown."""


async def request(port, token, method, path, body=None, limit=6.0):
    """Returns status and decoded body."""
    try:
        async with asyncio.timeout(limit):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(_head(port, token, method, path, body, "Connection: close\r\n"))
                return _parse(await reader.read())
            finally:
                writer.close()
    except (OSError, TimeoutError, EOFError, ValueError) as error:
        raise Unreachable(f"{type(error).__name__}: {error}") from None


async def events(port, token, last_event_id, silence):
    """Opens an event stream and yields `(id, name, payload)`; ends with the stream, or after so many seconds of silence."""
    more = f"Last-Event-ID: {last_event_id}\r\n" if last_event_id else ""
    try:
        async with asyncio.timeout(6):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, TimeoutError):
        return
    try:
        writer.write(_head(port, token, "GET", "/v1/events", None, more))
        if b" 200 " not in await asyncio.wait_for(reader.readline(), 6):
            return
        async for event in _parse_stream(reader, silence):
            yield event
    except (OSError, TimeoutError, EOFError, ValueError):
        return
    finally:
        writer.close()


async def _parse_stream(reader, silence):
    """The framing of chunks never cuts a line of the hub's, so lines that are no fields are passed over."""
    number, name = None, None
    while line := await asyncio.wait_for(reader.readline(), silence):
        field, _, value = line.decode().rstrip("\r\n").partition(": ")
        if field == "id":
            number = value
        elif field == "event":
            name = value
        elif field == "data":
            yield number, name, json.loads(value)


def _head(port, token, method, path, body, more):
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return ("\r\n".join(lines) + "\r\n" + more + "\r\n").encode() + content


def _parse(answer):
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        raise EOFError("the connection ended before an answer")
    return int(head.split()[1]), json.loads(body) if body.strip() else None
