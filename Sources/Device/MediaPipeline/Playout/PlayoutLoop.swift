internal import ALSAAudio
internal import MediaCodecs
internal import MediaCore
internal import RealtimeRuntime
internal import SystemSupport

/// The body of the playout thread: talkers and signals in, one stream of sound out.
///
/// Blocks of 10 ms are mixed when the card has little left to play, so that what comes late is still played; a card
/// that ran dry is given more in advance from then on. During speech and silence alike, the card plays without a break,
/// since the echo canceller follows its clock.
struct PlayoutLoop: ~Copyable {
  private let controls: PlayoutControls
  private let run: MediaThreadRun
  private var mixer: SoundMixer
  private var streams: [AudioReceiveStream] = []
  private var version: UInt64 = 0
  private var announcement: PlayoutAnnouncement?
  private var ring: PlayoutRing?
  /// Which one it is.
  private var ringCount: UInt64 = 0
  private let block: UnsafeMutableBufferPointer<Int16>
  /// Nil while the card has the rate of the mix.
  private var converter: RateConverter?
  private var recorder: PlayedSoundRecorder?
  private var automatic = AutomaticCard()
  private var lead = PlayoutLeadTime(now: MonotonicClock.now())
  /// Of talkers that are gone, and of the card.
  private var past: AudioPlayoutStatistics

  init(_ controls: PlayoutControls, _ run: MediaThreadRun) throws {
    self.controls = controls
    self.run = run
    mixer = SoundMixer(channels: controls.channels)
    recorder = try controls.played.map { try PlayedSoundRecorder($0, channels: controls.channels) }
    block = .allocate(capacity: SoundMixer.frames * controls.channels)
    block.initialize(repeating: 0)
    past = controls.figures.snapshot
  }

  deinit { block.deallocate() }

  /// Runs until there is nothing to play, reopening the card after failures.
  mutating func callAsFunction() {
    var retry = Backoff.reopening
    while !controls.end(run) {
      do {
        var sink = try openSink()
        try fit(to: sink)
        retry.reset()
        try play(to: &sink)
      } catch {
        if let device = (error as? ALSAError)?.device { automatic.noteFailure(of: device) }
        controls.report(.failed(reason: "\(error)"))
        discardPackets(for: retry.next())
      }
    }
    controls.report(.closed)
  }

  private mutating func openSink() throws(ALSAError) -> AudioSink {
    let channels = controls.channels
    let playback: ALSAPlayback
    switch controls.speaker {
    case .testNull, .none: return .nowhere(PacedSink())
    case .device(let name): playback = try ALSAPlayback(device: name, channels: channels)
    case .automatic:
      playback = try automatic.open(.playback) { (name) throws(ALSAError) in
        try ALSAPlayback(device: name, channels: channels)
      }
    }
    controls.report(.opened(name: playback.device))
    return .card(playback)
  }

  private mutating func fit(to sink: borrowing AudioSink) throws(AudioResamplerError) {
    lead = PlayoutLeadTime(now: MonotonicClock.now(), timeout: sink.timeout)
    interrupt()
    converter = sink.rate == opusSampleRate ? nil : try RateConverter(channels: controls.channels, to: sink.rate)
  }

  private mutating func interrupt() {
    recorder?.interrupt()
    for stream in streams { stream.interrupt() }
  }

  /// Packets of a time without a card are old when it is back, and so are signals.
  private mutating func discardPackets(for duration: TimeSpan) {
    let end = MonotonicClock.now() + duration
    announcement = nil
    while !run.isStopped, MonotonicClock.now() < end {
      guard (try? followProgram()) == true else { return }
      controls.program.withLock { $0.announcements = [] }
      for stream in streams { stream.discardPackets() }
      run.pause(.milliseconds(100))
    }
  }
}

// MARK: - Playing

extension PlayoutLoop {
  private mutating func play(to sink: inout AudioSink) throws {
    while !run.isStopped, try followProgram() {
      let (delay, now) = (sink.delay, MonotonicClock.now())
      guard let pause = lead.pause(delay, now: now) else {
        try playBlock(to: &sink, delay: delay)
        continue
      }
      if lead.isStuck(now: now) { try sink.failStuck() }
      run.pause(pause)
    }
  }

  /// Takes in what has changed; returns false when there is nothing to play.
  private mutating func followProgram() throws -> Bool {
    let known = version
    let change = controls.program.withLock { $0.version == known ? nil : $0 }
    if let change {
      try follow(change.talkers)
      followRing(change.ring, change.ringCount)
      version = change.version
    }
    return !streams.isEmpty || announcement != nil || ring != nil || beginAnnouncement()
  }

  private mutating func follow(_ talkers: [PlayoutSource]) throws {
    let known = streams
    for stream in known where !talkers.contains(where: { $0 === stream.talker }) { past.add(stream.statistics) }
    (past.targetDelay, past.delay) = (.zero, .zero)
    streams = try talkers.map { talker in
      try known.first { $0.talker === talker } ?? AudioReceiveStream(talker, channels: controls.channels)
    }
  }

  private mutating func followRing(_ clip: SoundClip?, _ count: UInt64) {
    guard count != ringCount else { return }
    ringCount = count
    ring = clip.map { PlayoutRing($0, gain: controls.clipGain) }
  }

  private mutating func beginAnnouncement() -> Bool {
    let clip = controls.program.withLock { program in
      program.announcements.isEmpty ? nil : program.announcements.removeFirst()
    }
    announcement = clip.map { PlayoutAnnouncement($0, gain: controls.clipGain) }
    return announcement != nil
  }

  private mutating func playBlock(to sink: inout AudioSink, delay: TimeSpan) throws(ALSAError) {
    mixAnnouncement()
    mixRing()
    let now = MonotonicClock.now()
    for stream in streams { stream.mix(into: &mixer, now: now, delay: delay) }
    mixer.finish(into: block)
    if controls.isMuted.load(ordering: .relaxed) { block.update(repeating: 0) }
    recorder?.record(UnsafeBufferPointer(block), at: MonotonicClock.now() + delay)
    try write(to: &sink)
    publishFigures()
  }

  private func publishFigures() {
    var figures = past
    for stream in streams { figures.add(stream.statistics) }
    controls.figures.store(figures)
  }

  private mutating func mixAnnouncement() {
    guard announcement != nil || beginAnnouncement() else { return }
    announcement?.fill(block, channels: controls.channels)
    mixer.add(UnsafeBufferPointer(block))
    if announcement?.isFinished ?? true { announcement = nil }
  }

  private mutating func mixRing() {
    guard ring != nil else { return }
    ring?.fill(block, channels: controls.channels)
    mixer.add(UnsafeBufferPointer(block))
    guard ring?.isOver == true else { return }
    ring = nil
    let count = ringCount
    controls.program.withLock { program in
      if program.ringCount == count { program.ring = nil }
    }
  }

  private mutating func write(to sink: inout AudioSink) throws(ALSAError) {
    let before = sink.underruns
    if let converted = converter?.convert(block) {
      try sink.write(converted.span, channels: controls.channels)
    } else {
      try sink.write(UnsafeBufferPointer(block).span, channels: controls.channels)
    }
    lead.noteBlock(now: MonotonicClock.now())
    guard sink.underruns > before else { return }
    lead.noteUnderrun()
    interrupt()
    past.underruns += sink.underruns - before
  }
}
