"""The second part of the boot `buttons`: a contact as a source of events."""
import json
import re

#: Seconds within which an event begins and ends with its contact, as the kernel tells the times.
EXACT = 0.3
#: After the daemon's restart, until it has opened the device.
START = 5.0


def inputs(results):
    facts = results.facts
    results.check_done("inputs.config", "a configuration with a contact is in order")
    results.check_done("inputs.lost", "the daemon says that the contact is gone")
    results.check_done("inputs.back", "and that it is back")
    results.check_done("inputs.back_open", "also when it was open")
    said = (facts.text("inputs.lost_times"), facts.text("inputs.back_times"))
    results.check(said == ("2", "2"), "each is told once", said)
    results.check(facts.text("inputs.same_daemon") == "yes", "the daemon has run on")
    status = (results.out / "status-contact.txt").read_text()
    found = re.findall(r".*event-sources.*", status)
    results.check("cabinet" in " ".join(found), "status shows it meanwhile", found[:1] or status[:200])
    opened_and_closed(results)


def opened_and_closed(results):
    """One event each time that the contact is opened; one that is unplugged meanwhile is the same event."""
    orders = [line.split() for line in (results.out / "contact.txt").read_text().splitlines()]
    times = {order: [int(moment) / 1000 for moment, name in orders if name == order] for order in ("open", "close")}
    lines = (results.out / "inputs.jsonl").read_text().splitlines()
    events = sorted((event for event in map(json.loads, lines) if event["source"] == "cabinet"), key=lambda event: event["start"])
    opened, closed = times["open"], times["close"]
    # The third was open before it was unplugged; the daemon's restart cuts the last.
    begins = [opened[0], opened[1], opened[3], results.facts.number("inputs.restarted") / 1000]
    late = [event["start"] / 1000 - begin for event, begin in zip(events, begins)]
    if not results.check(len(events) == len(begins), "each opening is one event", f"{len(events)} of {len(begins)}"):
        return
    results.check(all(abs(seconds) <= EXACT for seconds in late[:3]), "it begins with the contact", [f"{seconds:+.3f}" for seconds in late])
    results.check(-1 <= late[3] <= START, "what is open when the daemon starts is one as well", f"{late[3]:+.2f} s")
    ends = [(event["end"] / 1000 - end) for event, end in zip((events[0], events[1], events[3]), closed) if "end" in event]
    results.check(len(ends) == 3 and all(abs(seconds) <= EXACT for seconds in ends), "and ends with it", [f"{seconds:+.3f}" for seconds in ends])
