"""The boot `upload`: encrypted recordings at a store, past a store and a daemon that end in the middle."""
import json
import pathlib
import random

from . import owner
from .recording import Recording
from .results import playable

#: Archives that were interrupted in the middle of a file, and those that were not.
INTERRUPTED = ["gone", "restarted", "silent", "killed"]
#: Files of an archive's folder that stay on the device.
STAYING = {"uploaded", "lock", "locked"}
#: Of the program, and what a shell adds.
ENVIRONMENT = {
    "PATH", "LIVESESSIONS_ARCHIVE", "LIVESESSIONS_ARCHIVE_PATH", "LIVESESSIONS_UPLOADED_TO", "PWD", "OLDPWD", "SHLVL", "_"}
#: Octets of a message before its encrypted content, more than there are.
HEAD = 1_024
SAMPLE = 32
SAMPLES = 40


def upload(results):
    results.check_done("upload.config", "a configuration with an encrypted upload is in order")
    results.check_done("upload.start", "the daemon starts with it")
    doctor_approves(results)
    for name in ["plain", *INTERRUPTED, "mended", "let-in"]:
        results.check_done(f"upload.{name}.uploaded", f"{name}: the archive is uploaded")
    interruptions(results)
    mistakes(results)
    whole_at_the_store(results)
    once_each(results)
    store_reads_nothing(results)
    device_keeps_nothing(results)
    journal_is_silent(results)
    program_was_run(results)


def doctor_approves(results):
    findings = json.loads((results.out / "doctor-upload.json").read_text())["findings"]
    verdicts = [(finding["verdict"], finding["text"]) for finding in findings if finding["part"] == "upload"]
    results.check([verdict for verdict, _ in verdicts] == ["ok"], "doctor approves of store and certificate", verdicts)


def interruptions(results):
    facts = results.facts
    for name in INTERRUPTED:
        results.check_done(f"upload.{name}.middle", f"{name}: interrupted in the middle of a file")
        results.report.note(f"{name}: uploaded {facts.number(f'upload.{name}.after') / 1000:.1f} s after the interruption was over")
    said = facts.text("upload.plain.field")
    results.check("was uploaded" in said, "the journal finds an archive's records by its id", said)
    said = (facts.text("upload.gone.told"), facts.text("upload.gone.over"))
    results.check(said == ("1", "1"), "a store that is away is told once, and its return", said)
    results.check("cannot be reached" in facts.text("upload.gone.status"), "status shows it", facts.text("upload.gone.status"))
    for name in ("restarted", "silent"):
        time = facts.number(f"upload.{name}.milliseconds")
        results.check(time < 10_000, f"{name}: the daemon stops within 10 s", f"{time:.0f} ms")
    results.check(facts.text("upload.silent.result") == "success", "also while the store reads nothing", facts.text("upload.silent.result"))
    results.check(facts.text("upload.killed.same_daemon") != "yes", "killed: it is another daemon that goes on")


def mistakes(results):
    """Of certificate and password, each told once, with what to do; then all is sent without a restart."""
    facts = results.facts
    told(results, "absent", "upload.absent.said", "No such file", "create it")
    results.check("recordings.pem" in facts.text("upload.absent.status"), "absent: status shows it", facts.text("upload.absent.status"))
    results.check_done("upload.again.tried", "the next archive is tried")
    results.check(facts.text("upload.again.told") == "1", "a mistake that stays is told once", facts.text("upload.again.told"))
    told(results, "elliptic", "upload.elliptic.said", "RSA", "encrypt_for")
    told(results, "forbidden", "upload.forbidden.said", "Permission denied", "owner and mode")
    results.check(facts.text("upload.forbidden.told") == "3", "each other mistake is told once", facts.text("upload.forbidden.told"))
    results.check(facts.text("upload.forbidden.attempts") == "0", "meanwhile nothing leaves the device", facts.text("upload.forbidden.attempts"))
    waiting = [item["archiveID"] for item in listed(results, "archives-mended.json") if not item.get("isUploaded")]
    results.check(not waiting, "with the right certificate all that waited is sent, without a restart", waiting)
    results.check_done("upload.refused.acl", "a file's access-control list lets the daemon read it")
    told(results, "refused", "upload.refused.said", "status 401", "credentials")
    results.check(facts.text("upload.refused.told") == "1", "a wrong password is told once", facts.text("upload.refused.told"))
    waiting = [item["archiveID"] for item in listed(results, "archives.json") if not item.get("isUploaded")]
    results.check(not waiting, "with the right password all that waited is sent, without a restart", waiting)


def told(results, name, fact, *words):
    said = results.facts.text(fact)
    results.check(all(word in said for word in words), f"{name}: it is told, with what to do", said)


def listed(results, name):
    return json.loads((results.out / name).read_text())


def archives(results):
    """Each archive's id, and its files by their names."""
    for manifest in sorted((results.out / "archives").glob("*/*/*/*/archive.json")):
        files = {path.name: path for path in manifest.parent.iterdir() if path.name not in STAYING}
        yield manifest.parent, files


def whole_at_the_store(results):
    """Whoever has the key gets every file back as it was recorded, and there is nothing else."""
    objects = results.out / "store/objects/incoming/gate"
    there = {path.relative_to(objects) for path in objects.rglob("*") if path.is_file()}
    expected, differing, count = set(), [], 0
    for folder, files in archives(results):
        for name, path in files.items():
            place = pathlib.Path(*folder.parts[-4:]) / f"{name}.cms"
            expected.add(place)
            content = owner.decrypt(objects / place, results.out.parent / "upload") if place in there else None
            count += 1
            if content != path.read_bytes():
                differing.append(str(place))
        for path in folder.glob("*.webm"):
            playable(results, f"{folder.name[:8]}/{path.name}", Recording(path))
    results.check(there == expected, "the store has every file, and nothing else", sorted(map(str, there ^ expected))[:5] or len(there))
    results.check(count > 0 and not differing, "each is decrypted to the bytes that were recorded", differing[:5] or count)


