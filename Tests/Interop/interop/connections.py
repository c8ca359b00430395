"""The connections that a page makes: their statistics over time, and changes to what they say."""
import pathlib

SCRIPT = pathlib.Path(__file__).with_name("hooks.js").read_text()


class Connections:
    """Has to be made before the page is opened."""

    def __init__(self, page, **changes):
        """`changes` are JavaScript values for hooks.js, such as `offer="(sdp) => sdp"`."""
        self._page = page
        assignments = "".join(f"interopHooks.changes.{name} = {value};" for name, value in changes.items())
        page.run_before(SCRIPT + assignments)

    def samples(self):
        """What the newest connection's statistics were, some five times a second; `at` is the page's clock."""
        return self._page.evaluate("interopHooks.samples")

    def now(self):
        """The page's clock, in milliseconds."""
        return self._page.evaluate("performance.now()")

    def latest(self):
        """The last sample, or an empty one."""
        return self._page.evaluate("interopHooks.samples.at(-1)") or {}

    def selected_pair(self):
        """How the newest connection reaches the other side: `(own, remote)` types of candidates."""
        return tuple(self._page.evaluate(SELECTED_PAIR))

    def count(self):
        """How many connections the page has made."""
        return self._page.evaluate("interopHooks.connections.length")

    def remote_candidate(self):
        """Where the newest connection reaches the other side: `(type, address)` of its candidate."""
        return tuple(self._page.evaluate(REMOTE_CANDIDATE))


REMOTE_CANDIDATE = """(async () => {
  const reports = await interopHooks.connections.at(-1).getStats();
  const transport = [...reports.values()].find((report) => report.type === "transport");
  const candidate = reports.get(reports.get(transport.selectedCandidatePairId).remoteCandidateId);
  return [candidate.candidateType, candidate.address];
})()"""

SELECTED_PAIR = """(async () => {
  const reports = await interopHooks.connections.at(-1).getStats();
  const transport = [...reports.values()].find((report) => report.type === "transport");
  const pair = reports.get(transport.selectedCandidatePairId);
  return [pair.localCandidateId, pair.remoteCandidateId].map((id) => reports.get(id).candidateType);
})()"""


def difference(samples, begin, end, report, name):
    """By how much a counter grew between two moments of the page's clock."""
    counts = [sample[report][name] for sample in samples
              if begin <= sample["at"] <= end and sample.get(report, {}).get(name) is not None]
    return counts[-1] - counts[0] if counts else 0


def concealed(samples, begin, end):
    """The share of sound that had to be made up."""
    received = difference(samples, begin, end, "inbound-rtp/audio", "totalSamplesReceived")
    return difference(samples, begin, end, "inbound-rtp/audio", "concealedSamples") / received if received else 1.0
