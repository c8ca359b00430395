public import MediaCore
import SystemSupport

/// Fans encoded frames out: each is encoded once and copied into every attached inbox.
///
/// A slow consumer loses frames in its own inbox and stalls no other. One thread publishes audio and one video.
public final class FrameBus: Sendable {
  /// What consumers take of video.
  public enum Demand: Sendable, Hashable {
    case nothing
    /// Requested frames, which are key frames.
    case keyFrames
    case everything
  }

  private struct Consumer {
    let inbox: FrameInbox
    var takesKeyFramesAlone: Bool
  }

  private let consumers = Mutex<[Consumer]>([])

  public init() {}

  public var hasConsumers: Bool { consumers.withLock { !$0.isEmpty } }

  /// What all consumers want together. Allocates nothing.
  public var demand: Demand {
    consumers.withLock { consumers in
      var demand = Demand.nothing
      for index in consumers.indices {
        guard consumers[index].takesKeyFramesAlone else { return .everything }
        demand = .keyFrames
      }
      return demand
    }
  }

  /// - Parameter takesKeyFramesAlone: of video; others are not copied, and not even encoded if no other consumer takes
  ///   them.
  public func attach(_ inbox: FrameInbox, takesKeyFramesAlone: Bool = false) {
    consumers.withLock { $0.append(Consumer(inbox: inbox, takesKeyFramesAlone: takesKeyFramesAlone)) }
  }

  /// Changes what an attached inbox takes of video; others are ignored.
  public func setTakesKeyFramesAlone(_ takesKeyFramesAlone: Bool, _ inbox: FrameInbox) {
    consumers.withLock { consumers in
      for index in consumers.indices where consumers[index].inbox === inbox {
        consumers[index].takesKeyFramesAlone = takesKeyFramesAlone
      }
    }
  }

  public func detach(_ inbox: FrameInbox) {
    consumers.withLock { $0.removeAll { $0.inbox === inbox } }
  }

  /// Copies the frame to every inbox. Media threads only; allocates nothing.
  public func publish(_ header: EncodedFrameHeader, payload: RawSpan) {
    let isKeyFrame = header.kind == .audio || header.isKeyFrame
    consumers.withLock { consumers in
      // An iterator would be allocated for each frame in a debug build.
      for index in consumers.indices where isKeyFrame || !consumers[index].takesKeyFramesAlone {
        consumers[index].inbox.push(header, payload: payload)
      }
    }
  }
}
