import MediaCore
import MediaPlaneAPI
import Signalling

/// A message to the other party of a call, as a signal of the type `warning`.
enum CallWarning: Sendable, Equatable {
  /// The call is about to reach the longest time that the policy allows.
  case endsSoon(secondsLeft: Int)
  /// These kinds are not carried, because of how the offer describes them.
  case missing(Set<MediaKind>, MissingMedia.Reason)
  /// No path was found for some seconds; the other side may be able to help.
  case noPath(hidesAddresses: Bool)
  /// The party's sound is not played, since too many others talk.
  case notHeard(talkers: Int)
  /// The party's sound was not played, and is now, since another one has left.
  case heard

  /// The signal's data.
  var json: String {
    switch self {
    case .endsSoon(let seconds):
      return #"{"reason":"\#(EndReason.maxDuration.rawValue)","secondsLeft":\#(seconds)}"#
    case .missing(let kinds, let reason):
      let names = kinds.map { $0 == .audio ? #""audio""# : #""video""# }.sorted().joined(separator: ",")
      return #"{"reason":"\#(reason.rawValue)","media":[\#(names)]}"#
    case .noPath(let hidesAddresses):
      return #"{"reason":"no-path","hidesAddresses":\#(hidesAddresses)}"#
    case .notHeard(let talkers):
      return #"{"reason":"not-heard","talkers":\#(talkers)}"#
    case .heard:
      return #"{"reason":"heard"}"#
    }
  }
}
