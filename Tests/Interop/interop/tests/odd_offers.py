"""Offers that are not a browser's: a codec that the device lacks, two videos, sound alone, and ICE-lite peers."""
import contextlib

from interop import archives, sequence, webm
from interop.calling import Caller
from interop.world import DEVICE_TONE, OPERATOR, SECOND_OPERATOR, World

SECONDS = 6
PASSWORD = "yet another long pass phrase"
#: The share of pictures, and how many of them, that have to come while these programs share the machine.
SHARE, PICTURES = 0.9, 2 * 25
AUDIO, VIDEO, NO_VIDEO = ["audio", True], ["video", True], ["video", False]
#: Which descriptions of an offer are accepted.
ACCEPTED = {"h264-only": [AUDIO, NO_VIDEO], "two-videos": [AUDIO, VIDEO, NO_VIDEO], "audio-only": [AUDIO],
            "lite caller": [AUDIO, VIDEO], "lite callee": [AUDIO, VIDEO]}


def run(context):
    world = World(context)
    with (context.scratch / "policy.toml").open("a") as policy:
        policy.write("\n[outgoing]\nrecord = true\n")
    with world, contextlib.ExitStack() as stack:
        parties = {name: stack.enter_context(_party(context, world, name)) for name in ACCEPTED}
        _call(world, parties["lite callee"])
        for name, party in parties.items():
            _wait_for_end(name, party)
        recordings = archives.wait_for(world.archive_folder, len(parties))
        return "; ".join(_judge(context, name, party, recordings) for name, party in parties.items())


def _party(context, world, name):
    if name == "lite caller":
        return Caller(context, world, SECONDS, person=OPERATOR, name=name, options=["--lite"])
    if name == "lite callee":
        return Caller(context, world, SECONDS, receiver=None, person=SECOND_OPERATOR, name=name, options=["--lite"])
    world.change_accounts("add-user", "--title", name, "--role", "operator", "--password-file", "-",
                          words=PASSWORD + "\n")
    return Caller(context, world, SECONDS, person=(name, PASSWORD), name=name, options=["--offer", name])


def _call(world, callee):
    callee.wait_for("online")
    world.command("call", SECOND_OPERATOR[0])


def _wait_for_end(name, party):
    answered = party.wait_for("answered")
    party.wait_for("ended", limit=SECONDS + 20)
    party.require_no_errors()
    if answered["sections"] != ACCEPTED[name]:
        raise AssertionError(f"{name}: the answer has {answered['sections']}")


def _judge(context, name, party, recordings):
    """What came at either end of the call."""
    [heard] = party.events("sound")
    if abs(heard["tone"] - DEVICE_TONE) > 5 or heard["share"] < 0.8:
        raise AssertionError(f"{name} hears {heard['tone']:.1f} Hz with {heard['share']:.0%} of the power")
    seen = sequence.examine([event["number"] for event in party.events("received")])
    session = party.events("answered")[0]["session"]
    [archive] = [archive for archive in recordings if archive.manifest["sessionId"] == session]
    file = archive.file_with_tone(context.tone)
    recorded = sequence.examine(webm.frame_numbers(file) if webm.frame_times(file) else [])
    for pictures, where in ((seen, "there"), (recorded, "in the archive")):
        _require_pictures(pictures, f"{name}, {where}", is_expected=VIDEO in ACCEPTED[name])
    if name.startswith("lite"):
        _require_control(name, party)
    return f"{name} {seen.seen} pictures, {recorded.seen} recorded"


def _require_pictures(pictures, what, is_expected):
    if is_expected:
        pictures.require(what, share=SHARE, at_least=PICTURES)
    elif pictures.seen:
        raise AssertionError(f"{what}: {pictures} of what was refused")


def _require_control(name, party):
    """The device controls, whoever offered (RFC 8445 §6.1.1), and nominates."""
    checks = party.events("check")
    if not all(check["role"] == "controlling" for check in checks) or not any(check["nominates"] for check in checks):
        raise AssertionError(f"{name}: the device's checks are {checks}")
