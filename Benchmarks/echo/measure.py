"""Measures echo cancellers in simulated rooms and prints a table. Called by Benchmarks/run --echo; see docs/internals/adr/0010-echo-cancellation.md.

What is told of double talk: *near* is the level of what comes out to that of near speech at the microphone, where somebody speaks;
*corr* the correlation of both. *echo down* is exact for our canceller: it tells what its filter left and the gains of each frame, so echo
and near speech are put through the same gains apart. For others only the *pauses* of near speech within double talk can be measured.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

import numpy

import figures
import scenarios

HERE = pathlib.Path(__file__).parent
BLOCK, GAINS = 480, 481
WINDOW = numpy.sin(numpy.pi * (numpy.arange(2 * BLOCK) + 0.5) / (2 * BLOCK))
COLUMNS = {
    "erle": "ERLE", "erle worst s": "worst s", "linear": "filter", "near": "near", "correlation": "corr", "echo down": "echo down",
    "echo in pauses": "pauses", "near late": "near 2", "correlation late": "corr 2", "echo down late": "echo d. 2",
    "near alone": "alone", "after jump": "after", "cpu": "CPU %",
}
#: What is best when it is least.
COSTS = {"cpu"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="echo-bench")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=COMMAND", help="measures another program as well")
    parser.add_argument("--only", default="", help="scenarios whose name contains this")
    parser.add_argument("--unseen", type=int, default=0, metavar="N", help="N scenarios drawn at random instead of the named ones")
    parser.add_argument("--keep", metavar="FOLDER", help="keeps what was made there")
    options = parser.parse_args()
    chosen = list(scenarios.unseen(options.unseen)) if options.unseen else scenarios.SCENARIOS
    chosen = [scenario for scenario in chosen if options.only in scenario.name]
    cancellers = {"EchoControl": [options.binary]} | {
        name: command.split() for name, command in (other.split("=", 1) for other in options.other)}
    with tempfile.TemporaryDirectory(prefix="livesessions-echo-") as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        rows = {name: [] for name in cancellers}
        for scenario in chosen:
            sounds = prepared(folder, scenario)
            for name, command in cancellers.items():
                rows[name].append((scenario.name, run(command, folder / slug(scenario), sounds, name == "EchoControl")))
        for name in cancellers:
            report(name, rows[name])


def slug(scenario):
    return "".join(letter if letter.isalnum() else "-" for letter in scenario.name)


def prepared(folder, scenario):
    """Echo, near speech and noise at the microphone; made unless they are kept."""
    path = folder / (slug(scenario) + ".npz")
    if not path.exists():
        far, echo, near, noise = scenarios.make(scenario)
        quantized = lambda samples: numpy.clip((samples * 32_768).round(), -32_768, 32_767).astype(numpy.int16)
        quantized(far).tofile(path.with_suffix(".far"))
        quantized(echo + near + noise).tofile(path.with_suffix(".mic"))
        scenarios.told_delays(scenario).astype(numpy.int16).tofile(path.with_suffix(".told"))
        numpy.savez(path, echo=echo.astype(numpy.float32), near=near.astype(numpy.float32), noise=noise.astype(numpy.float32))
    with numpy.load(path) as kept:
        return [kept[name].astype(float) for name in ("echo", "near", "noise")]


def run(command, stem, sounds, tells_stages):
    echo, near, noise = sounds
    paths = [f"{stem}.{ending}" for ending in ("far", "mic", "told", "out")] + ([f"{stem}.stages"] if tells_stages else [])
    # Options of a program stand after the files.
    words = [word for word in command if not word.startswith("+")] + paths + [word[1:] for word in command if word.startswith("+")]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    output = numpy.fromfile(paths[3], numpy.int16) / 32_768
    output = numpy.concatenate([output, numpy.zeros(max(0, len(echo) - len(output)))])[:len(echo)]
    found = figures.measure(echo, near, output, components(paths[4], sounds) if tells_stages else None)
    found["cpu"] = float(printed.replace("=", " ").split()[1])
    if tells_stages:
        found["linear"] = linear_reduction(paths[4], sounds)
        os.remove(paths[4])
    return found


def stages(path, blocks):
    raw = numpy.fromfile(path, numpy.float32)
    return raw[:blocks * BLOCK].astype(float), raw[blocks * BLOCK:].reshape(blocks, GAINS)


def components(path, sounds):
    """What of near speech, and what of echo, is in the output."""
    echo, near, noise = sounds
    linear, gains = stages(path, len(echo) // BLOCK)
    return filtered(near, gains), filtered(linear - near - noise, gains)


def linear_reduction(path, sounds):
    echo, near, noise = sounds
    linear, _ = stages(path, len(echo) // BLOCK)
    far = lambda samples: figures.power(figures.part(samples, "far", 2))
    return figures.decibels(far(echo) / far(linear - near - noise))


def filtered(samples, gains):
    """Puts samples through overlapping frames with these gains, as the suppressor does: 10 ms late."""
    count = len(gains)
    padded = numpy.concatenate([numpy.zeros(BLOCK), samples])[:(count + 1) * BLOCK]
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, 2 * BLOCK)[::BLOCK][:count] * WINDOW
    frames = numpy.fft.irfft(numpy.fft.rfft(frames, axis=1) * gains, axis=1) * WINDOW
    result = numpy.zeros((count + 1, BLOCK))
    result[:-1] += frames[:, :BLOCK]
    result[1:] += frames[:, BLOCK:]
    return result[:-1].reshape(-1)


def report(name, rows):
    columns = [column for column in COLUMNS if column in rows[0][1]]
    print(f"\n{name}: dB" + (f", {rows[0][1]['latency']:.0f} ms late"))
    print(f"{'':34}" + "".join(f"{COLUMNS[column]:>10}" for column in columns))
    for title, found in rows:
        print(f"{title[:33]:34}" + "".join(f"{found[column]:10.2f}" for column in columns))
    table = numpy.array([[found[column] for column in columns] for _, found in rows])
    worst = [numpy.nanmax(values) if column in COSTS else numpy.nanmin(values) for column, values in zip(columns, table.T)]
    print(f"{'mean':34}" + "".join(f"{value:10.2f}" for value in numpy.nanmean(table, axis=0)))
    print(f"{'worst':34}" + "".join(f"{value:10.2f}" for value in worst), flush=True)


if __name__ == "__main__":
    main()
