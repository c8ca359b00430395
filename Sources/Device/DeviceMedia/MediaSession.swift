import Archive
import MediaCore
import MediaPipeline
import RealtimeRuntime

/// One call as the media side knows it.
struct MediaSession {
  var publish: Set<MediaKind>
  /// The caller's sound is played.
  var mayTalk: Bool
  /// A signal is played when media flows.
  var playsTone: Bool
  var isConnected = false
  /// The loudspeaker of this call, once media flows.
  var playout: AudioPlayout?
  var traffic = TrafficMeter()
}

/// One running archive and the inbox through which it receives the device's own streams.
struct RunningArchive {
  var recorder: ArchiveRecorder
  var sessionID: String
  var local: FrameInbox
  /// What it records of the device.
  var kinds: Set<MediaKind>
}

/// Turns byte counters into bit rates, between two readings at least half a second apart.
struct TrafficMeter {
  private var last: (at: MonotonicInstant, sent: UInt64, received: UInt64)?
  private(set) var sendBitrate = 0
  private(set) var receiveBitrate = 0

  mutating func update(sent: UInt64, received: UInt64, now: MonotonicInstant) {
    guard let last else {
      self.last = (now, sent, received)
      return
    }
    let elapsed = (now - last.at).seconds
    guard elapsed >= 0.5 else { return }
    sendBitrate = Int(Double(sent &- last.sent) * 8 / elapsed)
    receiveBitrate = Int(Double(received &- last.received) * 8 / elapsed)
    self.last = (now, sent, received)
  }
}
