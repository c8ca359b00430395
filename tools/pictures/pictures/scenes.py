"""What page and terminal show of a few devices in a street, from real runs."""
import base64
import os
import pathlib
import subprocess
import time

from interop import page_states, viewport
from interop.__main__ import Context
from pictures import terminal

#: By picture, the state of the page (see :mod:`interop.page_states`) and the window.
SCENES = {"wall": ("wall-live", (1280, 800)), "door": ("incoming", (1280, 800)), "event": ("device-events", (1280, 800)),
          "phone": ("call", (390, 844))}
STATUS, STATES = "status", "states"
NAMES = [*SCENES, STATUS]
#: Windows in which each state is looked at.
SIZES = [(1280, 800), (1920, 1080), (390, 844), (844, 390)]
#: Of the pictures' compression, in percent.
QUALITY = 88
PAGE = """<!doctype html><meta charset="utf-8"><title>States of the page</title>
<style>body {{ font: 14px system-ui }} figure {{ display: inline-block; margin: 8px; vertical-align: top }}
img {{ height: 340px; border: 1px solid #888 }}</style>
{figures}
"""


def take(binaries, scratch, output, wanted):
    """Makes those of :data:`NAMES` that are wanted, in the folder `output`."""
    def look(name, page):
        for picture, (state, size) in SCENES.items():
            if picture in wanted and state == name:
                with _window(page, size):
                    _photograph(page, output / f"{picture}.webp")
        if name == "call" and STATUS in wanted:
            _show_status(binaries, scratch / "control", output / "status.svg")
    page_states.visit(_context(binaries, scratch), look)


def take_states(binaries, scratch, output, *, language, scheme):
    """Each of the page's states in all windows, with a page that shows them together."""
    output.mkdir(parents=True, exist_ok=True)
    taken = []

    def look(name, page):
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        # What fills the screen has no window.
        for size in SIZES if name != "full-screen" else SIZES[:1]:
            with _window(page, size):
                taken.append(f"{name}-{size[0]}x{size[1]}.webp")
                _photograph(page, output / taken[-1])
    choice = f"try {{ localStorage.setItem('livesessions.language', '{language}'); }} catch {{}}"
    page_states.visit(_context(binaries, scratch), look, before=choice)
    figures = "\n".join(f'<figure><img src="{one}" alt=""><figcaption>{one}</figcaption></figure>' for one in taken)
    (output / "index.html").write_text(PAGE.format(figures=figures))


def _context(binaries, scratch):
    context = Context(binaries)
    context.scratch = scratch
    return context


class _window:
    """The page in a window of a size, while entered."""

    def __init__(self, page, size):
        self._page, self._size = page, size

    def __enter__(self):
        viewport.resize(self._page, self._size)

    def __exit__(self, *_):
        viewport.restore(self._page)
        # What is clicked next is where it was.
        time.sleep(0.3)


def _show_status(binaries, socket, path: pathlib.Path):
    """The real output of the real command."""
    finished = subprocess.run([binaries / "livesessions", "status"], capture_output=True, text=True, timeout=30,
                              check=True, env={**os.environ, "LIVESESSIONS_SOCKET": str(socket)})
    path.write_text(terminal.draw("livesessions status", finished.stdout))


def _photograph(page, path):
    picture = page.command("Page.captureScreenshot", format="webp", quality=QUALITY)["data"]
    path.write_bytes(base64.b64decode(picture))
