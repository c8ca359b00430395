// What each of the hub's events about a session means to its call.

/** By the event's name: `(call, payload)`. */
export const sessionEvents = {
  "call.ringing": (call) => call.heardRinging(),
  "call.answered": (call, { sdp }) => call.heardAnswer(sdp),
  "call.taken": (call, { outcome }) => call.heardTaken(outcome),
  "call.offer": (call, { sdp, offerNumber }) => call.heardOffer(sdp, offerNumber),
  "call.candidates": (call, { candidates }) => call.heardCandidates(candidates),
  "call.rejected": (call, { reason }) => call.heardEnd("rejected", reason),
  "call.ended": (call, { reason }) => call.heardEnd("ended", reason),
  "archive.started": (call, { archiveID }) => call.heardArchive(true, archiveID),
  "archive.stopped": (call) => call.heardArchive(false),
  "signal": (call, detail) => call.heardSignal(detail),
  "control.result": (call, detail) => call.heardResult(detail),
};
