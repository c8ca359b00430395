"""Measures the transport: sessions, the network loop, and what they stand."""
import argparse
import pathlib
import time

from bench import report
from transport import janus, measures, tables


def main():
    options = _options()
    begin, disturbance = time.monotonic(), report.Disturbance()
    tables.machine()
    wanted = options.only or ("packets", "delays", "viewers", "turnover", "flood")
    for name in wanted:
        _MEASURES[name](options)
    if options.janus:
        tables.janus(janus.compare(options.binary, options.seconds, options.rounds))
    disturbance.show(time.monotonic() - begin, time.process_time())


def _packets(options):
    tables.packets(*measures.packets(options.binary))


def _delays(options):
    tables.delays([measures.delays(options.binary, count, options.seconds) for count in (1, 20)],
                  measures.first_packets(options.binary, 10))


def _viewers(options):
    counts = (0, 5, 10, 20, 40)
    tables.viewers([[measures.watched(options.binary, count, options.seconds) for count in counts]
                    for _ in range(options.rounds)])


def _turnover(options):
    tables.turnover(measures.turnover(options.binary, options.sessions))


def _flood(options):
    runs = [(0, 1), (50_000, 1), (50_000, 64)]
    tables.flood([measures.flooded(options.binary, min(options.seconds, 10), *run) for run in runs])


_MEASURES = {"packets": _packets, "delays": _delays, "viewers": _viewers, "turnover": _turnover, "flood": _flood}


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --transport", description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=20, help="of each stretch that is measured")
    parser.add_argument("--rounds", type=int, default=1, help="of the stretches with viewers")
    parser.add_argument("--sessions", type=int, default=2_000, help="that come and go")
    parser.add_argument("--only", nargs="+", choices=list(_MEASURES), help="some of the measurements")
    parser.add_argument("--janus", action="store_true", help="also beside Janus, which has to be installed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
