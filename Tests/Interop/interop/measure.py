"""What a page shows and plays, measured from outside."""
import json
import pathlib

from interop import pattern, sequence

SCRIPT = pathlib.Path(__file__).with_name("measure.js").read_text()


def watch_frames(page, selector):
    """Begins to read the marks of the stream that a <video> shows; :func:`frames_seen` tells them."""
    _install(page)
    page.evaluate(f"window.interopVideo = document.querySelector({json.dumps(selector)});"
                  " window.interopReader = interop.readMarks(interopVideo); 0")


def frames_seen(page, period=None):
    """The frames since :func:`watch_frames`, as a :class:`sequence.Sequence`; raises when the <video> showed none."""
    return sequence.examine([number for _, number in pictures_seen(page)], period)


def pictures_seen(page):
    """`[(seconds of the page's clock, number or None)]` since :func:`watch_frames`; raises when the <video> showed none."""
    answer = page.evaluate("interop.endReading(interopReader, interopVideo)")
    if answer["shown"] < len(answer["marks"]) / 3:
        raise AssertionError(f"only {answer['shown']} of {len(answer['marks'])} pictures were shown")
    marks = map(pattern.decode, answer["marks"])
    return [(time / 1000, None if mark is None else mark.number) for time, mark in zip(answer["times"], marks)]


def open_file(page, name):
    """Shows a file of the page's own site."""
    _install(page)
    page.evaluate(f"(async () => {{ window.interopFile = await interop.openFile({json.dumps(name)}); }})()")


def play_from(page, seconds, duration):
    """`[(time, mark)]`: what the file of :func:`open_file` shows at `seconds`, and then while it plays on."""
    seen = page.evaluate(f"interop.playFrom(interopFile, {seconds}, {duration})")
    return [(one["time"], pattern.decode(one["mark"])) for one in seen]


def record_sound(page, stream, seconds=2.0):
    """`(samples, rate)` of the stream that the JavaScript expression `stream` names."""
    _install(page)
    recorded = page.evaluate(f"interop.record({stream}, {seconds})")
    return recorded["samples"], recorded["rate"]


def _install(page):
    page.evaluate(f"if (!window.interop) {{ {SCRIPT} }} 0")
