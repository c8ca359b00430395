"""The boot `clock`: the device boots in 1970, and the clock is set during a recording."""
from .faults import pictures_go_on
from .results import continuous_sound, tone


def clock(results):
    facts = results.facts
    results.check(facts.text("clock.year") == "1970", "the device boots in 1970", facts.text("clock.year"))
    results.check_done("install.online", "the device is online all the same")
    results.check_done("clock.synchronised", "the kernel's clock is called synchronised")
    recorded(results, "before", is_synchronised=False)
    recorded(results, "after", is_synchronised=True)
    results.check_done("clock.online", "after the jump the device is online")
    results.check_done("clock.listed", "and listed by the hub")
    results.check_done("clock.still_listed", "and stays so")


def recorded(results, name, is_synchronised):
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    results.check(manifest["clockSynchronized"] is is_synchronised, f"{name}: the manifest says whether its time can be trusted")
    seconds = 13 if name == "before" else 3
    results.check(abs(recording.duration - seconds) < 2, f"{name}: it is as long as it was", f"{recording.duration:.2f} s")
    tone(results, name, continuous_sound(results, name, recording))
    pictures_go_on(results, name, recording)
