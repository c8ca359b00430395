"""The boot `hardware`: heat and a battery as sources of events, as the kernel tells them."""
import json
import re

#: Seconds from one look at sensors and supplies to the next, and a little.
LOOK = 2.5


def hardware(results):
    for name, text in (("sensor", "the kernel has the sensor"), ("battery", "and the battery"), ("config", "a configuration with both is in order"),
                       ("lost", "it is told that both are gone"), ("back", "and that they are back")):
        results.check_done(f"hardware.{name}", text)
    findings = json.loads((results.out / "doctor-hardware.json").read_text())["findings"]
    failures = [finding["text"] for finding in findings if finding["verdict"] == "failure"]
    results.check(not failures, "doctor approves", failures)
    orders = [line.split() for line in (results.out / "hardware.txt").read_text().splitlines()]
    times = {" ".join(order): int(moment) / 1000 for moment, *order in orders}
    lines = (results.out / "hardware.jsonl").read_text().splitlines()
    events = list(map(json.loads, lines))
    noticed(results, [event for event in events if event["source"] == "box"], "82 °C", times["temperature 82"], times["temperature 60"])
    noticed(results, [event for event in events if event["source"] == "cell"], "battery-low", times["battery 9"], times["battery 60"])
    results.check(results.facts.text("hardware.lost_times") == "2", "each is told once", results.facts.text("hardware.lost_times"))
    results.check(results.facts.text("hardware.same_daemon") == "yes", "the daemon has run on")
    status = " ".join(re.findall(r".*event-sources.*", (results.out / "status-hardware.txt").read_text()))
    results.check("lm75" in status and "hid-cell-battery" in status, "status shows both meanwhile", status)


def noticed(results, events, detail, begin, end):
    said = [event.get("detail") for event in events]
    if not results.check(said == [detail], f"{detail}: one event", said):
        return
    late, over = events[0]["start"] / 1000 - begin, events[0].get("end", 0) / 1000 - end
    results.check(
        -0.1 <= late <= LOOK and -LOOK <= over <= LOOK, f"{detail}: it begins and ends with what is so", f"{late:+.2f} s, {over:+.2f} s")
