"""What was found, as tables with the goals beside the figures."""
import os
import statistics

from bench import figures, table
from transport.measures import slope

MEBIBYTE = 1024 * 1024


def machine():
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} × {figures.processor()}, load {load:.1f}; VP8 800 kbit/s at 30/s and Opus 32 kbit/s on the loopback "
          "interface")


_WAYS = {
    "protected": "protect alone",
    "kept": "packetise and protect",
    "loopback": "the same and sent, loopback",
    "loopbackSingly": "  with a call a datagram",
    "swallowed": "the same and sent, swallowed",
    "swallowedSingly": "  with a call a datagram",
}


def packets(costs, missing):
    for profile in dict.fromkeys(one.profile for one in costs):
        same = {one.way: one for one in costs if one.profile == profile}
        table.show(f"A session alone, {profile}, ns of CPU a packet sent; rounds in turns", [
            ("", "own work", "÷ packetise and protect", "its feedback", "allocations", "goal"),
            *((_WAYS[way], table.spread(one.own, 0), _ratio(one, same["kept"]), f"{statistics.median(one.feedback):.0f}",
               f"{one.allocations} in {one.packets}", _packet_goal(way, profile)) for way, one in same.items())])
    if missing:
        table.say(f"Sending without a receiver was not measured: {missing}.")


def _ratio(one, other):
    """Of what was measured one after the other."""
    return f"{statistics.median(own / kept for own, kept in zip(one.own, other.own)):.2f}"


def _packet_goal(way, profile):
    sent = "swallowed", "loopback"
    return "≤ 3000; 0" if way in sent and "GCM" in profile else ""


def delays(found, set_up):
    rows = [("", "median", "p99", "most", "goal")]
    for one in found:
        name = f"frame pushed to its {{}} datagram, {one.viewers} viewer{'s' if one.viewers > 1 else ''}"
        rows.append((name.format("first"), *_milliseconds(one.first), "≤ 2, 5"))
        rows.append((name.format("last"), *_milliseconds(one.last), "(key frames are spread)"))
    rows.append((f"offer to first packet of media, {len(set_up)} calls", *_milliseconds(set_up), "≤ 250"))
    table.show("Delays, ms; the kernel's time of sending", rows)


def _milliseconds(values):
    ordered = sorted(values)
    return [f"{1000 * value:.2f}" for value in (
        statistics.median(ordered), ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)], ordered[-1])]


def viewers(rounds):
    rows = [("", "% of a core", "µs a packet", "RssAnon MiB", "goal")]
    for same in zip(*rounds):
        count = same[0].viewers
        spread = table.spread([one.share for one in same], 2)
        packet = f"{statistics.median(1e6 * one.network / max(1, one.packets) for one in same):.1f}" if count else ""
        rows.append((f"{count} viewers", spread, packet, f"{same[0].memory / MEBIBYTE:.1f}"))
    slopes = [slope([(one.viewers, one.share) for one in points]) for points in rounds]
    memory = slope([(one.viewers, one.memory / MEBIBYTE) for one in rounds[0]])
    rows.append(("each viewer (slope)", table.spread(slopes, 3), "", f"{memory:.2f}", "≤ 0.3 %, ≤ 1 MiB"))
    table.show("The network thread with viewers that receive only", rows)


def turnover(found):
    more = (found.memory[1] - found.memory[0]) / MEBIBYTE
    table.show(f"{found.sessions} sessions set up and torn down, 20 at a time", [
        ("", "", "goal"),
        ("sessions a second, both sides on this machine", f"{found.sessions / found.seconds:.0f}"),
        ("RssAnon more than after the first 60, MiB", f"{more:+.2f}", "±1"),
        ("descriptors more", f"{found.descriptors[1] - found.descriptors[0]:+d}", "0")])


def flood(runs):
    table.show("A call both ways and garbage at its port", [
        ("garbage", "a second", "dropped by the kernel", "frames lost out", "frames lost in", "% of a core", "goal"),
        *((one.kind, f"{one.rate:.0f}", one.dropped, one.lost_sending, one.lost_receiving,
           f"{100 * one.network / one.seconds:.1f}", "no frame lost") for one in runs)])


def janus(runs):
    """`runs`: rounds, each a dictionary of points (viewers, % of a core) by name of the server."""
    rows = [("", *(f"{count} viewers" for count, _ in next(iter(runs[0].values()))), "each viewer (slope)")]
    slopes = {name: [slope(one[name]) for one in runs] for name in runs[0]}
    for name, found in slopes.items():
        columns = zip(*([share for _, share in one[name]] for one in runs))
        rows.append((name, *(table.spread(column, 2) for column in columns), table.spread(found, 3)))
    table.show("The same stream to the same viewers, % of a core of the whole process, taken in turns", rows)
    ours, *others = slopes
    for other in others:
        ratio = table.spread([own / theirs for own, theirs in zip(slopes[ours], slopes[other])], 2)
        table.say(f"{ours} ÷ {other}, a viewer: {ratio}")
