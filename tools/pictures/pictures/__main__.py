"""Makes the README's pictures from real runs."""
import argparse
import pathlib
import sys
import tempfile

from pictures import chart, scenes

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
#: All pictures together, in bytes.
BUDGET = 600_000


def main():
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    if set(options.pictures) & set(scenes.NAMES):
        with tempfile.TemporaryDirectory() as scratch:
            scenes.take(options.bin, pathlib.Path(scratch), options.output, options.pictures)
    if scenes.STATES in options.pictures:
        for language, scheme in (("en", "light"), ("de", "dark")):
            with tempfile.TemporaryDirectory() as scratch:
                folder = options.states / f"{language}-{scheme}"
                scenes.take_states(options.bin, pathlib.Path(scratch), folder, language=language, scheme=scheme)
                print(folder / "index.html")
    if "benchmark" in options.pictures:
        chart.draw(options.figures, options.output / "benchmark.svg")
    return _require_budget(options.output)


def _require_budget(folder):
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    total = sum(sizes.values())
    print("\n".join(f"{name}: {size:,} bytes" for name, size in sizes.items()) + f"\n{total:,} bytes in all")
    if total > BUDGET:
        print(f"more than {BUDGET:,} bytes are too many for a README", file=sys.stderr)
    return int(total > BUDGET)


def _options():
    names = [*scenes.NAMES, "benchmark"]
    parser = argparse.ArgumentParser(prog="tools/pictures/run", description=__doc__)
    parser.add_argument("--bin", type=_folder, default=REPOSITORY / ".build/release", help="where the programs are")
    parser.add_argument("--output", type=_folder, default=REPOSITORY / "docs/pictures", help="where the pictures go")
    parser.add_argument("--figures", type=_folder, default=REPOSITORY / "build/bench",
                        help="where Benchmarks/run has written recording.json, and transport.json if there is one")
    parser.add_argument("--states", type=_folder, default=REPOSITORY / "build/states",
                        help="where the picture `states` goes: each state of the page in several windows, to look at")
    parser.add_argument("pictures", nargs="*", metavar="picture", help=f"some of {', '.join(names)}, or {scenes.STATES}; without, all but the last")
    options = parser.parse_args()
    options.pictures = options.pictures or names
    unknown = set(options.pictures) - {*names, scenes.STATES}
    if unknown:
        parser.error(f"unknown picture: {', '.join(sorted(unknown))}; known are {', '.join(names)}")
    return options


def _folder(text):
    return pathlib.Path(text).resolve()


if __name__ == "__main__":
    sys.exit(main())
