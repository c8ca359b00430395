import MediaCore
import PeerSession
import RealtimeRuntime

/// Copies a session's received frames to its archives, and its sound, as it comes, to the loudspeaker. Confined to the
/// network thread.
final class ReceivedFrameFanOut: ReceivedFrameSink {
  private var recorders: [FrameInbox] = []
  var playout: ReceivedSoundQueue?

  var hasRecorders: Bool { !recorders.isEmpty }

  func addRecorder(_ inbox: FrameInbox) { recorders.append(inbox) }

  func removeRecorder(_ inbox: FrameInbox) { recorders.removeAll { $0 === inbox } }

  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {
    for recorder in recorders { recorder.push(header, payload: payload) }
  }

  func receiveSound(_ arrival: SoundArrival, payload: RawSpan) { playout?.push(arrival, payload: payload) }
}
