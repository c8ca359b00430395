"""The boot `faults`: devices that go away, come back and fail during recordings."""
from .faults import faults_of, pictures_go_on, pictures_return, sound_returns
from .results import continuous_sound, tone

#: KiB of private memory that ten replugged devices may cost: the allocator's unrest, less than one of its buffers.
GROWTH = 1024


def faults(results):
    camera(results, "unplugged")
    camera(results, "faulty")
    card(results, "deaf")
    nothing_leaks(results, "before", "after")
    nothing_leaks(results, "camera-early", "camera-late")
    nothing_leaks(results, "card-early", "card-late")


def camera(results, name):
    """The camera fails; the sound knows nothing of it."""
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    tone(results, name, continuous_sound(results, name, recording))
    pictures_return(results, name, recording, faults_of(results, name, manifest))


def card(results, name):
    """The sound card fails; the pictures know nothing of it."""
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    analysis = continuous_sound(results, name, recording)
    sound_returns(results, name, analysis, faults_of(results, name, manifest))
    pictures_go_on(results, name, recording)


def nothing_leaks(results, early, late):
    facts = results.facts
    descriptors = [facts.number(f"usage.{when}.descriptors") for when in (early, late)]
    results.check(descriptors[0] == descriptors[1], f"{late}: as many descriptors as {early}", descriptors)
    memory = [facts.number(f"usage.{when}.memory") for when in (early, late)]
    results.check(memory[1] - memory[0] <= GROWTH, f"{late}: no more private memory than {early}", f"{memory[0]:.0f}, {memory[1]:.0f} KiB")
