internal import MediaCodecs
internal import MediaCore

/// Makes packets of exactly 20 ms on the monotonic timeline of what a device captures at the pace of its own clock.
///
/// Sound is stretched by a few parts per million, so that each sample comes out at the place that belongs to the instant
/// when it was captured, for days. Packets follow each other without gap or overlap: what was lost, and the time without a
/// device, becomes silence. That suits archives, whose files join exactly, and calls, whose jitter buffers know no gaps.
/// Only a gap of more than five seconds, as after the machine stood still, is stepped over by whole packets.
///
/// Allocates when made, and when a device has another rate than the last. Owned by the audio thread.
struct AudioTimeline: ~Copyable {
  static let packetFrames = 960
  static let packetDuration = TimeSpan.milliseconds(20)

  let channels: Int
  private var resampler: AudioResampler
  private var clock: ClockFollower
  private var window = AudioTimeline.firstWindow
  private let packet: UnsafeMutableBufferPointer<Int16>
  private var filled = 0
  /// When the packet that is being filled begins; nil until the first sound or silence.
  private var packetStart: MonotonicInstant?
  /// The next sound continues none, so its own stamp says where it belongs.
  private var isInterrupted = true
  /// Where sound lies is only what its first stamp said.
  private var isNewlyPlaced = true
  /// Input frames that belong to a time which is accounted for already.
  private var surplus = 0

  private static let rate: Int64 = 48_000
  private static let windowLength = TimeSpan.milliseconds(500)
  /// A card that has just been started, and a sound server even more, delivers in jerks at first. Then it takes long to
  /// determine the error of the first stamp, often 10 ms. That is corrected at once: stretching for half a minute would
  /// be inaudible, but no echo canceller could follow.
  private static var firstWindow: OffsetWindow { OffsetWindow(length: .milliseconds(200), after: .milliseconds(100)) }
  private static let farthestAtFirst = TimeSpan.microseconds(250)
  /// A mean offset above this is no drift: the device lost or repeated sound silently.
  private static let farthest = TimeSpan.milliseconds(10)
  private static let longestSilence = TimeSpan.seconds(5)

  /// - Parameters:
  ///   - channels: 1 or 2.
  ///   - clock: how the device's clock is followed.
  init(
    channels: Int, clock: ClockFollower = ClockFollower(timeConstant: .seconds(10))
  ) throws(AudioResamplerError) {
    self.channels = channels
    self.clock = clock
    resampler = try AudioResampler(channels: channels, inputRate: Int(Self.rate), outputRate: Int(Self.rate))
    packet = .allocate(capacity: Self.packetFrames * channels)
    packet.initialize(repeating: 0)
  }

  deinit { packet.deallocate() }

  /// How much faster the timeline runs than the device's clock now, in parts per million.
  var correction: Double { clock.correction }

  /// Up to when sound or silence was given out; nil before the first.
  var end: MonotonicInstant? { packetStart.map { $0 + Self.duration(of: filled) } }

  private static func duration(of frames: Int) -> TimeSpan {
    TimeSpan.seconds(Int64(frames)) / rate
  }

  /// Whole frames; exact for any span.
  private static func frames(in time: TimeSpan, rate: Int = Int(AudioTimeline.rate)) -> Int {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let rate = Int64(rate)
    return Int(clamping: seconds.saturatingMultiplied(by: rate).saturatingAdding(rest * rate / 1_000_000_000))
  }

  /// A device was opened, which captures at this rate.
  mutating func setInputRate(_ rate: Int) throws(AudioResamplerError) {
    interrupt()
    guard rate != resampler.inputRate else { return }
    resampler = try AudioResampler(channels: channels, inputRate: rate, outputRate: Int(Self.rate))
    resampler.setCorrection(partsPerMillion: clock.correction)
  }

  /// Sound was lost: an overrun, or the device is gone.
  mutating func interrupt() {
    isInterrupted = true
    surplus = 0
    resampler.reset()
    clock.interrupt()
  }
}

// MARK: - Sound

