import MediaCore
import PeerSession
import RealtimeRuntime

/// Copies a session's received frames to its archive and its loudspeaker. Confined to the network thread.
final class ReceivedFrameFanOut: ReceivedFrameSink {
  var recorder: FrameInbox?
  var playout: FrameInbox?

  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {
    recorder?.push(header, payload: payload)
    if header.kind == .audio { playout?.push(header, payload: payload) }
  }
}
