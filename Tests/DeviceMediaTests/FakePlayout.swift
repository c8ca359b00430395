import DeviceMedia
import Locking
import RealtimeRuntime
import Signalling

@testable import MediaPipeline

final class FakePlayout: Playout {
  struct State {
    var isRunning = false
    var isMuted = false
    var underruns = 0
  }

  let announces: Bool
  let state = Mutex(State())
  let inbox: FrameInbox
  let onEvent: @Sendable (AudioPlayoutEvent) -> Void

  init(announces: Bool, onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void) throws {
    self.announces = announces
    self.onEvent = onEvent
    inbox = try FrameInbox(audioBytes: 1_024, videoBytes: 1_024)
  }

  var statistics: AudioPlayoutStatistics {
    var statistics = AudioPlayoutStatistics()
    statistics.underruns = state.withLock { $0.underruns }
    return statistics
  }

  func start() { state.withLock { $0.isRunning = true } }
  func stop() { state.withLock { $0.isRunning = false } }
  func setMuted(_ isMuted: Bool) { state.withLock { $0.isMuted = isMuted } }
}
