"""What was measured of the hub, as tables."""
import statistics

from bench import table


def phases(name, found):
    """One row a phase: how much was done, and what each process used for one of it."""
    names = list(found[0]["usage"])
    rows = [["", "count", "a second", "p50 ms", "p99 ms"] + [f"{process} µs each" for process in names] + ["refused"]]
    for phase in found:
        if not phase["latencies"]:
            seconds = [f"{100 * phase['usage'][process]['cpu'] / phase['seconds']:.1f} %" for process in names]
            rows.append([f"{phase['phase']}: {phase['streams']} streams, of a core", "", "", "", "", *seconds])
        for kind, latency in phase["latencies"].items():
            is_alone = len(phase["latencies"]) == 1
            costs = [f"{usage['cpu'] * 1e6 / latency['count']:.1f}" if is_alone else ""
                     for usage in (phase["usage"][process] for process in names)]
            rows.append([f"{phase['phase']}: {kind}", latency["count"], f"{latency['count'] / phase['seconds']:.0f}",
                         f"{latency['median']:.2f}", f"{latency['p99']:.2f}", *costs,
                         sum(phase["refusals"].values())])
        for what in ("offerToEvent", "answerToEvent", "endToEvent"):
            if phase["phase"] == "calls" and phase.get(what):
                latency = phase[what]
                rows.append([f"  {what}", latency["count"], "", f"{latency['median']:.2f}", f"{latency['p99']:.2f}"])
    table.show(name, rows)


def memory(found):
    """What one stream, and one present user, take."""
    by_phase = {phase["phase"]: phase for phase in found}
    rows = [["", "bytes each"]]
    if "streams" in by_phase:
        phase = by_phase["streams"]
        growth = [usage["growth"] for process, usage in phase["usage"].items() if process.startswith("hub-")]
        rows.append(["RssAnon of a hub's node, each idle stream that it holds",
                     f"{statistics.mean(growth) * len(growth) / phase['streams']:.0f}"])
    if "redisGrowth" in by_phase.get("announcements", {}):
        phase = by_phase["announcements"]
        rows.append(["Redis, each present device", f"{phase['redisGrowth'] / phase['users']:.0f}"])
    if len(rows) > 1:
        table.show("memory", rows)
