"""Runs the attacks one after the other and prints what bystanders noticed."""
import argparse
import importlib
import pathlib
import resource
import sys
import tempfile
import time
import traceback

from interop.__main__ import Context as InteropContext
from interop.__main__ import REPOSITORY

from abuse.attacks import ALL, QUICK
from abuse.stage import Row, perform

#: Sockets of the attackers, and of the hub that they attack.
DESCRIPTORS = 20_000


class Context(InteropContext):
    """What an attack is given: the programs, a folder of its own, and how long to go on."""

    def __init__(self, options):
        super().__init__(options.bin)
        self.is_quick = options.quick
        self.is_verbose = options.verbose
        self.patience = options.patience if options.patience is not None else 10 if options.quick else 60


def main():
    options = _options()
    if options.list:
        print("\n".join(name if name in QUICK else f"{name} (not with --quick)" for name in ALL))
        return 0
    _raise_limits()
    context, begin = Context(options), time.monotonic()
    rows = [_row(name, context) for name in options.only or (QUICK if options.quick else ALL)]
    print(_table(rows))
    failed = [row for row in rows if row.failures]
    print(f"{len(rows) - len(failed)} held, {len(failed)} did not ({time.monotonic() - begin:.0f} s)")
    return 1 if failed else 0


def _options():
    parser = argparse.ArgumentParser(prog="Tests/Abuse/run", description=__doc__)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), default=REPOSITORY / ".build/release",
                        help="where the programs are")
    parser.add_argument("--quick", action="store_true", help="smaller and fewer attacks, in about three minutes")
    parser.add_argument("--only", action="append", choices=ALL, metavar="NAME", help="this attack; may be repeated")
    parser.add_argument("--patience", type=float, metavar="SECONDS",
                        help="how long the programs may take to give memory back (60, with --quick 10)")
    parser.add_argument("--verbose", action="store_true", help="show the programs' last words where an attack succeeds")
    parser.add_argument("--list", action="store_true", help="name the attacks")
    return parser.parse_args()


def _raise_limits():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, most), most))


def _row(name, context):
    """The attack's row, told as soon as it is known."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"{name}.", ignore_cleanup_errors=True) as scratch:
        context.scratch = pathlib.Path(scratch)
        try:
            row = perform(context, name, importlib.import_module(f"abuse.attacks.{name}"))
        except Exception:
            row = Row(name, 1, [traceback.format_exc()], seconds=time.monotonic() - begin)
    print(f"{'FAIL' if row.failures else 'ok  '} {name} ({row.seconds:.1f} s)")
    for words in row.notes:
        print(f"       {words}")
    for words in row.failures:
        print(f"     ! {words}")
    return row


def _table(rows):
    head = ("attack", "result", "worst login", "pictures lost", "hub MB before/peak/after",
            "device MB before/peak/after")
    lines = [head] + [
        (row.name, row.result, row.login, row.pictures, row.memory.get("hub", "–"), row.memory.get("device", "–"))
        for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


if __name__ == "__main__":
    sys.exit(main())
