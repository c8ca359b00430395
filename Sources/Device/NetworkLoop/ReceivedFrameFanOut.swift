import MediaCore
import PeerSession
import RealtimeRuntime

/// Copies a session's received frames to its archives and its loudspeaker. Confined to the network thread.
final class ReceivedFrameFanOut: ReceivedFrameSink {
  private var recorders: [FrameInbox] = []
  var playout: FrameInbox?

  func addRecorder(_ inbox: FrameInbox) { recorders.append(inbox) }

  func removeRecorder(_ inbox: FrameInbox) { recorders.removeAll { $0 === inbox } }

  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {
    for recorder in recorders { recorder.push(header, payload: payload) }
    if header.kind == .audio { playout?.push(header, payload: payload) }
  }
}
