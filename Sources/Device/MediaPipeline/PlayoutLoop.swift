internal import ALSAAudio
internal import AudioResampling
internal import MediaCore
internal import OpusCodec
internal import RealtimeRuntime
internal import Synchronization

/// The body of the playout thread: packets in, sound out.
///
/// Playing begins when as much is held as the network's jitter asks for, 60 ms at least. From then on the card's own
/// buffer is the clock: a packet is decoded as soon as it is due. One that is lost is recovered or concealed as soon as a
/// later one is here; when none is, it is waited for until the card is about to run dry. The sender's clock and the card's
/// drift apart; sound is stretched by a few parts per million so that what waits stays the same, and by more when the
/// jitter has changed.
struct PlayoutLoop: ~Copyable {
  private let controls: PlayoutControls
  private let run: MediaThreadRun
  private var decoder: OpusDecoder
  private var buffer = PlayoutBuffer()
  private let samples: UnsafeMutableBufferPointer<Int16>
  /// Makes `stretched` of `samples`: at the card's rate, in step with the sender.
  private var resampler: AudioResampler
  private let stretched: UnsafeMutableBufferPointer<Int16>
  private var target = PlayoutTarget()
  private var level = PlayoutLevel(target: PlayoutTarget.least)
  private var packetFrames = 960
  private var concealedInARow = 0
  /// Concealed packets for which no number was given up, since the sender might just have been silent.
  private var unnumbered = 0
  private var announcement: PlayoutAnnouncement?

  /// A packet that has not come is given up when only so much is left to play.
  private static let reserve = TimeSpan.milliseconds(15)
  /// So many packets more than should wait came in a burst, which would last too long to play faster: one is left out.
  private static let mostSurplus = 2
  /// After so many concealed packets in a row the stream counts as silent, and playing begins anew with the next packet.
  private static let mostConcealed = 5
  /// The longest packet at four times the decoder's rate, and a little for the correction.
  private static let stretchedFrames = 4 * OpusDecoder.maximumSamplesPerPacket + 256

  init(_ controls: PlayoutControls, _ run: MediaThreadRun) throws {
    let decoder = try OpusDecoder(channels: controls.channels == 2 ? .stereo : .mono)
    resampler = try AudioResampler(channels: controls.channels, inputRate: opusSampleRate, outputRate: PacedSink.rate)
    self.decoder = decoder
    self.controls = controls
    self.run = run
    announcement = controls.announces ? PlayoutAnnouncement() : nil
    samples = .allocate(capacity: OpusDecoder.maximumSamplesPerPacket * controls.channels)
    samples.initialize(repeating: 0)
    stretched = .allocate(capacity: Self.stretchedFrames * controls.channels)
    stretched.initialize(repeating: 0)
  }

  deinit {
    samples.deallocate()
    stretched.deallocate()
  }

  /// Runs until stopped, opening the card anew after failures.
  mutating func callAsFunction() {
    var retry = Backoff.reopening
    while !run.isStopped {
      do {
        var sink = try openSink()
        try fitResampler(to: sink)
        retry.reset()
        try announce(to: &sink)
        try play(to: &sink)
      } catch {
        controls.report(.failed(reason: "\(error)"))
        discardPackets(for: retry.next())
      }
    }
  }

  private func openSink() throws(ALSAError) -> AudioSink {
    let name: String
    switch controls.speaker {
    case .testNull, .none: return .nowhere(PacedSink())
    case .device(let device): name = device
    case .automatic:
      guard let device = AudioDeviceList.current().first(where: \.canPlay) else { throw .noCard }
      name = device.name
    }
    let playback = try ALSAPlayback(device: name, channels: controls.channels)
    controls.report(.opened(name: name))
    return .card(playback)
  }

  private mutating func fitResampler(to sink: borrowing AudioSink) throws(AudioResamplerError) {
    guard sink.rate != resampler.outputRate else { return resampler.reset() }
    resampler = try AudioResampler(channels: controls.channels, inputRate: opusSampleRate, outputRate: sink.rate)
    resampler.setCorrection(partsPerMillion: level.correction)
  }

  /// Plays what is left of the announcement; a card that fails in between plays the rest when it is back.
  private mutating func announce(to sink: inout AudioSink) throws(ALSAError) {
    while !run.isStopped, let frames = nextAnnouncementFrames() { try write(frames, to: &sink) }
    announcement = nil
  }

  private mutating func nextAnnouncementFrames() -> Int? {
    var output = samples.mutableSpan
    return announcement?.fill(&output, channels: controls.channels)
  }

  /// Packets of a time without a card are old when it is back.
  private mutating func discardPackets(for duration: TimeSpan) {
    let end = MonotonicClock.now() + duration
    while !run.isStopped, MonotonicClock.now() < end {
      _ = controls.inbox.wake.wait(timeout: .milliseconds(100))
      while controls.inbox.audio.popFirst({ _, _ in }) != nil {}
    }
  }

  private mutating func play(to sink: inout AudioSink) throws(ALSAError) {
    while !run.isStopped {
      guard waitForFirstPackets() else { continue }
      concealedInARow = 0
      level.interrupt()
      resampler.reset()
      while !run.isStopped, concealedInARow < Self.mostConcealed {
        try playNext(to: &sink)
      }
      try sink.discard()
      controls.underruns.store(sink.underruns, ordering: .relaxed)
    }
  }

