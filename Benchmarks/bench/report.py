"""What was found, as tables."""
import os
import statistics

from bench import figures, table, usage

MEBIBYTE = 1024 * 1024


def machine():
    print(f"{os.cpu_count()} × {figures.processor()}; 640×480 at 30/s and a mono tone; all figures are of this run")


def cpu(seconds, rounds, pipes, files):
    """Recording beside the reference encoders; `pipes`: CPU seconds of feeding alone; `files`: what came out."""
    recorded = [one.recording.total for one in rounds]
    video, audio = [one.video for one in rounds], [one.audio for one in rounds]
    both, paced = [sum(pair) for pair in zip(video, audio)], [one.paced for one in rounds]
    table.show(f"CPU seconds for {seconds} s, median (least–greatest) of {len(rounds)} rounds, taken in turns", [
        ("", "CPU s", "% of a core", "livesessionsd ÷ this"),
        _cpu_row("livesessionsd reads and records the files", seconds, recorded),
        _cpu_row("vpxenc + opusenc in real time, through pipes", seconds, paced, recorded),
        _cpu_row("    less what cat takes for the pipes", seconds, [one - pipes for one in paced], recorded),
        _cpu_row("vpxenc + opusenc in one go, from files", seconds, both, recorded),
        _cpu_row("    of which vpxenc", seconds, video),
        _cpu_row("    of which opusenc", seconds, audio),
    ])
    table.say("livesessionsd reads, encodes, writes and syncs WebM, stays online at the hub, answers two commands.")
    table.say("The encoders get the same pictures and samples, with equal settings. In one go caches stay warm.")
    for file in files:
        coded = f"{file.pictures} pictures in {file.size:,} bytes"
        table.say(f"{file.name}: {coded}, {file.likeness:.1f} dB from what was drawn")


def peers(rounds, recording_memory):
    """Programs that do the same job: read at a camera's pace, encode, and mux into one WebM."""
    if not rounds[0].peers:
        return table.say("ffmpeg and GStreamer are not installed")
    rows = [("", "CPU s", "RssAnon MiB", "livesessionsd's CPU ÷ this", "its RssAnon ÷ this"),
            ("livesessionsd", table.spread([one.recording.total for one in rounds]),
             f"{recording_memory / MEBIBYTE:.1f}")]
    for name in rounds[0].peers:
        runs = [one.peers[name] for one in rounds]
        memory = max(run.anonymous for run in runs)
        ratio = table.spread([one.recording.total / run.cpu for one, run in zip(rounds, runs)], 2)
        rows.append((name, table.spread([run.cpu for run in runs]), f"{memory / MEBIBYTE:.1f}", ratio,
                     f"{recording_memory / memory:.2f}"))
    return table.show("The same recording by others, from the same files, equal settings, taken in turns", rows)


def _cpu_row(name, seconds, values, own=None):
    ratio = table.spread([ours / theirs for ours, theirs in zip(own, values)], 2) if own else ""
    return name, table.spread(values), f"{100 * statistics.median(values) / seconds:.2f}", ratio


def threads(stretches, in_call):
    """Each thread while recording and in a call."""
    table.show("livesessionsd's threads, % of a core, median (least–greatest)", [
        ("", "recording", "in a recorded call, both ways"),
        *((name, table.spread([100 * one.threads[name] / one.seconds for one in stretches], 2),
           f"{100 * share / in_call.seconds:.2f}") for name, share in in_call.threads.items())])


def memory(snapshots):
    table.show("livesessionsd's memory and descriptors", [
        ("", "RssAnon MiB", "RSS MiB", "threads", "descriptors"),
        *((one.moment, f"{one.anonymous / MEBIBYTE:.1f}", f"{one.resident / MEBIBYTE:.1f}", one.threads,
           len(one.descriptors)) for one in snapshots)])
    before, after = snapshots[0].descriptors, snapshots[-1].descriptors
    more = sorted(after[number] for number in after.keys() - before.keys())
    if len(after) > len(before):
        table.say(f"Open at the end, not at the start: {', '.join(more)}")


def loads(idle, in_call):
    table.show("livesessionsd's CPU time otherwise", [
        ("", "CPU s", "of s", "% of a core"),
        ("idle, online", f"{idle.total:.3f}", f"{idle.seconds:.0f}", f"{idle.share:.2f}"),
        ("in a recorded call, both ways", f"{in_call.total:.3f}", f"{in_call.seconds:.0f}", f"{in_call.share:.2f}")])


def delays(starts, calls):
    rows = [("", "ms"), (f"livesessionsd: exec to READY=1 ({len(starts)} starts)", table.spread(starts, 0, 1000))]
    asked = [_moment(events, "asked") for events in calls]
    steps = (("answered", "the answer"), ("connected", "ICE and DTLS are up"), ("received", "first decoded picture"))
    for name, words in steps:
        values = [_moment(events, name) - begin for begin, events in zip(asked, calls)]
        rows.append((f"call: PUT session to {words} ({len(calls)} calls)", table.spread(values, 0, 1000)))
    table.show("Delays, median (least–greatest)", rows)


def _moment(events, name):
    return next(event["at"] for event in events if event["event"] == name)


def sizes(found):
    table.show("Programs, stripped", [
        ("", "MiB"), *((name, f"{size / MEBIBYTE:.1f}") for name, size in found.items())])


class Disturbance:
    """How much other programs took of the machine, so that a reader can judge the spread."""

    #: Percent of the machine that other programs used, and that its host took; known once shown.
    others = stolen = None

    def __init__(self):
        self._busy, self._stolen = usage.machine_busy_time()

    def show(self, seconds, own):
        """`own`: CPU seconds of this run, children included."""
        busy, stolen = (after - before for after, before in zip(usage.machine_busy_time(), (self._busy, self._stolen)))
        capacity = seconds * os.cpu_count() / 100
        self.others, self.stolen = max(0, busy - own) / capacity, stolen / capacity
        print(f"\n{seconds:.0f} s in all. Meanwhile others used {self.others:.0f} % of the machine, "
              f"and {self.stolen:.0f} % was taken from it by its host.")
