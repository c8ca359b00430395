"""The boot `faults`: devices that go away, come back and fail during recordings."""
from .faults import faults_of, pictures_go_on, pictures_return, sound_returns
from .results import continuous_sound, tone

#: KiB of private memory that all the faults together may cost: the allocator's unrest.
GROWTH = 1024


def faults(results):
    camera(results, "unplugged")
    camera(results, "faulty")
    card(results, "deaf")
    nothing_leaks(results)


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


def nothing_leaks(results):
    same_descriptors(results, "before", "after")
    same_descriptors(results, "camera-early", "camera-late")
    same_descriptors(results, "card-early", "card-late")
    # Between recordings, since a recording's own memory is touched little by little.
    memory = [results.facts.number(f"usage.{when}.memory") for when in ("before", "after")]
    results.check(
        memory[1] - memory[0] <= GROWTH, "no more private memory after all faults than before",
        f"{memory[0]:.0f}, {memory[1]:.0f} KiB")


def same_descriptors(results, early, late):
    counts = [results.facts.number(f"usage.{when}.descriptors") for when in (early, late)]
    results.check(counts[0] == counts[1], f"{late}: as many descriptors as {early}", counts)
