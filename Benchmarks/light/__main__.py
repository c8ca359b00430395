"""Records camera-like clips with livesessionsd beside vpxenc + opusenc, ffmpeg and GStreamer, and compares CPU time,
bytes and likeness.

The first run draws the clips and has vpxenc encode them at several rates; both are kept below
~/.cache/livesessions/light-clips.
"""
import argparse
import concurrent.futures
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from bench import figures, report as machine_report
from bench.__main__ import REPOSITORY, Context, own_cpu_time
from light import clips, contact, findings, ladder, programs, quality, report
from light.recording import DAEMON, Stage

QUICK = ("still-2", "night", "moving")


def main():
    options = _options()
    begin, disturbance = time.monotonic(), machine_report.Disturbance()
    print(f"{figures.processor()}; all figures are of this run")
    names = options.only or (() if options.videos else QUICK if options.quick else clips.CLIPS)
    chosen = [clips.convert(video, options.clips)
              for video in options.videos] + [clips.draw(clips.CLIPS[name], options.clips) for name in names]
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = _measure(chosen, options, pathlib.Path(folder))
    report.show(found)
    disturbance.show(time.monotonic() - begin, own_cpu_time())
    figures.write(options.out / "figures.json", argparse.Namespace(seconds=None, rounds=options.rounds), disturbance,
                  {"clips": {
                      finding.clip.name: findings.summary(finding)
                      for finding in found
                  }})
    print(
        f"{options.out}: figures.json, and sheet.jpg with the worst frames: without noise, as delivered, ours, vpxenc's"
    )


def _measure(chosen, options, folder):
    found, sheets = [], []
    for size, same in itertools.groupby(chosen, key=lambda files: (files.clip.width, files.clip.height)):
        same = list(same)
        home = folder / f"{size[1]}"
        home.mkdir()
        with Stage(Context(options.bin, home), home, same[0].clip) as stage:
            for files in same:
                with stage.clip(files) as recorders:
                    finding = _measure_clip(recorders, options)
                    sheets.append(contact.write(options.out, finding, files))
                    found.append(finding)
    contact.join(sheets, options.out / "sheet.jpg")
    return found


def _measure_clip(recorders, options):
    material, rounds = recorders.material, []
    for number in range(options.rounds):
        _progress(f"{material.clip.name}: round {number + 1}")
        rounds.append(recorders.round())
    _progress(f"{material.clip.name}: comparing frames")
    reference = recorders.folder / "reference.webm"
    subprocess.run(programs.vpxenc(material, material.files.source, reference), check=True, timeout=300)
    ours = shutil.copy(recorders.daemon_file, options.out / f"{material.clip.name}.webm")
    recordings = {
        DAEMON: pathlib.Path(ours),
        "vpxenc": reference,
        **{
            name: peer.output
            for name, peer in recorders.peers.items()
        }
    }
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        judged = dict(zip(recordings, pool.map(lambda path: quality.judge(path, material.files), recordings.values())))
    # At greater sizes that takes minutes, and no aim asks for it.
    steps = ladder.measure(material, options.clips) if material.clip.is_small else []
    return findings.Finding(material.clip, rounds, judged, material.files.entrances, steps)


def _progress(text):
    if sys.stderr.isatty():
        print(f"({text})", file=sys.stderr)


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --light",
                                     description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin",
                        type=lambda text: pathlib.Path(text).resolve(),
                        default=REPOSITORY / ".build/release",
                        help="where the programs are")
    parser.add_argument("--only", nargs="+", choices=list(clips.CLIPS), metavar="CLIP", help=", ".join(clips.CLIPS))
    parser.add_argument("--videos",
                        nargs="+",
                        type=pathlib.Path,
                        default=[],
                        metavar="FILE",
                        help="real recordings that ffmpeg reads, in place of clips")
    parser.add_argument("--quick",
                        action="store_true",
                        help=f"{', '.join(QUICK)} alone, once each unless --rounds says otherwise")
    parser.add_argument("--rounds", type=int, help="recordings of each clip by each program (2)")
    parser.add_argument("--clips", type=pathlib.Path, default=clips.default_folder(), help="where clips are kept")
    parser.add_argument("--out",
                        type=lambda text: pathlib.Path(text).resolve(),
                        default=REPOSITORY / "build/light",
                        help="for figures, recordings and the sheet")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 2)
    return options


if __name__ == "__main__":
    main()
