internal import HubCore
internal import SystemSupport

/// An event stream that is read by requests, one after the other.
struct PolledStream: Sendable {
  let streamID: String
  let userID: String
  /// Of what was read last.
  var cursor: UInt64
  /// Of the last event that its client was sent.
  var lastEventID: String
  /// What the last answer had without ids: whether it arrived the next request cannot say, so it is sent once more.
  var unnumbered: [LoggedEvent] = []
}

/// The polled event streams of this node between two requests.
///
/// A client that does not poll again within ``timeout`` is gone. One whose request got lost has not the last id, and
/// opens another stream: what this one would have read is in the log.
final class PolledStreams: Sendable {
  /// Its client's pause, and the time for which a request that was given up may still be answered, are shorter.
  static let timeout: Duration = .seconds(10)

  private struct State {
    var waiting: [String: (stream: PolledStream, since: Instant)] = [:]
    var requests: RateLimiter
  }

  private let state: Mutex<State>

  init(limits: HubLimits) {
    state = Mutex(State(requests: RateLimiter(perMinute: limits.eventPollsPerMinute)))
  }

  /// Counts one request of the user.
  func admit(_ userID: String, now: Instant) throws(HubRefusal) {
    let wait = state.withLock { $0.requests.take(userID, now: now) }
    if let wait { throw .tooMany("requests for events of one user", retryAfter: wait) }
  }

  /// Takes the stream out for a request; nil where there is none such, or its client lacks the last event.
  func take(_ streamID: String, of userID: String, after lastEventID: String) -> PolledStream? {
    state.withLock { state in
      guard let stream = state.waiting[streamID]?.stream, stream.userID == userID, stream.lastEventID == lastEventID
      else { return nil }
      state.waiting[streamID] = nil
      return stream
    }
  }

  /// Returns whether it is the only one.
  func putBack(_ stream: PolledStream, now: Instant) -> Bool {
    state.withLock { state in
      state.waiting[stream.streamID] = (stream, now)
      return state.waiting.count == 1
    }
  }

  var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

  /// Takes out those whose clients are gone.
  func takeAbandoned(now: Instant) -> [PolledStream] {
    state.withLock { state in
      state.requests.trim(now: now)
      return state.waiting.values.filter { $0.since.duration(to: now) >= Self.timeout }.map(\.stream).map { stream in
        state.waiting[stream.streamID] = nil
        return stream
      }
    }
  }

  /// Takes out all: the hub stops.
  func takeAll() -> [PolledStream] {
    state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.values.map(\.stream)
    }
  }
}
