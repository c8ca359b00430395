"""Recordings fetched through the hub: the list, the manifest, whole files and ranges, also several at the same time."""
import concurrent.futures
import random
import time

from interop import archives
from interop.hub_client import HubClient, Refused
from interop.world import DEVICE, OPERATOR, World

SECONDS = 4
#: With several nodes each of these meets another pair of them: one where it is asked, one where the device answers.
FETCHES, RANGE = 12, 5_000
#: At the same time, of the four that the hub lets one user have.
WORKERS = 3


def run(context):
    chance = random.Random(context.seed)
    with World(context) as world:
        archive = _record(world)
        client = HubClient(world.url)
        client.login(*OPERATOR)
        root = f"/v1/users/{client.find(DEVICE)}/archives"
        _require_listed(client, root, archive)
        folder = f"{root}/{archive.manifest['id']}"
        path = archive.files[0]
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for _ in pool.map(lambda at: _require_file(client, folder, path, at), _places(chance, path)):
                pass
        seconds = time.monotonic() - begin
        _require_absent(client, f"{folder}/absent.webm")
    return f"{2 * FETCHES} fetches in {seconds:.1f} s, seed {context.seed}"


def _record(world):
    archive_id = world.command("archive", "start").split()[0]
    time.sleep(SECONDS)
    world.command("archive", "stop", archive_id)
    [archive] = archives.wait_for(world.archive_folder, 1)
    return archive


def _places(chance, path):
    return [chance.randrange(path.stat().st_size - RANGE) for _ in range(FETCHES)]


def _require_listed(client, root, archive):
    for _ in range(FETCHES):
        listed = [item["id"] for item in client.request("GET", root)["items"]]
        if listed != [archive.manifest["id"]]:
            raise AssertionError(f"the device lists {listed}")
        if client.request("GET", f"{root}/{listed[0]}")["files"] != archive.manifest["files"]:
            raise AssertionError("the manifest names other files")


def _require_file(client, folder, path, at):
    """The whole file, and a part of it."""
    content = path.read_bytes()
    if (fetched := client.fetch(f"{folder}/{path.name}")) != content:
        raise AssertionError(f"{len(fetched)} bytes of {len(content)} of {path.name}, or others")
    if client.fetch(f"{folder}/{path.name}", at, RANGE) != content[at:at + RANGE]:
        raise AssertionError(f"other bytes of {path.name} from {at} on")


def _require_absent(client, path):
    try:
        client.fetch(path)
    except Refused as refusal:
        if refusal.status == 404:
            return
        raise
    raise AssertionError("there is a file that is not there")
