"""An upload is interrupted again and again: the daemon killed, connections cut, the store away for a while; each object arrives
once and whole."""
import random
import time

from interop import archives
from interop.object_store import ObjectStore
from interop.processes import wait_until
from interop.tests.archive_upload import add_ballast, record, require_equal, settings, wait_for_upload
from interop.world import World

#: Of the archives, each with a file of several parts beside its recording.
ARCHIVES = 3
#: Seconds between two interruptions, and how long the store is away.
EARLIEST, LATEST = 0.2, 2.5
AWAY = 1.0


def run(context):
    chance = random.Random(context.seed)
    with ObjectStore(context.scratch) as store:
        # An attempt that is not interrupted would take 15 s.
        with World(context, settings=settings(store, context, max_bitrate="20Mbit/s")) as world:
            ids = [record(world, 1) for _ in range(ARCHIVES)]
            for archive in archives.wait_for(world.archive_folder, ARCHIVES):
                add_ballast(archive)
            store.door.open()
            kinds = [_interrupt(world, store, chance) for _ in range(context.interruptions)]
            for archive_id in ids:
                wait_for_upload(store, world, archive_id, limit=120)
            require_equal(store, world)
            _require_once(store)
    return f"{kinds.count('daemon')} times the daemon, {kinds.count('store')} times the store, seed {context.seed}"


def _interrupt(world, store, chance):
    time.sleep(chance.uniform(EARLIEST, LATEST))
    if chance.random() < 0.5:
        world.kill_device()
        world.start_device()
        return "daemon"
    store.door.close()
    time.sleep(chance.uniform(0, AWAY))
    store.door.open()
    return "store"


def _require_once(store):
    """Whole objects are put or completed once, but where the answer to that was lost."""
    completed = store.requests("POST /") - store.requests("?uploads=")
    if store.requests("?uploads=") > 2 * ARCHIVES:
        raise AssertionError(f"{store.requests('?uploads=')} objects in parts were begun for {ARCHIVES}")
    wait_until(lambda: not store.unfinished(), "nothing is left unfinished", limit=5)
    if completed < ARCHIVES:
        raise AssertionError(f"{completed} objects in parts were completed")
