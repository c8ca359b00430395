"""Measures two-way calls: pictures and speech beside the libraries that they need, speech beside baresip."""
import argparse
import dataclasses
import pathlib
import subprocess
import tempfile

from bench import table
from call import baresip, room
from call.device import CalledDevice
from call.media import DELAY, GAIN, CallMedia

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MEBIBYTE = 1024 * 1024
#: Of the libraries, what call-bench tells of each and how tables name it.
LIBRARIES = {"pictures": "libvpx encodes 640×480 at 30/s", "encoding": "libopus encodes", "decoding": "libopus decodes",
             "cancelling": "our echo canceller"}


class Context:
    """What the interoperability tests' world is given."""

    repository = REPOSITORY
    web = REPOSITORY / "Sources/Hub/HubHTTP/web"
    artifacts = None
    tone = 440

    def __init__(self, binaries):
        self.binaries = binaries
        self.scratch = None

    def fresh(self):
        """The same with a folder of its own."""
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="call."))
        return self


@dataclasses.dataclass(frozen=True)
class Round:
    """CPU seconds, and stretches of calls (see device.py)."""

    libraries: dict
    call: object
    speech: object
    speech_alone: object
    baresip: object


def main():
    options = _options()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="media."))
    media = CallMedia(folder)
    variables = room.install(folder, media.near)
    rounds = [_round(options, media, variables) for _ in range(options.rounds)]
    _show_call(options.seconds, rounds)
    _show_speech(options.seconds, rounds)


def _round(options, media, variables):
    libraries = _libraries(options, media)
    with CalledDevice(Context(options.bin).fresh(), media, variables) as device:
        call = device.call(options.seconds)
    with CalledDevice(Context(options.bin).fresh(), media, variables, is_recorded=False) as device:
        speech = device.call(options.seconds, offer="audio-only")
    with CalledDevice(Context(options.bin).fresh(), media, variables, is_recorded=False, echo="off") as device:
        speech_alone = device.call(options.seconds, offer="audio-only")
    return Round(libraries, call, speech, speech_alone, baresip.call(media, variables, options.seconds))


def _libraries(options, media):
    """What each library takes alone, for as long as a stretch of a call."""
    done = subprocess.run(
        [options.libraries, media.bars, media.near, media.far, str(DELAY), str(GAIN), str(options.seconds)],
        capture_output=True, text=True, timeout=options.seconds + 60, check=True)
    return {name: float(value) for name, value in (pair.split("=") for pair in done.stdout.split())}


def _show_call(seconds, rounds):
    alone = [sum(one.libraries[name] for name in LIBRARIES) for one in rounds]
    called = [one.call.total for one in rounds]
    table.show(f"A two-way call, recorded on both sides, CPU seconds for {seconds} s, median (least–greatest) of {len(rounds)} rounds", [
        ("", "CPU s", "livesessionsd ÷ this"),
        ("livesessionsd in the call", table.spread(called), ""),
        ("the libraries alone, on the same media", table.spread(alone), _ratio(called, alone)),
        *((f"    {words}", table.spread([one.libraries[name] for one in rounds]), "") for name, words in LIBRARIES.items()),
        ("the whole process around them", table.spread([one.libraries["total"] for one in rounds]),
         _ratio(called, [one.libraries["total"] for one in rounds])),
    ])
    table.say(f"livesessionsd's RssAnon: {max(one.call.anonymous for one in rounds) / MEBIBYTE:.1f} MiB")
    names = sorted(rounds[0].call.threads)
    table.show("livesessionsd's threads in that call, % of a core", [
        (name, table.spread([100 * one.call.threads.get(name, 0) / one.call.seconds for one in rounds], 2)) for name in names])


def _show_speech(seconds, rounds):
    peer = [one.baresip for one in rounds]
    rows = [("", "CPU s", "RssAnon MiB", "CPU ÷ baresip's", "RssAnon ÷ baresip's")]
    for words, stretches in (("livesessionsd, echo cancelled", [one.speech for one in rounds]),
                             ("livesessionsd, echo_cancellation = \"off\"", [one.speech_alone for one in rounds])):
        rows.append((words, table.spread([one.total for one in stretches]), _memory(stretches),
                     _ratio([one.total for one in stretches], [one.total for one in peer]),
                     _ratio([one.anonymous for one in stretches], [one.anonymous for one in peer])))
    rows.append(("baresip, which cancels no echo", table.spread([one.total for one in peer]), _memory(peer)))
    table.show(f"A two-way call of speech, Opus over DTLS-SRTP, not recorded, {seconds} s", rows)


def _memory(stretches):
    return f"{max(one.anonymous for one in stretches) / MEBIBYTE:.1f}"


def _ratio(ours, theirs):
    return table.spread([one / other for one, other in zip(ours, theirs)], 2)


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --call", description=__doc__)
    parser.add_argument("--libraries", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), default=REPOSITORY / ".build/release",
                        help="where the programs are")
    parser.add_argument("--seconds", type=int, default=20, help="of each stretch that is measured")
    parser.add_argument("--rounds", type=int, default=2, help="of all in turns")
    return parser.parse_args()


if __name__ == "__main__":
    main()
