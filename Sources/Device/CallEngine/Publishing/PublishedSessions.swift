import MediaPlaneAPI
import Signalling
import SystemSupport

/// Which sessions of the media plane are published ones, and who follows them. From any task.
final class PublishedSessions: Sendable {
  private let followers = Mutex<[SessionID: AsyncStream<MediaPlaneEvent>.Continuation]>([:])

  func add(_ id: SessionID, _ follower: AsyncStream<MediaPlaneEvent>.Continuation) {
    followers.withLock { $0[id] = follower }
  }

  func remove(_ id: SessionID) { _ = followers.withLock { $0.removeValue(forKey: id) } }

  /// Hands an event to who follows its session; returns whether it is about a published one.
  func take(_ event: MediaPlaneEvent) -> Bool {
    guard let id = event.endpointID, let follower = followers.withLock({ $0[id] }) else { return false }
    follower.yield(event)
    return true
  }
}
