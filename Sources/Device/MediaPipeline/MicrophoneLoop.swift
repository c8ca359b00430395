internal import ALSAAudio
internal import MediaCodecs
internal import MediaCore
internal import RealtimeRuntime

/// Captures from a sound card or a program until stopped, reopening it after every failure; meanwhile silence is sent.
///
/// Between ``openMicrophone()`` and the end of its value lie the only calls that may hang with a driver; the thread
/// holds nothing then that another one needs, and checks ``MediaThreadRun/isStopped`` before it publishes anything.
struct MicrophoneLoop: ~Copyable {
  /// What is opened.
  enum Source {
    /// Nil for the most suitable card that can capture, chosen whenever one is opened.
    case card(String?)
    case program(AudioProgram)
  }

  private let source: Source
  private var automatic = AutomaticCard()
  private let controls: PipelineControls
  private let run: MediaThreadRun
  private var timeline: AudioTimeline
  private var retry: Backoff
  private var deliveringSince: MonotonicInstant?
  /// What one read of a card delivers, at most.
  private let samples: UnsafeMutableBufferPointer<Int16>

  /// Waits are cut into pieces of this length, so that stopping takes no longer.
  private static let slice = TimeSpan.milliseconds(100)
  /// Sound that is late by more than the card can hold will not come any more, so silence takes its place.
  private static let latest = TimeSpan.milliseconds(300)
  /// A device that runs ahead of the clock by this much does not capture in real time; it is held back.
  private static let earliest = TimeSpan.milliseconds(100)
  /// 10 ms of the highest rate.
  private static let readFrames = 1_920

  init(_ source: Source, _ controls: PipelineControls, _ run: MediaThreadRun) throws(AudioResamplerError) {
    self.source = source
    retry = if case .program = source { .restarting } else { .reopening }
    self.controls = controls
    self.run = run
    timeline = try AudioTimeline(channels: controls.configuration.channels == 2 ? 2 : 1)
    samples = .allocate(capacity: Self.readFrames * timeline.channels)
    samples.initialize(repeating: 0)
  }

  deinit { samples.deallocate() }

  /// Runs until stopped; throws when the encoder fails.
  mutating func callAsFunction(_ stage: inout AudioStage, _ report: inout FailureReport) throws(OpusError) {
    while !run.isStopped {
      do throws(MicrophoneFailure) {
        try capture(&stage, &report)
      } catch {
        guard case .encoder(let error) = error else {
          if let device = error.device { automatic.noteFailure(of: device) }
          report.failed(error.description)
          try sendSilence(for: pause(now: MonotonicClock.now()), &stage)
          continue
        }
        throw error
      }
    }
  }
}

// MARK: - Capture

extension MicrophoneLoop {
  /// Before the next attempt. Those before a program's grow until it has run for some time.
  private mutating func pause(now: MonotonicInstant) -> TimeSpan {
    if case .program = source, let since = deliveringSince, now - since >= VideoSourceSupervisor.steadyTime {
      retry.reset()
    }
    return retry.next()
  }

  private mutating func capture(_ stage: inout AudioStage, _ report: inout FailureReport) throws(MicrophoneFailure) {
    deliveringSince = nil
    switch source {
    case .card(let name):
      var card: ALSACapture
      do throws(ALSAError) { card = try openCard(name) } catch { throw .card(error) }
      try capture(from: &card, &stage, &report)
    case .program(let program):
      var microphone: ProgramMicrophone
      do throws(SourceFailure) {
        microphone = try ProgramMicrophone(program, channels: timeline.channels, printed: controls.audio.printed)
      } catch {
        throw .program(error)
      }
      try capture(from: &microphone, &stage, &report)
    }
  }

  private mutating func capture(
    from microphone: inout some SoundInput & ~Copyable, _ stage: inout AudioStage, _ report: inout FailureReport
  ) throws(MicrophoneFailure) {
    do throws(AudioResamplerError) { try timeline.setInputRate(microphone.rate) } catch { throw .resampler(error) }
    var lastRead = MonotonicClock.now()
    while !run.isStopped {
      guard try takeSamples(from: &microphone, &stage) else {
        let limit = deliveringSince == nil ? microphone.limits.start : microphone.limits.stall
        guard MonotonicClock.now() - lastRead < limit else {
          throw .stalled(device: microphone.name, limit: limit, remedy: microphone.limits.remedy)
        }
        try bridgeSilence(&stage)
        continue
      }
      lastRead = MonotonicClock.now()
      guard deliveringSince == nil else { continue }
      deliveringSince = lastRead
      if case .card = source { retry.reset() }
      report.opened(name: microphone.name, description: "\(microphone.name), \(microphone.summary)")
    }
  }

  private mutating func openCard(_ name: String?) throws(ALSAError) -> ALSACapture {
    let channels = timeline.channels
    if let name { return try ALSACapture(device: name, channels: channels) }
    return try automatic.open(.capture) { (name) throws(ALSAError) in
      try ALSACapture(device: name, channels: channels)
    }
  }

  /// Reads what is there and publishes the packets that are full. Returns false when nothing came.
  private mutating func takeSamples(
    from microphone: inout some SoundInput & ~Copyable, _ stage: inout AudioStage
  ) throws(MicrophoneFailure) -> Bool {
    var space = samples.mutableSpan
    switch try microphone.next(into: &space, timeout: Self.slice) {
    case .timedOut: return false
    case .overrun:
      PipelineCounters.count(controls.counters.audioOverruns)
      timeline.interrupt()
    case .samples(let count, let timestamp): try append(frames: count, capturedAt: timestamp, &stage)
    }
    return true
  }

  private mutating func append(
    frames: Int, capturedAt timestamp: MonotonicInstant, _ stage: inout AudioStage
  ) throws(MicrophoneFailure) {
    guard !run.isStopped else { return }
    let captured = UnsafeBufferPointer(rebasing: samples[..<(frames * timeline.channels)])
    do throws(OpusError) {
      try timeline.append(captured.span, capturedAt: timestamp) { (packet, start) throws(OpusError) in
        try stage.encode(captured: packet, at: start)
      }
    } catch {
      throw .encoder(error)
    }
    if let end = timeline.end, end - MonotonicClock.now() > Self.earliest { run.pause(Self.earliest / 2) }
  }
}

// MARK: - Silence

extension MicrophoneLoop {
  /// Keeps packets coming from a device that is open and late.
  private mutating func bridgeSilence(_ stage: inout AudioStage) throws(MicrophoneFailure) {
    let now = MonotonicClock.now()
    guard let end = timeline.end, now - end > Self.latest else { return }
    timeline.interrupt()
    do throws(OpusError) { try addSilence(until: now - Self.latest / 2, &stage) } catch { throw .encoder(error) }
  }

  /// Continues with silent packets at the pace of the clock, for `duration` or until stopped.
  private mutating func sendSilence(for duration: TimeSpan, _ stage: inout AudioStage) throws(OpusError) {
    timeline.interrupt()
    let end = MonotonicClock.now() + duration
    while !run.isStopped, MonotonicClock.now() < end {
      try addSilence(until: MonotonicClock.now(), &stage)
      run.pause(AudioTimeline.packetDuration)
    }
  }

  private mutating func addSilence(until instant: MonotonicInstant, _ stage: inout AudioStage) throws(OpusError) {
    guard !run.isStopped else { return }
    try timeline.addSilence(until: instant) { (packet, start) throws(OpusError) in
      try stage.encode(captured: packet, at: start)
    }
  }
}
