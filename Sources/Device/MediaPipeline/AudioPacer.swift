internal import MediaCore
internal import RealtimeRuntime

/// The packets of a source that runs by the clock, one every 20 ms. On a machine that stood still for some seconds none is
/// missing afterwards: recordings want sound without holes, and what comes late costs little.
struct AudioPacer: ~Copyable {
  let channels: Int
  /// 20 ms, interleaved, for the source to fill; valid as long as this value.
  let packet: UnsafeMutableBufferPointer<Int16>
  private var pace = FramePace(start: MonotonicClock.now(), frameRate: 50, maxLag: .seconds(10))

  init(channels: Int) {
    self.channels = channels
    packet = .allocate(capacity: AudioTimeline.packetFrames * channels)
    packet.initialize(repeating: 0)
  }

  deinit { packet.deallocate() }

  /// Waits until the next packet's last sample would have been captured, as with a microphone; returns when its first
  /// was, or nil when the run was stopped.
  mutating func next(_ run: MediaThreadRun) -> MonotonicInstant? {
    let start = pace.next(now: MonotonicClock.now())
    MonotonicClock.sleep(until: start + AudioTimeline.packetDuration)
    return run.isStopped ? nil : start
  }
}
