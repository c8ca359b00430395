"""Injects faults into a hub of three nodes while clients call each other, and reports what was wrong."""
import argparse
import asyncio
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from faults import injections
from faults.client import Client
from faults.recorder import Recorder
from faults.servers import NODES, Hub
from faults.sessions import Pair

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
#: All clients must be back so many seconds after a fault.
BACK = 60.0


def main():
    options = _options()
    random.seed(options.seed)
    print(f"seed {options.seed}: {options.pairs} pairs, each fault {options.times} times")
    bad = 0
    for name in options.faults:
        if name == "older_nodes" and not options.old_bin:
            print("skipped older_nodes: give --old-bin, a folder with an older livesessions-hub")
            continue
        with tempfile.TemporaryDirectory(prefix=f"{name}.") as folder:
            bad += asyncio.run(_run(name, pathlib.Path(folder), options))
    return 1 if bad else 0


async def _run(name, folder, options):
    """Returns how much was wrong."""
    begin = time.monotonic()
    hub = Hub(_programs(name, options), folder, name == "failover")
    try:
        await hub.start()
        if name == "clock_skew":
            for node in hub.nodes[1:]:
                node.use_clock()
        recorder = Recorder(unanswered_timeout=60, ended_memory=60)
        keys = {title: hub.enrol(title) for title in _titles(options.pairs)}
        await hub.start_nodes()
        pairs = await _pairs(hub, keys, recorder, options)
        returns, outages = await _inject(name, hub, pairs, recorder, options)
    except (TimeoutError, RuntimeError) as error:
        print(f"FAIL {name}: {error}\n" + "\n".join(node.last_words() for node in hub.nodes))
        return 1
    finally:
        hub.kill()
    return _report(name, folder, recorder, (returns, outages), time.monotonic() - begin, options)


def _programs(name, options):
    """Half of the nodes may be older."""
    new = options.bin / "livesessions-hub"
    return [options.old_bin / "livesessions-hub", new, options.old_bin / "livesessions-hub"] if name == "older_nodes" \
        else [new] * NODES


def _titles(count):
    return [f"{part} {number}" for number in range(count) for part in ("caller", "receiver")]


async def _pairs(hub, keys, recorder, options):
    ports, pairs = [node.port for node in hub.nodes], []
    for number in range(options.pairs):
        caller = Client(f"caller {number}", keys[f"caller {number}"], "caller", 0, ports, recorder)
        receivers = [Client(f"receiver {number}", keys[f"receiver {number}"], "receiver", client, ports, recorder)
                     for client in range(2)]
        pairs.append(Pair(number, caller, receivers, recorder, options.seed))
        for client in pairs[-1].clients:
            await client.log_in()
    return pairs


async def _inject(name, hub, pairs, recorder, options):
    """Returns how many seconds after each fault everybody was back, and the longest time that a client was away."""
    clients = [client for pair in pairs for client in pair.clients]
    listeners = [asyncio.create_task(client.listen()) for client in clients]
    await _everybody_back(clients)
    goes_on = True
    sessions = [asyncio.create_task(pair.run(lambda: goes_on)) for pair in pairs]
    returns, outages = [], []
    try:
        while len(returns) < options.times or sum(pair.count for pair in pairs) < options.sessions:
            await asyncio.sleep(random.uniform(3, 6))
            for client in clients:
                client.outage = 0.0
            await injections.ALL[name](hub, recorder)
            returns.append(await _everybody_back(clients))
            outages.append(max(client.outage for client in clients))
        goes_on = False
        await asyncio.gather(*sessions)
    finally:
        for task in [*sessions, *listeners]:
            task.cancel()
        await asyncio.gather(*sessions, *listeners, return_exceptions=True)
    return returns, outages


async def _everybody_back(clients):
    """Seconds until all have been online at the same time for 2 s, without those 2 s."""
    begin = steady = time.monotonic()
    while time.monotonic() - steady < 2:
        await asyncio.sleep(0.05)
        if not all(client.is_online for client in clients):
            steady = time.monotonic()
        if time.monotonic() - begin > 3 * BACK:
            return 3 * BACK
    return steady - begin


def _report(name, folder, recorder, times, seconds, options):
    returns, outages = times
    path = (options.histories or folder) / f"{name}.jsonl"
    count = recorder.write(path)
    checked = subprocess.run([os.environ["SESSION_HISTORY_CHECK"], path], capture_output=True, text=True, check=False)
    late = [value for value in returns if value > BACK]
    is_good = checked.returncode == 0 and not late
    print(f"{'ok  ' if is_good else 'FAIL'} {name}: {len(returns)} times, {count} sessions in {seconds:.0f} s; everybody "
          f"back {max(returns):.1f} s after it at most, longest without event stream {max(outages):.1f} s; {checked.stdout.strip().splitlines()[-1] if checked.stdout else ''}")
    if not is_good:
        print(checked.stdout + checked.stderr)
        print("".join(f"  {log.name}: {line}\n" for log in sorted(folder.glob("hub-*.log"))
                      for line in log.read_text(errors="replace").splitlines()[-8:]), end="")
    return 0 if is_good else 1


def _options():
    parser = argparse.ArgumentParser(prog="Tests/Fleet/run", description=__doc__)
    parser.add_argument("--bin", type=_path, default=REPOSITORY / ".build/release", help="where livesessions-hub is")
    parser.add_argument("--old-bin", type=_path, help="a folder with an older livesessions-hub, for older_nodes")
    parser.add_argument("--long", action="store_true", help="each fault 20 times, 10,000 sessions in all")
    parser.add_argument("--times", type=int, help="how often each fault is injected; 2 without --long")
    parser.add_argument("--sessions", type=int, default=0, help="of each fault, at least; more faults until then")
    parser.add_argument("--pairs", type=int, default=16, help="that call each other at the same time")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--histories", type=_path, help="a folder that keeps what was recorded")
    parser.add_argument("faults", nargs="*", metavar="fault", help=f"of {', '.join(injections.ALL)}; all without")
    options = parser.parse_args()
    unknown = set(options.faults) - set(injections.ALL)
    if unknown:
        parser.error(f"unknown fault: {', '.join(sorted(unknown))}; known are {', '.join(injections.ALL)}")
    options.faults = options.faults or list(injections.ALL)
    options.times = options.times or (20 if options.long else 2)
    if options.long and not options.sessions:
        options.sessions = -(-10_000 // len(options.faults))
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    return options


def _path(text):
    return pathlib.Path(text).resolve()


if __name__ == "__main__":
    sys.exit(main())
