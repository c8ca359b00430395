import MediaCore
import RealtimeRuntime

/// What a consumer of a bus received.
struct ReceivedFrame {
  var header: EncodedFrameHeader
  var payload: [UInt8]
}

/// A consumer that keeps all it receives.
final class InboxReader {
  let inbox: FrameInbox
  private(set) var video: [ReceivedFrame] = []
  private(set) var audio: [ReceivedFrame] = []

  init(on bus: FrameBus) throws {
    inbox = try FrameInbox()
    bus.attach(inbox)
  }

  /// Receives until `isDone` holds; returns false when it does not within ten seconds.
  func receive(until isDone: (InboxReader) -> Bool) -> Bool {
    let end = MonotonicClock.now() + .seconds(10)
    while !isDone(self) {
      guard MonotonicClock.now() < end else { return false }
      _ = inbox.wake.wait(timeout: .milliseconds(100))
      while inbox.video.popFirst({ video.append(ReceivedFrame(header: $0, payload: $1.copiedToArray())) }) != nil {}
      while inbox.audio.popFirst({ audio.append(ReceivedFrame(header: $0, payload: $1.copiedToArray())) }) != nil {}
    }
    return true
  }
}
