internal import HubCore
internal import SystemSupport
internal import Signalling

/// One program of a party: its requests go to any node, and its event stream comes back on another when it breaks.
final class HistoryClient: Sendable {
  private static let attempts = 40
  let principal: Principal
  private let party: HistoryParty
  private let number: Int
  private let nodes: @Sendable () -> [LivingNode]
  private let recorder: HistoryRecorder
  /// The sessions that the client takes part in.
  private let current = Mutex<Set<SessionID>>([])
  private let online = Mutex(false)

  init(
    _ principal: Principal, as party: HistoryParty, number: Int = 0, recorder: HistoryRecorder,
    nodes: @escaping @Sendable () -> [LivingNode]
  ) {
    (self.principal, self.party, self.number) = (principal, party, number)
    (self.nodes, self.recorder) = (nodes, recorder)
  }

  var isOnline: Bool { online.withLock { $0 } }

  func join(_ id: SessionID) { current.withLock { _ = $0.insert(id) } }
  func leave(_ id: SessionID) { current.withLock { _ = $0.remove(id) } }

  // MARK: Its event stream

  /// Keeps an event stream open until the task is cancelled.
  func listen() async {
    var lastEventID: String?
    while !Task.isCancelled {
      guard let node = nodes().randomElement() else { return }
      lastEventID = await follow(node, after: lastEventID)
      online.withLock { $0 = false }
      guard !Task.isCancelled else { return }
      recorder.note(.partyGone)
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Reads a stream until it breaks; returns where the next resumes.
  private func follow(_ node: LivingNode, after lastEventID: String?) async -> String? {
    let streamID = "\(principal.userID)-\(UInt64.random(in: .min ... .max))"
    let (hub, userID) = (node.backplane, principal.userID)
    guard let opening = try? await hub.openStream(streamID, for: principal, lastEventID: lastEventID) else {
      return lastEventID
    }
    defer { hub.closeStream(streamID, of: userID) }
    if opening.hello.data.contains(#""isReset":true"#) {
      recorder.noteReset(by: party, client: number, in: Array(current.withLock { $0 }))
    }
    guard await announce(streamID, on: hub) else { return opening.hello.id }
    online.withLock { $0 = true }
    return await read(streamID, on: node, from: opening)
  }

  private func announce(_ streamID: String, on hub: any HubBackplane) async -> Bool {
    let update = PresenceUpdate(kind: principal.kind, isAudio: true, isVideo: true, eventStreamID: streamID)
    return (try? await hub.updatePresence(of: principal, update)) != nil
  }

  private func read(_ streamID: String, on node: LivingNode, from opening: StreamOpening) async -> String? {
    var (cursor, lastEventID) = (opening.cursor, opening.hello.id)
    while !Task.isCancelled, nodes().contains(where: { $0.id == node.id }) {
      do throws(HubRefusal) {
        guard let read = try await node.backplane.readStream(streamID, of: principal.userID, after: cursor) else {
          break
        }
        cursor = read.cursor
        for event in read.events {
          lastEventID = event.id ?? lastEventID
          recorder.note(event, by: party, client: number)
        }
      } catch {
        // The store is unreachable: the stream stays.
      }
      try? await Task.sleep(for: .milliseconds(4))
    }
    return lastEventID
  }

  // MARK: Its requests

  /// Makes a request, again while it remains unknown whether it took effect; returns the last outcome.
  @discardableResult
  func perform(
    _ action: SessionOperation.Action, in id: SessionID, with other: Principal? = nil, mark: String? = nil
  ) async -> SessionOperation.Outcome {
    for _ in 0..<Self.attempts {
      guard let node = nodes().randomElement() else { return .unknown }
      let invokedAt = recorder.now
      let outcome = await attempt(action, in: id, with: other, mark: mark, on: node.backplane)
      let completedAt = outcome == .unknown ? nil : recorder.now
      recorder.note(
        SessionOperation(
          action, by: party, mark: mark, invokedAt: invokedAt, completedAt: completedAt, outcome: outcome),
        in: id)
      if outcome != .unknown { return outcome }
      try? await Task.sleep(for: .milliseconds(150))
    }
    return .unknown
  }

  private func attempt(
    _ action: SessionOperation.Action, in id: SessionID, with other: Principal?, mark: String?,
    on hub: any HubBackplane
  ) async -> SessionOperation.Outcome {
    do {
      if action == .place, let other {
        try await placeCall(id, from: principal, to: other.userID, on: hub)
      } else {
        try await hub.receive(Self.message(action, mark), in: id, from: principal)
      }
      return .done
    } catch let refusal as HubRefusal {
      return Self.outcome(refusal)
    } catch {
      return .unknown
    }
  }

  private static func message(_ action: SessionOperation.Action, _ mark: String?) -> SessionMessage {
    switch action {
    case .ring, .place: .ringing
    case .answer: .answer(SessionDescription(sdp: mark ?? ""))
    case .reject: .reject(SessionEnding(reason: "declined"))
    case .hangUp: .end(nil)
    case .probe: .signal(SessionSignal(type: "probe", data: ""))
    }
  }

  private static func outcome(_ refusal: HubRefusal) -> SessionOperation.Outcome {
    switch refusal {
    case .sessionEnded: .ended
    case .sessionUnknown: .unknownSession
    case .wrongState: .wrongState
    case .answeredElsewhere: .answeredElsewhere
    case .overloaded: .unknown
    case .notAuthenticated, .badCredentials, .notAllowed, .foreignHost, .foreignOrigin, .titleTaken, .titleInUse,
      .badTitle, .notFound, .receiverOffline, .sessionExists, .glare, .eventStreamGone, .invalid, .tooMany,
      .deviceUnresponsive, .deviceFaulty, .deviceUnable, .pushOff, .invitation:
      .refused
    }
  }
}
