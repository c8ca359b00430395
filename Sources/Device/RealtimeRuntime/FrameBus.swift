public import MediaCore
import Locking

/// Fans encoded frames out: each is encoded once and copied into every attached inbox.
///
/// A slow consumer loses frames in its own inbox and stalls nobody. One thread publishes sound and one pictures.
public final class FrameBus: Sendable {
  private let inboxes = Mutex<[FrameInbox]>([])

  public init() {}

  public var hasConsumers: Bool { inboxes.withLock { !$0.isEmpty } }

  public func attach(_ inbox: FrameInbox) {
    inboxes.withLock { $0.append(inbox) }
  }

  public func detach(_ inbox: FrameInbox) {
    inboxes.withLock { $0.removeAll { $0 === inbox } }
  }

  /// Copies the frame to every inbox. Media threads only; allocates nothing.
  public func publish(_ header: EncodedFrameHeader, payload: RawSpan) {
    inboxes.withLock { inboxes in
      // An iterator would be allocated for each frame in a debug build.
      for index in inboxes.indices { inboxes[index].push(header, payload: payload) }
    }
  }
}
