"""A small client of WHEP, independent of the example's player; each call blocks."""
import dataclasses
import urllib.error
import urllib.parse
import urllib.request

OFFER, FRAGMENT = "application/sdp", "application/trickle-ice-sdpfrag"


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a request was answered with, a refusal or not."""

    status: int
    headers: object
    text: str

    def require(self, *statuses):
        if self.status not in statuses:
            raise AssertionError(f"{self.status} instead of {statuses}: {self.text}")
        return self


def send(method, url, body=None, **headers):
    """Names of `headers` have underscores for hyphens; a body that yields is sent in chunks."""
    data = body.encode() if isinstance(body, str) else body
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=data, headers=fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return Answer(answer.status, answer.headers, answer.read().decode())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read().decode(errors="replace"))


class View:
    """A device viewed by a link, or by an account's token."""

    def __init__(self, link, offer, token=None):
        self._fields = {"Authorization": f"Bearer {token}"} if token else {}
        answer = send("POST", link, offer, Content_Type=OFFER, **self._fields).require(201)
        self.answer, self.tag = answer.text, answer.headers["ETag"]
        self.url = urllib.parse.urljoin(link, answer.headers["Location"])
        self.servers = answer.headers.get_all("Link") or []

    def trickle(self, candidates, fragment="", mid="0"):
        """Sends candidates; `fragment` is the user name fragment that they belong to."""
        lines = [f"a=ice-ufrag:{fragment}"] if fragment else []
        lines += ["m=audio 9 RTP/AVP 0", f"a=mid:{mid}", *(f"a={one}" for one in candidates), "a=end-of-candidates", ""]
        return self.patch("\r\n".join(lines), self.tag)

    def patch(self, text, tag):
        fields = {**self._fields, **({"If_Match": tag} if tag else {})}
        return send("PATCH", self.url, text, Content_Type=FRAGMENT, **fields)

    def end(self):
        return send("DELETE", self.url, **self._fields)


def fragment_of(offer):
    """The user name fragment of a description."""
    return next(line.split(":", 1)[1] for line in offer.splitlines() if line.startswith("a=ice-ufrag:"))
