"""A recorded caller sends far more than anybody asked for: older recordings and the disk must not pay."""
import sys
import time

from interop.processes import Child, wait_until
from interop.world import DEVICE, SECOND_OPERATOR

from abuse.ringing import POLICY

__all__ = ["POLICY"]
SECONDS, QUICK_SECONDS = 30, 10
#: What the recordings of both calls may take, in bits a second, and once.
FAIR, BURST = 5_000_000, 60_000_000


def attack(stage):
    before, patience = _bytes(stage), QUICK_SECONDS if stage.is_quick else SECONDS
    title, password = SECOND_OPERATOR
    loud = Child([
        sys.executable, "-m", "abuse.loud_caller", "--hub", stage.world.url, "--title", title, "--password", password,
        "--receiver", DEVICE, "--seconds", str(patience + 5)], stage.world.folder / "loud.log")
    try:
        wait_until(lambda: '"connected"' in loud.log.read_text(), "the loud caller is connected", 20, alive=[loud])
        begin = time.monotonic()
        time.sleep(patience)
        rates = [session.get("receiveBitrate", 0) for session in stage.world.status()["sessions"]]
        grown, seconds = _bytes(stage) - before, time.monotonic() - begin
    finally:
        loud.kill()
    recorded = f"{grown * 8 / 1e6:.0f} Mbit in {seconds:.0f} s"
    stage.note(f"the device received {max(rates) / 1e6:.1f} Mbit/s, and recorded {recorded} in all")
    stage.check(max(rates) > FAIR, "the loud caller was not loud: this run says nothing")
    stage.check(grown * 8 < FAIR * seconds + BURST, f"recordings grow by {recorded}")


def _bytes(stage):
    """What all recordings take, that of the bystander's call too."""
    return sum(path.stat().st_size for path in stage.world.archive_folder.glob("*/*/*/*/*.webm"))
