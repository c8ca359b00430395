internal import Foundation
internal import HubCore
internal import Signalling

/// Waits for a device's answer to a viewer, by an event stream that is open as long.
struct ViewAnswerWait {
  let hub: Hub
  let viewer: Principal
  let sessionID: SessionID
  let gatheringTime: Duration

  /// - Parameter request: makes the device answer.
  /// - Returns: what has come in time; see ``ViewAnswer/progress``.
  func answer(after request: () async throws -> Void) async throws -> ViewAnswer {
    let streamID = UUID().uuidString.lowercased()
    let wakeups = hub.streams.register(streamID, until: .max)
    defer {
      hub.streams.unregister(streamID)
      hub.backplane.closeStream(streamID, of: viewer.userID)
    }
    let opening = try await hub.backplane.openStream(streamID, for: listener, lastEventID: nil)
    try await request()
    return try await read(streamID, after: opening.cursor, wakeups)
  }

  /// Of no group: it is to get events of the session alone, and no one's presence.
  private var listener: Principal {
    var listener = viewer
    listener.groups = []
    return listener
  }

  private func read(
    _ streamID: String, after cursor: UInt64, _ wakeups: AsyncStream<Void>
  ) async throws -> ViewAnswer {
    var (answer, cursor) = (ViewAnswer(to: sessionID), cursor)
    var limit = timer(hub.limits.viewAnswerTimeout, streamID)
    defer { limit.cancel() }
    var iterator = wakeups.makeAsyncIterator()
    repeat {
      let before = answer.progress
      guard let read = try await hub.backplane.readStream(streamID, of: viewer.userID, after: cursor) else {
        throw HubRefusal.overloaded("events were lost", retryAfter: 1)
      }
      cursor = read.cursor
      for event in read.events { try answer.take(event) }
      switch answer.progress {
      case .complete, .over: return answer
      case .gathering where before == .waiting:
        limit.cancel()
        limit = timer(gatheringTime, streamID)
      case .gathering, .waiting: break
      }
    } while await iterator.next() != nil
    return answer
  }

  /// Ends the wait when its time is over.
  private func timer(_ time: Duration, _ streamID: String) -> Task<Void, Never> {
    Task {
      guard (try? await Task.sleep(for: time)) != nil else { return }
      hub.streams.unregister(streamID)
    }
  }
}
