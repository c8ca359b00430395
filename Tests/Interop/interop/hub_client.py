"""A small client of the hub's HTTP API, independent of the page and of the device."""
import asyncio
import json
import threading
import urllib.error
import urllib.request


class Refused(Exception):
    """The hub answered with a problem document."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('type')}: {problem.get('detail') or problem.get('title')}")
        self.status = status
        self.type = problem.get("type")


class HubClient:
    """Requests with a bearer token; each call blocks."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self.token = None
        self.user_id = None

    def login(self, title, password):
        answer = self.request("POST", "/v1/login", {"userTitle": title, "password": password})
        self.token, self.user_id = answer["accessToken"], answer["userID"]
        return answer

    def find(self, title):
        """The user id of somebody online, or None."""
        found = [user for user in self.request("GET", "/v1/users")["items"] if user["userTitle"] == title]
        return found[0]["userID"] if found else None

    def request(self, method, path, body=None):
        with self._open(method, path, body, timeout=15) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def fetch(self, path, begin=None, length=None):
        """The bytes behind a path, or `length` of them."""
        headers = {} if begin is None else {"Range": f"bytes={begin}-{begin + length - 1}"}
        with self._open("GET", path, None, timeout=30, headers=headers) as answer:
            return answer.read()

    def events(self):
        """The event stream as a response that is read line by line."""
        return self._open("GET", "/v1/events", None, timeout=120, headers={"Accept": "text/event-stream"})

    def _open(self, method, path, body, timeout, headers=None):
        headers = dict(headers or {})
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            raise Refused(error.code, _problem(error)) from None


class EventQueue:
    """The hub's events, read on a thread of their own, for one asyncio loop."""

    def __init__(self, client):
        self._queue = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._client = client
        threading.Thread(target=self._read, daemon=True).start()

    async def next(self, *names, session=None, limit=15.0):
        """The payload of the next event with one of these names (and of this session); others are passed over."""
        async with asyncio.timeout(limit):
            while True:
                name, payload = await self._queue.get()
                if isinstance(payload, Exception):
                    raise payload
                if name in names and session in (None, payload.get("sessionID")):
                    return name, payload

    def _read(self):
        try:
            with self._client.events() as stream:
                for name, payload in parse_events(stream):
                    self._put(name, payload)
            raise ConnectionError("the event stream ended")
        except Exception as error:
            self._put("error", error)

    def _put(self, name, payload):
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, (name, payload))
        except RuntimeError:
            # The loop is closed: nobody waits any more.
            return


def parse_events(lines):
    """Yields `(name, payload)` from the lines of an event stream."""
    name, data = "message", []
    for line in lines:
        text = line.decode().rstrip("\r\n")
        if text.startswith("event:"):
            name = text[6:].strip()
        elif text.startswith("data:"):
            data.append(text[5:].removeprefix(" "))
        elif not text:
            if data:
                yield name, json.loads("\n".join(data))
            name, data = "message", []


def _problem(error):
    try:
        return json.loads(error.read())
    except ValueError:
        return {"title": error.reason}
