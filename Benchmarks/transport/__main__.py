"""Measures the transport: sessions, the network loop, and what they stand."""
import argparse
import pathlib
import time

from bench import figures, report
from transport import janus, measures, tables


def main():
    options = _options()
    begin, disturbance = time.monotonic(), report.Disturbance()
    tables.machine()
    wanted = options.only or [name for name in _MEASURES if name != "janus" or options.janus]
    found = {name: _MEASURES[name](options) for name in wanted}
    disturbance.show(time.monotonic() - begin, time.process_time())
    if options.json:
        figures.write(options.json, options, disturbance, found)


# Each prints its table, and returns the figures.


def _packets(options):
    costs, missing = measures.packets(options.binary)
    tables.packets(costs, missing)
    return costs


def _delays(options):
    found = [measures.delays(options.binary, count, options.seconds) for count in (1, 20)]
    first_packets = measures.first_packets(options.binary, 10)
    tables.delays(found, first_packets)
    return {"frames": found, "firstPackets": first_packets}


def _viewers(options):
    counts = (0, 5, 10, 20, 40)
    found = [[measures.watched(options.binary, count, options.seconds) for count in counts]
             for _ in range(options.rounds)]
    tables.viewers(found)
    return found


def _turnover(options):
    found = measures.turnover(options.binary, options.sessions)
    tables.turnover(found)
    return found


def _flood(options):
    runs = [(0, 1), (50_000, 1), (50_000, 64)]
    found = [measures.flooded(options.binary, min(options.seconds, 10), *run) for run in runs]
    tables.flood(found)
    return found


def _janus(options):
    found = janus.compare(options.binary, options.seconds, options.rounds)
    tables.janus(found)
    return found


_MEASURES = {"packets": _packets, "delays": _delays, "viewers": _viewers, "turnover": _turnover, "flood": _flood,
             "janus": _janus}


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --transport", description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=20, help="of each stretch that is measured")
    parser.add_argument("--rounds", type=int, default=1, help="of the stretches with viewers")
    parser.add_argument("--sessions", type=int, default=2_000, help="that come and go")
    parser.add_argument("--only", nargs="+", choices=list(_MEASURES), help="some of the measurements")
    parser.add_argument("--janus", action="store_true", help="also beside Janus, which has to be installed")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the figures there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
