import DeviceMedia
import SystemSupport
import RealtimeRuntime

@testable import MediaPipeline

/// A loudspeaker that notes who is heard.
final class FakePlayout: Playout {
  struct State {
    var talkers: [PlayoutSource] = []
    var announcements: [SoundClip] = []
    var isMuted = false
    var ring: SoundClip?
    var underruns = 0
    var onEvent: (@Sendable (AudioPlayoutEvent) -> Void)?
  }

  let state = Mutex(State())

  var talkers: [PlayoutSource] { state.withLock { $0.talkers } }

  func report(_ event: AudioPlayoutEvent) { state.withLock { $0.onEvent }?(event) }

  var statistics: AudioPlayoutStatistics {
    var statistics = AudioPlayoutStatistics()
    statistics.underruns = state.withLock { $0.underruns }
    return statistics
  }

  func addTalker() throws -> PlayoutSource {
    let talker = PlayoutSource()
    state.withLock { $0.talkers.append(talker) }
    return talker
  }

  func remove(_ talker: PlayoutSource) { state.withLock { $0.talkers.removeAll { $0 === talker } } }
  func announce(_ clip: SoundClip) { state.withLock { $0.announcements.append(clip) } }
  func setRing(_ clip: SoundClip?) { state.withLock { $0.ring = clip } }
  func setMuted(_ isMuted: Bool) { state.withLock { $0.isMuted = isMuted } }
  func stop() { state.withLock { ($0.talkers, $0.announcements) = ([], []) } }
}
