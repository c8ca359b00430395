"""What was found, as tables."""
import statistics

from bench import table
from light.findings import WHOLE, pulses
from light.recording import ENCODERS

MEGABYTE = 1e6


def show(found):
    """All tables of a list of findings."""
    _cpu(found)
    _quality(found)
    _events(found)
    _goals({finding.clip.name: finding for finding in found})


def _cpu(found):
    peers = [name for name in ("ffmpeg", "GStreamer") if name in found[0].rounds[0].cpu]
    rows = [("", "% of a core", "÷ vpxenc + opusenc", "less the pipes", *(f"÷ {name}" for name in peers), "RssAnon MB")]
    for one in found:
        rows.append(
            (one.clip.name, f"{one.share:.2f}", table.spread(one.cpu_ratios(ENCODERS),
                                                             2), table.spread(one.cpu_ratios_without_pipes(), 2),
             *(table.spread(one.cpu_ratios(name), 2) for name in peers), f"{one.memory / MEGABYTE:.1f}"))
    table.show(f"CPU time of the whole recording, median (least–greatest) of {len(found[0].rounds)} rounds", rows)
    for one in found:
        if any(taken.frames < WHOLE * one.clip.frames for taken in one.rounds):
            counts = ", ".join(str(taken.frames) for taken in one.rounds)
            table.say(f"{one.clip.name}: livesessionsd recorded {counts} of {one.clip.frames} frames in its rounds; "
                      "those that lack many do not count")


def _quality(found):
    rows = [("", "kB", "÷ vpxenc's", "at equal PSNR", "frames lost", "PSNR clean", "worst s", "PSNR source", "worst s",
             "SSIM clean", "worst s", "SSIM source", "worst s")]
    for one in found:
        for name, judged in one.judged.items():
            ours = judged is one.ours
            rows.append((f"{one.clip.name} {name}" if ours else f"    {name}", f"{judged.packets.bytes / 1000:.0f}",
                         f"{judged.packets.bytes / one.reference.packets.bytes:.2f}", one.equal_text if ours else "",
                         judged.packets.dropped, *_likeness(judged)))
    table.show(
        "Video: bytes, and likeness of luma to the scene without noise (clean) and to what the camera delivered (source)",
        rows)
    table.say("At equal PSNR: ours ÷ vpxenc's bytes at our PSNR (clean), interpolated between its runs at other rates;")
    table.say(
        "<: none of its runs is as good, so its best counts, and the ratio is an upper bound; >: its worst is better.")


def _likeness(judged):
    likenesses = [(likeness, *likeness.by_second()) for likeness in (judged.clean, judged.source)]
    psnr = [
        text for likeness, decibels, _ in likenesses for text in (f"{likeness.decibels:.2f}", f"{decibels.min():.2f}")
    ]
    ssim = [
        text for likeness, _, values in likenesses
        for text in (f"{likeness.similarity.mean():.4f}", f"{values.min():.4f}")
    ]
    return psnr + ssim


def _events(found):
    rows = [("", "after a key frame", "after an entrance", "pulse, ours", "pulse, vpxenc's")]
    for one in found:
        rows.append((one.clip.name, _decibels(one.worst_after_keys()), _decibels(one.worst_after_entrances()),
                     *(_pulse(judged) for judged in (one.ours, one.reference))))
    table.show(
        "Our PSNR less vpxenc's in the worst such second; how far key frames fall below what was before them; dB", rows)


def _decibels(value):
    return "–" if value is None else f"{value:+.2f}"


def _pulse(judged):
    found = pulses(judged)
    return table.spread(found, 1) if found else "–"


def _goals(found):
    """The rows of what is aimed at for which clips were measured."""
    rows = [("", "now", "goal")]
    still = [found[name] for name in ("still-1", "still-2", "still-4") if name in found]
    if still:
        rows.append(("still, σ 1–4: CPU ÷ vpxenc + opusenc",
                     _each([statistics.median(one.cpu_ratios(ENCODERS)) for one in still]), "≤ 0.60"))
        rows.append(("still, σ 1–4: bytes at equal PSNR", " / ".join(one.equal_text for one in still), "≤ 0.50"))
        rows.append(("still, σ 1–4: frames lost, ours − vpxenc's",
                     " / ".join(str(one.ours.packets.dropped - one.reference.packets.dropped) for one in still), "≤ 0"))
    if moving := found.get("moving"):
        rows.append(("everything moves: CPU ÷ vpxenc + opusenc", table.spread(moving.cpu_ratios(ENCODERS),
                                                                              2), "≤ 1.02"))
        rows.append(("everything moves: bytes ÷ vpxenc's",
                     f"{moving.ours.packets.bytes / moving.reference.packets.bytes:.2f}", "≤ 1.02"))
    worst = [(value, one.clip.name) for one in found.values()
             for value in (one.worst_after_keys(), one.worst_after_entrances()) if value is not None]
    rows.append(("worst second after a key frame or an entrance", "{:+.2f} dB ({})".format(*min(worst)), "≥ −0.3 dB"))
    for name, aim in (("moving-1080p", "0; ≤ 1.00"), ("still-1080p", "0; ≤ 0.60")):
        if one := found.get(name):
            ratio = statistics.median(one.cpu_ratios(ENCODERS))
            rows.append(
                (f"{name}: frames lost; CPU ÷ vpxenc + opusenc", f"{one.ours.packets.dropped}; {ratio:.2f}", aim))
            rows.append((f"{name}: RssAnon", f"{one.memory / MEGABYTE:.1f} MB", "≤ 60 MB"))
    table.show("Goals", rows)


def _each(values):
    return " / ".join(f"{value:.2f}" for value in values)
