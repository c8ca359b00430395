"""The boot `faults`: devices that go away, come back and fail during recordings."""
from .faults import camera_returns, card_returns

#: KiB of private memory that all the faults together may cost: the allocator's unrest.
GROWTH = 1024


def faults(results):
    camera_returns(results, "unplugged")
    camera_returns(results, "faulty")
    card_returns(results, "deaf")
    nothing_leaks(results)


def nothing_leaks(results):
    no_more_descriptors(results, "before", "after")
    no_more_descriptors(results, "camera-early", "camera-late")
    no_more_descriptors(results, "card-early", "card-late")
    # Between recordings, since a recording's own memory is touched little by little.
    memory = [results.facts.number(f"usage.{when}.memory") for when in ("before", "after")]
    results.check(
        memory[1] - memory[0] <= GROWTH, "no more private memory after all faults than before",
        f"{memory[0]:.0f}, {memory[1]:.0f} KiB")


def no_more_descriptors(results, early, late):
    counts = [results.facts.number(f"usage.{when}.descriptors") for when in (early, late)]
    results.check(counts[1] <= counts[0], f"{late}: no more descriptors than {early}", counts)