  private var packetTime: TimeSpan {
    TimeSpan.seconds(Int64(packetFrames)) / Int64(opusSampleRate)
  }

  /// Packets that should be held.
  private var wantedPackets: Int { max(1, Int(clamping: target.value.nanoseconds / max(1, packetTime.nanoseconds))) }

  /// - Parameter isPrompt: packets are taken as soon as they can be played. Others waited for this thread, not for the
  ///   network, so their arrival counts.
  private mutating func fetch(isPrompt: Bool = true) {
    let now = MonotonicClock.now()
    while true {
      let header = controls.inbox.audio.popFirst { header, payload in
        buffer.append(header.number, payload)
        return header
      }
      guard let header else { break }
      if let arrival = isPrompt ? now : header.arrival { target.note(captured: header.timestamp, arrival: arrival) }
    }
    controls.lateOrRefused.store(buffer.refused, ordering: .relaxed)
  }

  /// Waits until enough is held to begin; returns false when nothing came for a while.
  private mutating func waitForFirstPackets() -> Bool {
    fetch(isPrompt: false)
    if buffer.count == 0 {
      _ = controls.inbox.wake.wait(timeout: .milliseconds(500))
      fetch()
    }
    guard buffer.count > 0 else { return false }
    let end = MonotonicClock.now() + target.value
    while buffer.count < wantedPackets, !run.isStopped {
      let now = MonotonicClock.now()
      guard now < end else { break }
      _ = controls.inbox.wake.wait(timeout: end - now)
      fetch()
    }
    leaveOutOldest()
    skipMissing(atMost: PlayoutBuffer.capacity)
    return !run.isStopped
  }

  /// What gathered while the card was being opened would be heard late for as long as the stretch lasts.
  private mutating func leaveOutOldest() {
    while buffer.count > wantedPackets {
      buffer.advance()
      PipelineCounters.count(controls.leftOut)
    }
  }

  /// Goes on to the first packet that is here.
  private mutating func skipMissing(atMost limit: Int) {
    var left = limit
    while left > 0, buffer.isDueLost {
      buffer.advance()
      left -= 1
    }
  }

  private mutating func playNext(to sink: inout AudioSink) throws(ALSAError) {
    fetch()
    if buffer.count > wantedPackets + Self.mostSurplus {
      buffer.advance()
      PipelineCounters.count(controls.leftOut)
    }
    // What was concealed already need not be concealed again.
    if buffer.count > 0 {
      skipMissing(atMost: unnumbered)
      unnumbered = 0
    }
    guard buffer.peek({ _ in }) == nil else {
      noteLevel(of: sink)
      return try write(decodeDue(), to: &sink)
    }
    let slack = sink.delay - Self.reserve
    if !buffer.isDueLost, slack > .zero {
      _ = controls.inbox.wake.wait(timeout: slack)
      return
    }
    try write(replaceMissing(), to: &sink)
  }

  /// Measures what waits when a packet is due, and plays a trifle faster or slower from now on.
  private mutating func noteLevel(of sink: borrowing AudioSink) {
    level.target = target.value
    guard level.note(sink.delay + packetTime * Int64(buffer.count), over: packetTime) else { return }
    resampler.setCorrection(partsPerMillion: level.correction)
  }

  private mutating func decodeDue() -> Int {
    var output = samples.mutableSpan
    let frames = buffer.peek { packet in
      try? decoder.decode(packet, into: &output)
    }
    buffer.advance()
    guard let frames = frames ?? nil else { return conceal() }
    concealedInARow = 0
    packetFrames = frames
    PipelineCounters.count(controls.played)
    return frames
  }

  /// Recovers the missing packet from the one after it, or conceals it.
  private mutating func replaceMissing() -> Int {
    var output = samples.mutableSpan
    let length = packetFrames
    let frames = buffer.peek(isFollowing: true) { packet in
      try? decoder.recoverPrevious(of: packet, samplesPerChannel: length, into: &output)
    }
    if buffer.count > 0 { buffer.advance() } else { unnumbered += 1 }
    guard let frames = frames ?? nil else { return conceal() }
    PipelineCounters.count(controls.recovered)
    return frames
  }

  private mutating func conceal() -> Int {
    var output = samples.mutableSpan
    concealedInARow += 1
    PipelineCounters.count(controls.concealed)
    return (try? decoder.conceal(samplesPerChannel: packetFrames, into: &output)) ?? 0
  }

  private mutating func write(_ frames: Int, to sink: inout AudioSink) throws(ALSAError) {
    let used = UnsafeMutableBufferPointer(rebasing: samples[..<(frames * controls.channels)])
    if controls.isMuted.load(ordering: .relaxed) { used.update(repeating: 0) }
    var output = stretched.mutableSpan
    let made = resampler.process(used.span, into: &output).made
    try sink.write(
      UnsafeBufferPointer(rebasing: stretched[..<(made * controls.channels)]).span, channels: controls.channels)
  }
}
