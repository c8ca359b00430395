public import Signalling

/// A call that is over, for the call history. Of two calls that crossed, the one that gave way has none.
public struct CallReport: Sendable {
  public var sessionID: SessionID
  /// As known when the call was placed.
  public var caller: Principal
  public var receiver: Principal
  public var media: CallEntry.Media
  public var outcome: CallEntry.Outcome
  /// The wire's code.
  public var reason: String
  public var startedAt: Instant
  public var ringingAt: Instant?
  public var answeredAt: Instant?
  public var endedAt: Instant
  public var archiveID: ArchiveID?
}

/// What the call history will know of a session, as it comes about.
struct CallProgress: Codable, Sendable, Equatable {
  /// Of the request.
  let media: CallEntry.Media
  /// Since the session's beginning, in milliseconds.
  private(set) var ringingAfter: Int64?
  private(set) var answeredAfter: Int64?
  /// The first recording that was announced.
  private(set) var archiveID: ArchiveID?
  private(set) var ending: Ending?

  struct Ending: Codable, Sendable, Equatable {
    var outcome: CallEntry.Outcome
    var reason: String
  }

  init(_ request: SessionRequest) { media = CallEntry.Media(request) }

  mutating func ring(after time: Int64) { ringingAfter = ringingAfter ?? time }
  mutating func answer(after time: Int64) { answeredAfter = answeredAfter ?? time }
  mutating func note(_ archive: ArchiveAnnouncement) { archiveID = archiveID ?? archive.archiveID }

  /// - Parameter party: who has ended the call; nil: the hub.
  mutating func end(by party: Party?, reason: String) {
    ending = Ending(outcome: outcome(by: party, reason), reason: reason)
  }

  private func outcome(by party: Party?, _ reason: String) -> CallEntry.Outcome {
    if answeredAfter != nil { return .answered }
    if party == .receiver, let rejection = RejectReason(rawValue: reason) { return Self.outcome(of: rejection) }
    switch EndReason(rawValue: reason) {
    case .unanswered: return .unanswered
    case .unreachable: return .unreachable
    case .answeredElsewhere: return .answeredElsewhere
    case .vanished, .connectionLost, .shutdown, .error: return .failed
    case .rejected, .hangup, .maxDuration, .glare, nil:
      switch party {
      case .caller: return .cancelled
      case .receiver: return .declined
      case nil: return .failed
      }
    }
  }

  private static func outcome(of rejection: RejectReason) -> CallEntry.Outcome {
    switch rejection {
    case .declined, .notAllowed, .outsideHours, .rateLimited: .declined
    case .unanswered: .unanswered
    case .busy: .busy
    case .notAcceptable, .notVerified: .failed
    }
  }
}

extension CallEntry.Media {
  /// A page that watches asks for audio and video as others do; its offer tells that it only receives.
  init(_ request: SessionRequest) {
    let lines = request.offer.split(whereSeparator: \.isNewline)
    let media = lines.count { $0.hasPrefix("m=audio") || $0.hasPrefix("m=video") }
    let receiving = lines.count { $0 == "a=recvonly" || $0 == "a=inactive" }
    if !request.isAudio && !request.isVideo || media > 0 && receiving == media {
      self = .watch
    } else {
      self = request.isVideo ? .video : .audio
    }
  }
}