def requests(results):
    return [json.loads(line) for line in (results.out / "store/requests.jsonl").read_text().splitlines()]


def once_each(results):
    """Each file is taken once, the manifest last; only what was interrupted was begun more often."""
    lines = [line for line in requests(results) if line["method"] == "PUT"]
    taken = [line["path"] for line in lines if line.get("status") in (201, 204)]
    twice = sorted({path for path in taken if taken.count(path) > 1})
    results.check(taken and not twice, "each file arrives once", twice[:5] or len(taken))
    begun = [line["path"] for line in lines if "length" in line]
    refused = [line["path"] for line in lines if line.get("status") == 401]
    large = {name: f"/{results.facts.text(f'upload.{name}.id')}/more.bin.cms" for name in INTERRUPTED}
    for name, suffix in large.items():
        count = sum(path.endswith(suffix) for path in begun)
        results.check(2 <= count <= 3, f"{name}: what was interrupted is begun again", count)
    others = {path for path in begun if begun.count(path) - refused.count(path) > 1 and not path.endswith(tuple(large.values()))}
    results.check(not others, "nothing else is", sorted(others)[:5] or "")
    early = [path for index, path in enumerate(taken) if path.rsplit("/", 1)[0] in {
        before.rsplit("/", 1)[0] for before in taken[:index] if before.endswith("/archive.json.cms")}]
    results.check(not early, "of each archive the manifest comes last", early[:5])


def store_reads_nothing(results):
    """Neither of objects nor of what was cut; and no two attempts have the same key."""
    draw = random.Random(11)
    attempts = [path.read_bytes() for path in sorted((results.out / "store/attempts").iterdir())]
    seen, samples = 0, 0
    for _, files in archives(results):
        for path in files.values():
            content = path.read_bytes()
            for _ in range(SAMPLES if len(content) > 10 * SAMPLE else 0):
                start = draw.randrange(len(content) - SAMPLE)
                sample = content[start : start + SAMPLE]
                # Zeros and the like are anywhere.
                if len(set(sample)) < SAMPLE // 4:
                    continue
                samples += 1
                seen += any(sample in attempt for attempt in attempts)
    results.check(samples > 500 and seen == 0, "the store sees nothing of what was recorded", f"{seen} of {samples} samples")
    beginnings = [attempt[HEAD : HEAD + SAMPLE] for attempt in attempts if len(attempt) >= HEAD + SAMPLE]
    results.check(len(set(beginnings)) == len(beginnings) > 1, "no two attempts are encrypted alike", len(beginnings))


def device_keeps_nothing(results):
    """No key of an object, no password but where the administrator put it, no file beside."""
    facts = results.facts
    results.check(facts.text("upload.under_way") == "0", "no key of an object stays on the device", facts.text("upload.under_way"))
    for name, text in (("temporary", "nor a temporary file"), ("stored_secrets", "nor the password below its state")):
        results.check(facts.text(f"upload.{name}") == "", text, facts.text(f"upload.{name}"))
    results.check(facts.text("upload.process_secrets") == "0", "nor is it in its environment", facts.text("upload.process_secrets"))
    secrets = [facts.text("upload.secret"), facts.text("upload.encoded")]
    told = [path for path in ("status-upload.txt", "doctor-upload.json", "ended-environment")
            if any(secret in (results.out / path).read_text(errors="replace") for secret in secrets)]
    results.check(all(secrets) and not told, "status, doctor and the program are not told the password", told)
    results.check_done("upload.verify", "archive verify finds nothing")


def journal_is_silent(results):
    secrets = [results.facts.text("upload.secret"), results.facts.text("upload.encoded")]
    journal = (results.out / "journal.txt").read_text(errors="replace")
    results.check(all(secrets) and not any(secret in journal for secret in secrets), "nor is the journal", len(journal))


def program_was_run(results):
    facts = results.facts
    lines = [line.split() for line in (results.out / "ended").read_text().splitlines()]
    ended = [words[1] for words in lines if words[0] == "ended"]
    ids = {item["archiveID"] for item in listed(results, "archives.json")}
    results.check(sorted(ended) == sorted(ids), "the program for each archive runs once to its end", f"{len(ended)} of {len(ids)}")
    killed = facts.text("upload.killed.id")
    begun = [words[1] for words in lines if words[0] == "begun"]
    results.check(begun.count(killed) == 2, "again where the daemon ended before it did", begun.count(killed))
    again = sorted({identity for identity in begun if identity != killed and begun.count(identity) > 1})
    results.check(not again, "and not otherwise", again)
    told = {tuple(words[2:]) for words in lines if words[0] == "begun"}
    where = {f"https://localhost:9443/incoming/gate/{folder}" for folder in (
        "/".join(path.parts[-4:]) for path, _ in archives(results))}
    wrong = [words for words in told if words[:2] != ("an", "argument") or words[2] not in where]
    results.check(told and not wrong, "it is told its argument and where the archive is", wrong[:3])
    wrote = [words for words in lines if words[0] in ("wrote", "no")]
    results.check(not wrote, "it works in the unit's sandbox", wrote[:3])
    names = set((results.out / "ended-environment").read_text().split())
    results.check({"PATH", "LIVESESSIONS_ARCHIVE"} <= names <= ENVIRONMENT, "its environment has nothing else", sorted(names))
    results.check_done("upload.killed.held", "killed: the program was running")
    results.check_done("upload.killed.ended", "killed: it is run again")
