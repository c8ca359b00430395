internal import ALSAAudio
internal import MediaCore
internal import OpusCodec
internal import RealtimeRuntime
internal import Synchronization

/// The body of the audio thread: source, encoder, bus.
struct AudioLoop: ~Copyable {
  private let controls: PipelineControls
  private let run: MediaRun
  private var stage: AudioStage
  private var report: FailureReport
  private var retry = RetryDelay()

  /// Waits are cut into pieces of this length, so that stopping takes no longer.
  private static let slice = TimeSpan.milliseconds(100)
  /// A microphone that delivers nothing for so long is opened anew.
  private static let stallLimit = TimeSpan.seconds(2)

  init(_ controls: PipelineControls, _ run: MediaRun) throws(OpusError) {
    self.controls = controls
    self.run = run
    report = FailureReport(.audio, controls)
    stage = try AudioStage(controls)
  }

  /// Runs until stopped.
  mutating func callAsFunction() {
    do {
      switch controls.configuration.microphone {
      case .none: return
      case .testTone(let frequency): try runTone(frequency)
      case .device(let name): try runDevice(name)
      case .automatic: try runAutomatic()
      }
    } catch {
      report.failed("\(error)")
    }
    controls.report(.closed(.audio))
  }

  private mutating func runAutomatic() throws(OpusError) {
    guard let device = AudioDeviceList.current().first(where: \.canCapture) else { return try runTone(1_000) }
    try runDevice(device.name)
  }

  private var channels: Int { controls.configuration.channels == 2 ? 2 : 1 }

  private mutating func runTone(_ frequency: Int) throws(OpusError) {
    report.opened(name: "test:tone", description: "test tone of \(frequency) Hz")
    var tone = ToneGenerator(frequency: frequency)
    let channels = channels
    var pace = FramePace(start: MonotonicClock.now(), frameRate: 50)
    while true {
      // A packet can be sent when its last sample was captured, as with a microphone.
      let start = pace.next(now: MonotonicClock.now())
      MonotonicClock.sleep(until: start + AudioStage.packetDuration)
      guard !run.isStopped else { return }
      stage.fill { samples in
        tone.fill(&samples, channels: channels)
        return samples.count
      }
      try stage.publish(capturedAt: start)
    }
  }
}

// MARK: - Microphone

extension AudioLoop {
  /// Captures from a device, opening it anew after every failure; meanwhile silence is sent.
  private mutating func runDevice(_ name: String) throws(OpusError) {
    while !run.isStopped {
      do throws(MicrophoneFailure) {
        try capture(name)
      } catch {
        switch error {
        case .microphone(let error): report.failed(error.description)
        case .stalled: report.failed("\(name): no sound for \(Self.stallLimit.milliseconds / 1_000) s")
        case .encoder(let error): throw error
        }
        stage.discard()
        try sendSilence(for: retry.next())
      }
    }
  }

  private mutating func capture(_ name: String) throws(MicrophoneFailure) {
    let channels = channels
    var microphone = try MicrophoneFailure.mapping { () throws(ALSAError) in
      try ALSACapture(device: name, channels: channels)
    }
    var lastRead = MonotonicClock.now()
    var isDelivering = false
    while !run.isStopped {
      guard try takeSamples(from: &microphone) else {
        guard MonotonicClock.now() - lastRead < Self.stallLimit else { throw .stalled }
        continue
      }
      lastRead = MonotonicClock.now()
      if !isDelivering { noteDelivery(from: microphone) }
      isDelivering = true
    }
  }

  private mutating func noteDelivery(from microphone: borrowing ALSACapture) {
    retry.reset()
    report.opened(
      name: microphone.device,
      description: "\(microphone.device), \(channels == 2 ? "stereo" : "mono"), periods of \(microphone.periodFrames)")
  }

  /// Reads what is there, publishing when a packet is full. Returns false when nothing came.
  private mutating func takeSamples(from microphone: inout ALSACapture) throws(MicrophoneFailure) -> Bool {
    let pending = stage.pendingFrames
    var outcome = AudioReadOutcome.timedOut
    let channels = channels
    do throws(ALSAError) {
      try stage.fill { (samples: inout MutableSpan<Int16>) throws(ALSAError) in
        outcome = try microphone.read(into: &samples, timeout: Self.slice)
        if case .samples(let count, _) = outcome { return count * channels }
        return 0
      }
    } catch {
      throw .microphone(error)
    }
    switch outcome {
    case .timedOut: return false
    case .overrun:
      PipelineCounters.count(controls.counters.audioOverruns)
      stage.discard()
      return true
    case .samples(_, let timestamp):
      guard stage.isFull, !run.isStopped else { return true }
      try publish(capturedAt: timestamp - Self.length(of: pending))
      return true
    }
  }

  private mutating func publish(capturedAt timestamp: MonotonicInstant) throws(MicrophoneFailure) {
    do throws(OpusError) { try stage.publish(capturedAt: timestamp) } catch { throw .encoder(error) }
  }

  private static func length(of frames: Int) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(frames) * 1_000_000_000 / Int64(opusSampleRate))
  }

  /// Goes on with silent packets at the pace of the clock, for `duration` or until stopped.
  private mutating func sendSilence(for duration: TimeSpan) throws(OpusError) {
    let begin = MonotonicClock.now()
    let end = begin + duration
    var start = max(stage.nextTimestamp ?? begin, begin)
    while !run.isStopped, start < end {
      MonotonicClock.sleep(until: start + AudioStage.packetDuration)
      guard !run.isStopped else { return }
      stage.fillWithSilence()
      try stage.publish(capturedAt: start)
      start = stage.nextTimestamp ?? MonotonicClock.now()
    }
  }
}

/// Why a microphone's capture ended.
private enum MicrophoneFailure: Error {
  case microphone(ALSAError)
  case stalled
  case encoder(OpusError)

  static func mapping<Value: ~Copyable>(
    _ body: () throws(ALSAError) -> Value
  ) throws(MicrophoneFailure) -> Value {
    do throws(ALSAError) { return try body() } catch { throw .microphone(error) }
  }
}
