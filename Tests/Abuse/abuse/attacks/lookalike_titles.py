"""Somebody takes a title that looks like the device's, or like nothing (RFC 8265, RFC 8266)."""
from interop.world import DEVICE, OPERATOR

from abuse.client import Client

HUB_SETTINGS = {"anonymous_login": True}
HAS_CALL = False
#: What is the device's title to the eye.
TITLES = {
    "a zero-width space": "Front\u200b door",
    "a zero-width joiner": "Front\u200d door",
    "a soft hyphen": "Fro\u00adnt door",
    "a right-to-left override": "\u202eFront door",
    "an isolate": "\u2066Front door\u2069",
    "a byte-order mark": "\ufeffFront door",
    "a Cyrillic o": "Fr\u043ent door",
    "full-width letters": "\uff26\uff32\uff2f\uff2e\uff34 door",
    "a no-break space": "Front\u00a0door",
    "an ideographic space": "Front\u3000door",
    "two spaces": "Front  door",
    "other cases": "FRONT DOOR",
    "a tag character": "Front door\U000e0041",
    "a variation selector": "Front door\ufe0f",
    "a combining grapheme joiner": "Front\u034f door",
    "a Hangul filler": "\u3164",
    "a Braille blank": "\u2800",
    "a line separator": "Front\u2028door",
    "nothing": "",
    "a lone control": "\u0085",
}


def attack(stage):
    for number, (what, title) in enumerate(TITLES.items()):
        client = Client(stage.port, f"127.0.5.{number + 1}")
        answer = client.login(title)
        stage.check(not answer.is_success, f"an anonymous login takes a title with {what}")
        made = stage.world.account("add-user", "--title", title, "--password-file", "-", words="long enough a word\n")
        stage.check(made.returncode != 0, f"an account takes a title with {what}")
    _right_titles(stage)


def _right_titles(stage):
    """Other people's letters stay welcome, and a title may be written in either normal form."""
    for number, title in enumerate(("Zo\u00eb \u0141ukasz", "\u53f0\u6240", "\u0645\u062f\u062e\u0644", "O'Brien 2")):
        answer = Client(stage.port, f"127.0.5.{number + 100}").login(title)
        stage.check(answer.is_success, f"{title!r} is refused: {answer.problem}")
    answer = Client(stage.port, "127.0.5.120").login(DEVICE.lower(), password="wrong")
    stage.check(answer.status == 401, f"a wrong password is answered {answer.status}")
    answer = Client(stage.port, "127.0.5.121").login(OPERATOR[0].upper(), OPERATOR[1])
    stage.note(f"a right login in other cases is answered {answer.status}")
