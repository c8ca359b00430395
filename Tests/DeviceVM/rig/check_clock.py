"""The boot `clock`: the device boots in 1970, and the clock is set during a recording."""
from .faults import pictures_go_on
from .results import continuous_sound, tone

#: 2026-11-21 12:00 UTC, to which the guest's script sets the clock.
SET_AT = 1_795_262_400


def clock(results):
    facts = results.facts
    results.check(facts.text("clock.year") == "1970", "the device boots in 1970", facts.text("clock.year"))
    results.check_done("install.online", "the device is online all the same")
    results.check_done("clock.synchronised", "the kernel's clock is called synchronised")
    recorded(results, "before", seconds=13, created=SET_AT - 5)
    recorded(results, "after", seconds=3, created=SET_AT + 15)
    results.check_done("clock.online", "after the jump the device is online")
    results.check_done("clock.listed", "and listed by the hub")
    results.check_done("clock.still_listed", "and stays so")


def recorded(results, name, seconds, created):
    """Of a recording whose time can be trusted in the end, since the clock was set before it ended."""
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    begun = manifest["createdAt"] / 1000
    results.check(manifest["clockSynchronized"], f"{name}: the manifest says that its time can be trusted")
    results.check(abs(begun - created) < 20, f"{name}: and the time is right", f"{begun - created:+.1f} s")
    results.check(abs(recording.duration - seconds) < 2, f"{name}: it is as long as it was", f"{recording.duration:.2f} s")
    tone(results, name, continuous_sound(results, name, recording))
    pictures_go_on(results, name, recording)
