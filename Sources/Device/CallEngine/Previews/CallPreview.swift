import MediaCore
import Signalling

/// One preview of a call that rings, from a page's request to its end: takes what happens and the time, returns what is
/// to be done.
///
/// The media plane makes an offer to send (`offering`), the page answers it (`connecting`), and media flow (`showing`).
/// The page's media are never taken.
struct CallPreview: Sendable {
  enum Action: Sendable, Equatable {
    case media(MediaAction)
    case send(PreviewMessage)
  }

  enum Phase: Sendable, Equatable {
    case offering
    case offered
    case connecting
    case showing
    case ended
  }

  /// From the request until media flow.
  static let setUp = TimeSpan.seconds(15)

  /// The call that it shows the caller of.
  let callID: SessionID
  private let servers: [ICEServer]
  private(set) var phase = Phase.offering
  /// When it ends unless media flow; nil once they do.
  private(set) var deadline: MonotonicInstant?
  private var candidates = HeldCandidates()

  /// A preview, and what to do first.
  ///
  /// - Parameter servers: the relays that the hub has named for the call.
  static func start(
    _ terms: PreviewTerms, of callID: SessionID, _ servers: [ICEServer], now: MonotonicInstant
  ) -> (CallPreview, [Action]) {
    (CallPreview(callID: callID, servers: servers, deadline: now + setUp), [.media(.preview(terms))])
  }

  private init(callID: SessionID, servers: [ICEServer], deadline: MonotonicInstant) {
    (self.callID, self.servers, self.deadline) = (callID, servers, deadline)
  }

  // MARK: The media plane

  /// The media plane made the offer; nil if it cannot.
  mutating func mediaOffered(_ sdp: String?) -> [Action] {
    guard phase == .offering else { return [] }
    guard let sdp else { return end(.failed) }
    phase = .offered
    let held: [Action] = candidates.popOwn().map { [.send(.candidates($0))] } ?? []
    return [.send(.offer(sdp))] + (servers.isEmpty ? [] : [.media(.addServers(servers))]) + held
  }

  /// The media plane cannot take the page's answer.
  mutating func answerUnusable() -> [Action] { end(.failed) }

  mutating func mediaConnected() -> [Action] {
    guard phase == .connecting else { return [] }
    phase = .showing
    deadline = nil
    return []
  }

  /// Candidates of this side; those that come before the offer wait for it.
  mutating func gathered(_ candidates: [String]) -> [Action] {
    switch phase {
    case .offering:
      self.candidates.hold(candidates)
      return []
    case .offered, .connecting, .showing: return [.send(.candidates(candidates))]
    case .ended: return []
    }
  }

  /// The media plane has closed it, or an earlier one of the same id: what there is now is closed as well.
  mutating func mediaEnded() -> [Action] { end(.connectionLost) }

  // MARK: The page

  mutating func answered(_ sdp: String) -> [Action] {
    guard phase == .offered else { return [] }
    phase = .connecting
    return [.media(.accept(answer: sdp))] + candidates.release().map(Action.media)
  }

  /// The page's candidates; those before the answer wait for it.
  mutating func received(_ candidates: [String]) -> [Action] {
    guard phase != .ended else { return [] }
    let isReady = phase == .connecting || phase == .showing
    return self.candidates.take(candidates, isReady: isReady).map(Action.media)
  }

  /// The page has closed it.
  mutating func pageEnded() -> [Action] {
    end(.over).filter { if case .send = $0 { false } else { true } }
  }

  // MARK: The end

  mutating func tick(now: MonotonicInstant) -> [Action] {
    guard let deadline, deadline <= now else { return [] }
    return end(.connectionLost)
  }

  mutating func end(_ reason: PreviewEndReason) -> [Action] {
    guard phase != .ended else { return [] }
    phase = .ended
    deadline = nil
    return [.media(.hangUp), .send(.end(reason))]
  }
}

/// Why a device ends a preview, or shows none.
enum PreviewEndReason: String, Sendable, Equatable {
  /// The policy shows none, or it does not ring.
  case notOffered = "not-offered"
  /// As many are shown as may be.
  case tooMany = "too-many"
  /// The call is answered or has ended.
  case over
  case connectionLost = "connection-lost"
  case failed
}
