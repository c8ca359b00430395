"""The boot `cameras`: two cameras that a plan records, each of which is unplugged while the other goes on."""
import json
import re

from .check_faults import no_more_descriptors
from .faults import Fault, faults_of, pictures_go_on, pictures_return
from .recording import Recording, steps
from .results import FRAME_RATE, continuous_sound, playable, tone

#: Pictures a second of each camera, by its file.
RATES = {"device": FRAME_RATE, "yard": 15}
#: Windows of 20 ms after which sound card and plan, which begin with the daemon, have settled.
SETTLED = 25
#: Seconds between the beginnings of two cameras' files.
TOGETHER = 2.0


def cameras(results):
    for name, text in (("usb.started", "the USB camera's program starts"), ("usb.plugged", "uvcvideo takes the USB camera"),
                       ("cameras.config", "two cameras are a configuration in order"), ("cameras.start", "the daemon starts")):
        results.check_done(name, text)
    doctor_looks_at_both(results)
    one_away(results, "yard-away", "yard", "device", r"camera yard\b")
    one_away(results, "main-away", "device", "yard", r"camera:")
    status_shows_it(results)
    no_more_descriptors(results, "yard-early", "yard-late")
    no_more_descriptors(results, "main-early", "main-late")
    errors = results.facts.text("usb.errors")
    results.check(errors == "", "the USB camera's program has no error", errors[-300:])


def doctor_looks_at_both(results):
    """Of the further camera, too, it says that the daemon's user may not open it."""
    findings = json.loads((results.out / "doctor-cameras.json").read_text())["findings"]
    failures = [(finding["part"], finding["text"]) for finding in findings if finding["verdict"] == "failure"]
    told = len(failures) == 1 and failures[0][0] == "permissions"
    results.check(told, "doctor tells of a further camera that is forbidden", failures)


def one_away(results, name, away, other, part):
    """The recording in which a camera was unplugged, and the other was not."""
    facts = results.facts
    results.check_done(f"{name}.begun", f"{name}: the plan records both cameras")
    results.check(facts.text(f"{name}.same_daemon") == "yes", f"{name}: the daemon stays up")
    results.check_done(f"{name}.verify", f"{name}: archive verify finds nothing")
    manifest, files = read(results, name)
    if not results.check(set(files) == set(RATES), f"{name}: a file of each camera", sorted(files)):
        return
    faults = faults_of(results, name, manifest)
    for camera, (entry, recording) in files.items():
        playable(results, f"{name}: {camera}", recording)
    begun = [entry["startTimeOffset"] / 1000 for entry, _ in files.values()]
    results.check(max(begun) - min(begun) <= TOGETHER, f"{name}: they begin together", begun)
    sound = files["device"][1]
    tone(results, f"{name}: device", continuous_sound(results, f"{name}: device", sound), first=SETTLED)
    pictures_go_on(results, f"{name}: {other}", files[other][1], RATES[other])
    times = files[other][1].times("video")
    results.report.note(f"{name}: {other}: {max(steps(times)):.3f} s from one picture to the next at most, in {times[-1]:.0f} s")
    entry, recording = files[away]
    begin = entry["startTimeOffset"] / 1000
    own = [Fault(fault.name, fault.begin - begin, fault.end - begin) for fault in faults]
    pictures_return(results, f"{name}: {away}", recording, own, RATES[away])
    for fault in faults:
        told_once(results, name, fault.name, part)


def read(results, name):
    """The manifest, and of each camera its entry there and its file."""
    manifest = json.loads((results.out / name / "archive.json").read_text())
    return manifest, {
        entry["filename"].split(".")[0]: (entry, Recording(results.out / name / entry["filename"])) for entry in manifest["files"]}


def told_once(results, name, fault, part):
    """The journal says that the camera was unplugged and that it is back, once each, and nothing of the other one."""
    lines = [line for line in results.facts.text(f"{name}.{fault}.said").split("|") if line]
    own = [line for line in lines if re.match(part, line)]
    # Between the two it may say why it cannot be opened.
    results.check(
        own == lines and 2 <= len(own) <= 3 and len(set(own)) == len(own) and "was unplugged" in own[0] and "at " in own[-1],
        f"{name}: {fault}: that it was unplugged and its end are told, nothing twice", lines)


def status_shows_it(results):
    for fault, part in (("yard-2", r"camera yard\s+since"), ("main-2", r"camera\s+since")):
        status = (results.out / f"status-{fault}.txt").read_text()
        results.check(re.search(part, status), f"{fault}: status shows it", next(iter(re.findall(r".*since.*", status)), status[:200]))
    after = (results.out / "status-after.txt").read_text()
    results.check("camera yard" in after, "status still names it when it is over", next(iter(re.findall(r".*camera yard.*", after)), ""))
