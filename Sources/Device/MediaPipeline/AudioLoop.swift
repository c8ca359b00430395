internal import ALSAAudio
internal import MediaCodecs
internal import MediaCore
internal import RealtimeRuntime
internal import SystemSupport

/// The body of the audio thread: source, encoder, bus.
struct AudioLoop: ~Copyable {
  private let controls: PipelineControls
  private let run: MediaThreadRun
  private var stage: AudioStage
  private var report: FailureReport

  init(_ controls: PipelineControls, _ run: MediaThreadRun) throws(OpusError) {
    self.controls = controls
    self.run = run
    report = FailureReport(.audio, controls)
    stage = try AudioStage(controls)
  }

  /// Runs until stopped.
  mutating func callAsFunction() {
    do {
      switch controls.sources.withLock({ $0.microphone }) {
      case .none: return
      case .testTone(let frequency): try runTone(frequency)
      case .file(let path, let repeats): try runFile(path, repeats: repeats)
      case .device(let name): try runMicrophone(.card(name))
      case .program(let program): try runMicrophone(.program(program))
      case .automatic: try runAutomatic()
      }
    } catch {
      report.failed("\(error)")
    }
    controls.report(.closed(.audio))
  }

  private var channels: Int { controls.configuration.channels == 2 ? 2 : 1 }

  private mutating func runAutomatic() throws {
    guard AudioDeviceList.current().contains(where: \.canCapture) else { return try runTone(1_000) }
    try runMicrophone(.card(nil))
  }

  private mutating func runMicrophone(_ source: MicrophoneLoop.Source) throws {
    var microphone = try MicrophoneLoop(source, controls, run)
    try microphone(&stage, &report)
  }

  private mutating func runTone(_ frequency: Int) throws(OpusError) {
    report.opened(name: "test:tone", description: "test tone of \(frequency) Hz")
    var tone = ToneGenerator(frequency: frequency)
    var pacer = AudioPacer(channels: channels)
    while let start = pacer.next(run) {
      var samples = pacer.packet.mutableSpan
      tone.fill(&samples, channels: channels)
      try stage.encode(pacer.packet.span, at: start)
    }
  }
}

// MARK: - File

extension AudioLoop {
  /// Plays a file; one that is absent or wrong is tried again, with silence meanwhile.
  private mutating func runFile(_ path: String, repeats: Bool) throws(OpusError) {
    var pacer = AudioPacer(channels: channels)
    while !run.isStopped {
      do throws(WAVFileError) {
        var source = try WAVSource(path: path, channels: channels, repeats: repeats)
        report.opened(name: "file:\(path)", description: source.description)
        guard try play(&source, &pacer) else { return }
      } catch {
        report.failed(error.description)
      }
      try sendSilence(for: .seconds(2), &pacer)
    }
  }

  /// Plays until stopped; false when the encoder ended it, which is reported.
  private mutating func play(_ source: inout WAVSource, _ pacer: inout AudioPacer) throws(WAVFileError) -> Bool {
    while let start = pacer.next(run) {
      try source.fill(pacer.packet)
      do throws(OpusError) {
        try stage.encode(pacer.packet.span, at: start)
      } catch {
        report.failed(error.description)
        return false
      }
    }
    return true
  }

  private mutating func sendSilence(for duration: TimeSpan, _ pacer: inout AudioPacer) throws(OpusError) {
    let end = MonotonicClock.now() + duration
    while MonotonicClock.now() < end, let start = pacer.next(run) { try stage.encodeSilence(at: start) }
  }
}
