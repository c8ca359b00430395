import Signalling

/// How many calls may be up, so that one caller cannot make the device busy for all others.
struct CallCapacity: Sendable {
  var maximumSessions: Int
  /// Live calls of one caller, whether they ring or are answered.
  var callsPerCaller: Int

  /// Why a call that comes in is turned away before the policy is asked; nil if there is room.
  ///
  /// The last session is kept for moderators (operators), so that others, whose calls may all be ringing, never fill the
  /// device. It is `busy` when it is full, since a retry may succeed; a caller who has calls up already is
  /// `rate-limited`, since only that caller can change it.
  func refusal(callsUp: Int, ofCaller: Int, role: SessionRole) -> RejectReason? {
    let reserved = role == .moderator || maximumSessions == 1 ? 0 : 1
    if callsUp >= maximumSessions - reserved { return .busy }
    return ofCaller >= callsPerCaller ? .rateLimited : nil
  }
}
