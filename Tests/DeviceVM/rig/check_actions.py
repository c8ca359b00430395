"""The boot `actions`: a door on a simulated GPIO chip."""

#: Milliseconds of the pulse in the guest's configuration.
PULSE = 2_000
#: From a button to the page in the guest, which is more than ten times slower than the host; the goal is 300 ms.
RING_LIMIT = 3_000


def actions(results):
    facts = results.facts
    results.check_done("gpio.module", "the simulated chip is there")
    results.check(facts.text("actions.owner") == "gpio 660", "it belongs to the group gpio", facts.text("actions.owner"))
    results.check(facts.text("actions.idle") == "0", "the line is inactive at the daemon's start")
    results.check_done("actions.run", "the action is done")
    results.check(facts.text("actions.during") == "1", "and the line is active")
    results.check_done("actions.ended", "and inactive again")
    pulse = facts.number("actions.pulse_us") / 1_000
    results.check(PULSE - 300 <= pulse <= PULSE + 500, "after its pulse", f"{pulse:.0f} ms")
    results.check_done("actions.program", "a program runs")
    results.check("LIVESESSIONS_ACTION=whoami" in facts.text("actions.printed"), "and what it prints is logged")
    results.check(facts.text("actions.unknown") == "1", "an unknown action is refused")
    for word in ("done for local", "refused to local"):
        results.check(word in facts.text("actions.said"), f"the journal says: {word}")
    buttons(results)
    contact(results)
    killed(results)
    unplugged(results)


def buttons(results):
    """Lines of the same chip that are pulled up and down, as a button does."""
    facts = results.facts
    results.check_done("actions.exit", "a button on a GPIO line opens the door")
    results.report.note(f"button to door line: {facts.number('actions.exit_us') / 1_000:.0f} ms in the guest, 20 ms of debounce included")
    results.check(facts.text("actions.stranger") == "0", "a button that no rule allows does not")
    results.check("refused" in facts.text("actions.stranger_said"), "and the journal says so", facts.text("actions.stranger_said"))
    results.check_done("actions.bell", "a bell on a GPIO line is pressed")
    ring = facts.number("buttons.line")
    results.check(0 < ring <= RING_LIMIT, "and rings at the page", f"{ring:.0f} ms")


def contact(results):
    """A line whose level is an event."""
    facts = results.facts
    results.check_done("actions.contact", "a contact that opens begins an event")
    results.check_done("actions.contact_over", "which is over when it is closed")
    results.check(facts.text("actions.contact_event") == "1", "and is listed")


def killed(results):
    """The chip keeps levels, so what is inactive after SIGKILL was made so."""
    facts = results.facts
    for delay in ("0", "0.1", "0.4", "0.8", "1.3", "1.8", "3"):
        text = facts.text(f"actions.killed.{delay}")
        results.check("inactive (0)" in text, "after SIGKILL the line becomes inactive", text)
    results.check_done("actions.restarted", "and stays so when the daemon is back")
    results.check(facts.text("actions.bare_level") == "1", "without ExecStopPost= it would stay active")
    results.check_done("actions.safe", "livesessions action safe succeeds")
    results.check(facts.text("actions.safe_level") == "0", "and makes it inactive")


def unplugged(results):
    facts = results.facts
    results.check(facts.text("actions.unplugged") == "1", "an unplugged chip is an error")
    results.check(facts.text("actions.same_daemon") == "yes", "and the daemon goes on")
    results.check_done("actions.contact_lost", "a contact of a chip that is gone is told")
    results.check("Contact" in facts.text("actions.contact_status"), "and shown", facts.text("actions.contact_status"))
    results.check_done("actions.back", "a chip that is back is used again")
    results.check_done("actions.contact_back", "and its contact, too")
