internal import FoundationEssentials
internal import HubCore
internal import SystemSupport
internal import Signalling

/// Records requests, answers and events of a run's clients, by session.
public final class HistoryRecorder: Sendable {
  private struct State {
    var histories: [String: SessionHistory] = [:]
    var disturbances: [Disturbance] = []
  }

  /// How long after a fault a session may begin that it still touches, in microseconds.
  private static let aftermath: Int64 = 5_000_000
  private let begin = ContinuousClock.now
  private let state = Mutex(State())

  public init() {}

  /// Microseconds since the recorder was made.
  public var now: Int64 {
    let (seconds, attoseconds) = begin.duration(to: .now).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// Every session so far, with the faults that may have touched it.
  public var histories: [SessionHistory] {
    state.withLock { state in
      state.histories.values.sorted { $0.id < $1.id }.map { history in
        var history = history
        let times = history.received.map(\.receivedAt) + history.operations.map { $0.completedAt ?? $0.invokedAt }
        let begin = (history.operations.map(\.invokedAt).min() ?? 0) - Self.aftermath
        history.disturbances = state.disturbances.filter { $0.from >= begin && $0.from <= times.max() ?? 0 }
        return history
      }
    }
  }

  public func note(_ disturbance: Disturbance.Kind) {
    let from = now
    state.withLock { $0.disturbances.append(Disturbance(disturbance, from: from)) }
  }

  func note(_ operation: SessionOperation, in id: SessionID) {
    state.withLock { $0.histories[id.text, default: SessionHistory(id: id.text)].operations.append(operation) }
  }

  /// Takes an event about a session; others are skipped.
  func note(_ event: LoggedEvent, by party: HistoryParty, client: Int) {
    guard let name = ReceivedEvent.Name(rawValue: event.name.rawValue),
      let payload = try? JSONDecoder().decode(Payload.self, from: Data(event.data.utf8))
    else { return }
    let received = ReceivedEvent(name, by: party, client: client, word: payload.word, receivedAt: now)
    state.withLock { $0.histories[payload.sessionID]?.received.append(received) }
  }

  /// A stream has lost events, perhaps those of each of these sessions.
  func noteReset(by party: HistoryParty, client: Int, in ids: [SessionID]) {
    let received = ReceivedEvent(.reset, by: party, client: client, receivedAt: now)
    state.withLock { state in
      for id in ids { state.histories[id.text]?.received.append(received) }
    }
  }

  func history(of id: SessionID) -> SessionHistory {
    state.withLock { $0.histories[id.text] ?? SessionHistory(id: id.text) }
  }

  private struct Payload: Decodable {
    var sessionID: String
    var sdp: String?
    var reason: String?
    var outcome: String?
    var word: String? { sdp ?? reason ?? outcome }
  }
}
