"""The benchmark's figures as bars, in SVG."""
import json
import pathlib
import statistics
from xml.sax.saxutils import escape

OURS, OTHERS = "#0f766e", "#a9b4b1"
MEBIBYTE = 1024 * 1024
WIDTH, MARGIN, NAMES, VALUES = 860, 24, 176, 150
BAR, STEP, HEADING, GAP = 18, 27, 46, 18


def draw(folder: pathlib.Path, path: pathlib.Path):
    """Writes the chart of `recording.json`, and of `transport.json` where that was measured beside Janus."""
    recording = json.loads((folder / "recording.json").read_text())
    charts, notes = _recording(recording), [_note("Recording", recording)]
    transport = folder / "transport.json"
    if transport.exists() and "janus" in (figures := json.loads(transport.read_text())):
        charts.append(_viewers(figures["janus"]))
        notes.append(_note("Viewers", figures))
    path.write_text(_svg(charts, notes))


def _recording(figures):
    """Programs that read the same file at a camera's pace, encode it with equal settings and write one WebM file."""
    programs = figures["recording"]
    cpu = [(name, [100 * one / figures["seconds"] for one in program["cpu"]]) for name, program in programs.items()]
    cpu.append(("vpxenc + opusenc", [100 * one / figures["seconds"] for one in figures["encodersInRealTime"]]))
    memory = [(name, [program["anonymous"] / MEBIBYTE]) for name, program in programs.items()]
    return [("CPU while recording", "% of a core; vpxenc and opusenc encode alone", cpu, "{:.1f} %"),
            ("Memory while recording", "private memory, RssAnon", memory, "{:.1f} MiB")]


def _viewers(rounds):
    slopes = {name: [statistics.linear_regression(*zip(*one[name])).slope for one in rounds] for name in rounds[0]}
    rows = [("its network loop" if name == "our network loop" else name, values) for name, values in slopes.items()]
    return "CPU of each further viewer", "% of a core; the same stream to the same viewers", rows, "{:.2f} %"


def _note(what, figures):
    rounds = f"{figures['rounds']} round{'s' if figures['rounds'] > 1 else ''} of {figures['seconds']} s, in turns"
    return (f"{what}: {rounds}, {figures['measuredAt'][:10]}, {figures['cores']} × {figures['processor']}; "
            f"meanwhile others used {figures['othersPercent']:.0f} % of the machine.")


def _svg(charts, notes):
    parts, y = [], MARGIN
    for chart in charts:
        parts.append(_bars(chart, y))
        y += HEADING + STEP * len(chart[2]) + GAP
    for note in ["VP8 640×480 at 30/s with 800 kbit/s, Opus with 32 kbit/s. Median; the thin line spans least to greatest.",
                 *notes]:
        parts.append(f'<text x="{MARGIN}" y="{y + 4}" class="note">{escape(note)}</text>')
        y += 17
    height = y + MARGIN - 10
    words = "; ".join(f"{title}: " + ", ".join(f"{name} {form.format(statistics.median(values))}" for name, values in rows)
                      for title, _, rows, form in charts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">
<title>{escape(words)}</title>
<style>
text {{ font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 14px; fill: #17201e }}
.heading {{ font-size: 16px; font-weight: 650 }}
.hint, .note {{ font-size: 12px; font-weight: 400; fill: #5b6764 }}
.note {{ font-size: 11px }}
</style>
<rect width="100%" height="100%" rx="12" fill="#ffffff" stroke="#dfe3e1"/>
{"".join(parts)}
</svg>
"""


def _bars(chart, top):
    title, hint, rows, form = chart
    room = WIDTH - 2 * MARGIN - NAMES - VALUES
    scale = room / max(max(values) for _, values in rows)
    parts = [f'<text x="{MARGIN}" y="{top + 14}" class="heading">{escape(title)} <tspan class="hint" dx="6">'
             f'{escape(hint)}</tspan></text>\n']
    for number, (name, values) in enumerate(rows):
        parts.append(_bar(name, values, form, top + HEADING - 16 + number * STEP, scale, number == 0))
    return "".join(parts)


def _bar(name, values, form, top, scale, is_ours):
    left, middle = MARGIN + NAMES, top + BAR / 2
    median, least, greatest = statistics.median(values), min(values), max(values)
    colour, weight = (OURS, ' font-weight="650"') if is_ours else (OTHERS, "")
    line = ""
    if greatest > least:
        line = (f'<path d="M{left + least * scale:.1f} {middle}H{left + greatest * scale:.1f}" stroke="#17201e" '
                'stroke-width="1.5"/>')
    return (f'<text x="{left - 10}" y="{middle + 5}" text-anchor="end"{weight}>{escape(name)}</text>'
            f'<rect x="{left}" y="{top}" width="{median * scale:.1f}" height="{BAR}" rx="3" fill="{colour}"/>{line}'
            f'<text x="{left + greatest * scale + 8:.1f}" y="{middle + 5}"{weight}>{form.format(median)}</text>\n')
