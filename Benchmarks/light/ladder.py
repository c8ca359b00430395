"""vpxenc's bytes by the PSNR that they buy, from runs at several bit rates.

A clip's runs are kept beside it, since each comes out the same. Between two runs the logarithm of the bytes is taken
to grow evenly with the decibels; PSNR is that of all frames against the scene without noise. With much noise more
bits may buy less of it: the least bytes count at which vpxenc gets there.
"""
import dataclasses
import hashlib
import json
import math
import pathlib
import subprocess
import tempfile

from light import programs, quality

SHARES = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4)


@dataclasses.dataclass(frozen=True)
class Step:
    """One run of vpxenc."""

    kilobits: int
    bytes: int
    decibels: float
    dropped: int


@dataclasses.dataclass(frozen=True)
class Equal:
    """Bytes that vpxenc takes for a PSNR; when its runs do not reach so far, those of the nearest one and a sign which
    way it is missed.
    """

    bytes: float
    #: "": interpolated; "<": vpxenc would take more than this, so a ratio is an upper bound; ">": less.
    bound: str


def measure(material, cache: pathlib.Path):
    """The runs at all rates, by rising rate."""
    rates = [int(material.kilobits * share) for share in SHARES]
    commands = [programs.vpxenc(material, "IN", "OUT", rate) for rate in rates]
    sources = material.files.source.with_suffix(".json").read_text() + json.dumps(commands)
    identity = hashlib.sha256(sources.encode()).hexdigest()[:12]
    kept = cache / f"{material.clip.name}-vpxenc-{identity}.json"
    if not kept.exists():
        kept.write_text(json.dumps([dataclasses.asdict(_run(material, rate)) for rate in rates]))
    return [Step(**step) for step in json.loads(kept.read_text())]


def _run(material, rate):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "step.webm"
        subprocess.run(programs.vpxenc(material, material.files.source, output, rate), check=True, timeout=300)
        judged = quality.judge(output, material.files)
        return Step(rate, judged.packets.bytes, float(judged.clean.decibels), judged.packets.dropped)


def bytes_for(decibels, steps) -> Equal:
    """The least bytes for which vpxenc has that PSNR."""
    if decibels <= steps[0].decibels:
        return Equal(steps[0].bytes, ">")
    for lower, upper in zip(steps, steps[1:]):
        if lower.decibels < decibels <= upper.decibels:
            share = (decibels - lower.decibels) / (upper.decibels - lower.decibels)
            return Equal(math.exp((1 - share) * math.log(lower.bytes) + share * math.log(upper.bytes)), "")
    return Equal(max(steps, key=lambda step: step.decibels).bytes, "<")
