"""A terminal's window with a command and what it has printed, as SVG."""
from xml.sax.saxutils import escape

#: Where longer lines go on in the next one, as in a terminal that is so wide.
COLUMNS = 118
#: Of one character, in pixels: the widths of monospaced fonts differ little, and `textLength` evens that out.
WIDTH, HEIGHT, SIZE = 7.2, 18, 12
MARGIN, BAR = 16, 30


def draw(command, output):
    """The SVG as text."""
    lines = [f"$ {command}", *(part for line in output.splitlines() for part in _wrap(line)), "$ "]
    width, height = COLUMNS * WIDTH + 2 * MARGIN, BAR + len(lines) * HEIGHT + 1.5 * MARGIN
    rows = "\n".join(_row(number, line) for number, line in enumerate(lines) if line.strip())
    left, top = MARGIN + 2 * WIDTH, BAR + MARGIN + (len(lines) - 1) * HEIGHT
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img">
<title>A terminal: {escape(command)}</title>
<rect width="100%" height="100%" rx="10" fill="#12181b"/>
<g fill="#46545a"><circle cx="20" cy="15" r="5"/><circle cx="38" cy="15" r="5"/><circle cx="56" cy="15" r="5"/></g>
<g fill="#d7e0de" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="{SIZE}" style="white-space: pre">
{rows}
<rect x="{left:.1f}" y="{top - SIZE + 1:.1f}" width="{WIDTH}" height="{SIZE + 2}" fill="#8fa3a0"/>
</g>
</svg>
"""


def _wrap(line):
    return [line[start:start + COLUMNS] for start in range(0, max(1, len(line)), COLUMNS)]


def _row(number, line):
    colour = ' fill="#7fd6c8"' if line.startswith("$") else ""
    y = BAR + MARGIN + number * HEIGHT
    shown = line.rstrip()
    return (f'<text x="{MARGIN}" y="{y}" textLength="{len(shown) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"{colour} '
            f'xml:space="preserve">{escape(shown)}</text>')
