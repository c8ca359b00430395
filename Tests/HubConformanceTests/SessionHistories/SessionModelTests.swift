import HubCore
import Signalling
import TestSupport
import Testing

@testable import HubConformance

/// The model and the hub's state machine agree, whatever is asked in whatever order.
struct SessionModelTests {
  private struct Hub {
    static let caller = Principal(userID: "a", userTitle: "A", role: .user, kind: .person, groups: ["g"])
    static let receiver = Principal(userID: "b", userTitle: "B", role: .device, kind: .device, groups: ["g"])
    var session: CallSession?

    mutating func apply(_ operation: SessionOperation, now: Instant) -> SessionOperation.Outcome {
      guard operation.action != .place else { return place(now: now) }
      guard session != nil else { return .unknownSession }
      let sender = operation.party == .caller ? Self.caller : Self.receiver
      do {
        _ = try session?.receive(Self.message(operation), from: sender.userID, now: now)
        return .done
      } catch {
        return Self.outcome(error)
      }
    }

    private mutating func place(now: Instant) -> SessionOperation.Outcome {
      if let session { return session.isEnded ? .ended : .done }
      let request = SessionRequest(receiverID: "b", isAudio: true, isVideo: true, offer: "offer")
      let context = CallContext(request, from: (Self.caller, nil), to: (Self.receiver, nil), known: nil)
      session = CallSession(
        CallPlacement(
          sessionID: "session", caller: Self.caller, request: request, context: context,
          tokens: PartyTokens(caller: "", receiver: ""), receiverICEServers: []), now: now)
      return .done
    }

    private static func message(_ operation: SessionOperation) -> SessionMessage {
      switch operation.action {
      case .answer: .answer(SessionDescription(sdp: operation.mark ?? ""))
      case .reject: .reject(SessionEnding(reason: "declined"))
      case .hangUp: .end(nil)
      case .probe: .signal(SessionSignal(type: "probe", data: ""))
      case .ring, .place: .ringing
      }
    }

    private static func outcome(_ refusal: HubRefusal) -> SessionOperation.Outcome {
      switch refusal {
      case .sessionEnded: .ended
      case .wrongState: .wrongState
      case .answeredElsewhere: .answeredElsewhere
      case .sessionUnknown: .unknownSession
      default: .refused
      }
    }
  }

  @Test func agreesWithTheHub() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      var (model, hub) = (SessionModel(), Hub())
      for step in 0..<8 {
        let operation = randomOperation(&random)
        let now = Instant.now + .seconds(step)
        #expect(model.apply(operation) == hub.apply(operation, now: now), "\(operation) after \(step) others")
        guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
        let isUnanswered = hub.session?.deadline(HubLimits()) != nil
        #expect(model.apply(.expire) == isUnanswered)
        if isUnanswered { _ = hub.session?.end(reason: .unanswered, now: now) }
      }
    }
  }

  private func randomOperation(_ random: inout SeededGenerator) -> SessionOperation {
    let receivers: [SessionOperation.Action] = [.ring, .answer, .reject, .hangUp, .probe]
    let callers: [SessionOperation.Action] = [.place, .hangUp, .probe]
    let isCaller = Bool.random(using: &random)
    return SessionOperation(
      (isCaller ? callers : receivers).randomElement(using: &random) ?? .probe, by: isCaller ? .caller : .receiver,
      mark: ["one", "two"].randomElement(using: &random), invokedAt: 0, completedAt: 1, outcome: .done)
  }
}