extension AudioTimeline {
  /// Takes interleaved samples, the first of which was captured at `stamp`, and hands over the packets that are full.
  mutating func append<Failure: Error>(
    _ samples: Span<Int16>, capturedAt stamp: MonotonicInstant,
    _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    let frames = samples.count / channels
    guard frames > 0 else { return }
    if isInterrupted {
      try takeUp(at: stamp, publish)
    } else if surplus == 0 {
      try measure(stamp, frames: frames, publish)
    }
    let skipped = min(surplus, frames)
    surplus -= skipped
    // A stretch that lies altogether before what was given out says nothing about where the next one belongs.
    isInterrupted = isInterrupted || skipped == frames
    try feed(samples.extracting((skipped * channels)...), publish)
  }

  /// Sound begins, or restarts: silence fills the time until then.
  private mutating func takeUp<Failure: Error>(
    at stamp: MonotonicInstant, _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    isInterrupted = false
    isNewlyPlaced = true
    window = Self.firstWindow
    try shift(by: stamp - (end ?? stamp), publish)
    if packetStart == nil { packetStart = stamp }
  }

  /// Compares where the samples would come to lie with where they belong.
  private mutating func measure<Failure: Error>(
    _ stamp: MonotonicInstant, frames: Int, _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    let pending = TimeSpan(seconds: resampler.pendingFrames / Double(Self.rate))
    let time = TimeSpan.seconds(Int64(frames)) / Int64(resampler.inputRate)
    window.add(stamp - (end! + pending), over: time)
    let length = window.time
    guard let offset = window.takeMean() else { return }
    let farthest = isNewlyPlaced ? Self.farthestAtFirst : Self.farthest
    isNewlyPlaced = false
    window = OffsetWindow(length: Self.windowLength)
    guard max(offset, .zero - offset) <= farthest else {
      clock.interrupt()
      return try shift(by: offset, publish)
    }
    clock.follow(offset, over: length)
    resampler.setCorrection(partsPerMillion: clock.correction)
  }

  /// Moves what comes next to later by silence, or to earlier by leaving out sound.
  private mutating func shift<Failure: Error>(
    by time: TimeSpan, _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    surplus = 0
    if time >= .zero {
      try addSilence(frames: Self.frames(in: time), publish)
    } else {
      surplus = Self.frames(in: .zero - time, rate: resampler.inputRate) + 1
    }
  }

  private mutating func feed<Failure: Error>(
    _ samples: Span<Int16>, _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    var taken = 0
    while taken < samples.count {
      var space = UnsafeMutableBufferPointer(rebasing: packet[(filled * channels)...]).mutableSpan
      let progress = resampler.process(samples.extracting(taken..<samples.count), into: &space)
      taken += progress.taken * channels
      filled += progress.made
      if filled == Self.packetFrames { try finish(publish) }
      guard progress.taken > 0 || progress.made > 0 else { return }
    }
  }

  private mutating func finish<Failure: Error>(
    _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    let start = packetStart!
    packetStart = start + Self.packetDuration
    filled = 0
    try publish(packet.span, start)
  }
}

// MARK: - Silence

extension AudioTimeline {
  /// Continues with silence until `instant`, while there is no sound.
  mutating func addSilence<Failure: Error>(
    until instant: MonotonicInstant, _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    let begin = end ?? instant
    if packetStart == nil { packetStart = instant }
    if instant > begin { try addSilence(frames: Self.frames(in: instant - begin), publish) }
  }

  private mutating func addSilence<Failure: Error>(
    frames: Int, _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    var left = frames
    while left > 0 {
      if filled == 0 { left -= stepOver(left) }
      let count = min(left, Self.packetFrames - filled)
      UnsafeMutableBufferPointer(rebasing: packet[(filled * channels)..<((filled + count) * channels)])
        .update(repeating: 0)
      filled += count
      left -= count
      if filled == Self.packetFrames { try finish(publish) }
    }
  }

  /// Skips the whole packets of a long silence; returns their frames.
  private mutating func stepOver(_ frames: Int) -> Int {
    let excess = frames - Self.frames(in: Self.longestSilence)
    guard excess >= Self.packetFrames else { return 0 }
    let packets = excess / Self.packetFrames
    packetStart = packetStart! + Self.packetDuration * Int64(packets)
    return packets * Self.packetFrames
  }
}
