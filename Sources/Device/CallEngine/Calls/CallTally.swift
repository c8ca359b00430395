import HubClient
import Signalling

/// How many calls there were, and their outcomes, since the start.
public struct CallTally: Sendable, Equatable {
  /// The outcome of a call.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// Media flowed, and one side hung up or the maximum duration was reached.
    case completed
    /// Media flowed, and the connection or the other side was lost.
    case dropped
    /// One side or its rules refused it.
    case rejected
    /// It rang without an answer.
    case unanswered
    /// The caller gave up before it was answered.
    case cancelled
    /// It could not be set up.
    case failed
  }

  public internal(set) var incoming: [Outcome: Int] = [:]
  public internal(set) var outgoing: [Outcome: Int] = [:]

  /// - Parameters:
  ///   - last: the phase before the end.
  ///   - reason: that of ``CallPhase/ended(reason:)``.
  mutating func note(isOutgoing: Bool, after last: CallPhase?, reason: String) {
    let outcome = Outcome(after: last, reason: reason)
    if isOutgoing { outgoing[outcome, default: 0] += 1 } else { incoming[outcome, default: 0] += 1 }
  }
}

extension CallTally.Outcome {
  init(after last: CallPhase?, reason: String) {
    let end = EndReason(rawValue: reason)
    switch end {
    case .hangup?, .maxDuration?, .shutdown?: self = last == .connected ? .completed : .cancelled
    case _ where last == .connected: self = .dropped
    case .unanswered?: self = .unanswered
    case .glare?, .vanished?, .answeredElsewhere?: self = .cancelled
    case .unreachable?: self = .failed
    case .rejected?: self = .rejected
    case .connectionLost?, .error?: self = .failed
    case nil: self = Self.isRefusal(reason) ? .rejected : .failed
    }
  }

  private static func isRefusal(_ reason: String) -> Bool {
    switch RejectReason(rawValue: reason) {
    case .declined?, .busy?, .notAllowed?, .outsideHours?, .rateLimited?: true
    case .unanswered?, .notAcceptable?, .notVerified?, nil: false
    }
  }
}
