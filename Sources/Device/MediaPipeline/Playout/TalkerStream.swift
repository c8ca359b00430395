internal import AudioResampling
internal import MediaCore
internal import OpusCodec
internal import RealtimeRuntime
internal import Synchronization

/// One talker's way from packets to samples at 48 kHz, on the playout thread.
///
/// Playing begins when as much is held as the network's jitter asks for, 60 ms at least. From then on the mixer takes
/// samples at the pace of the card. A packet that is lost is recovered or concealed when its turn comes. The sender's clock
/// and the card's drift apart; sound is stretched by a few parts per million so that what waits stays the same, and by more
/// when the jitter has changed.
final class TalkerStream {
  let talker: Talker
  private let controls: PlayoutControls
  private var decoder: OpusDecoder
  private var buffer = PlayoutBuffer()
  private let samples: UnsafeMutableBufferPointer<Int16>
  /// Makes what waits in `queue` of `samples`: in step with the sender.
  private var resampler: AudioResampler
  private var queue: SampleQueue
  private var target = PlayoutTarget()
  private var level = PlayoutLevel(target: PlayoutTarget.least)
  private var packetFrames = 960
  private var state = State.idle

  private enum State {
    case idle
    /// Packets gather until then at most.
    case gathering(until: MonotonicInstant)
    case playing(Gap)
  }

  /// What is missing since the last packet that was there.
  private struct Gap {
    var concealedInARow = 0
    /// Concealed packets for which no number was given up, since the sender might just have been silent.
    var unnumbered = 0
  }

  /// So many packets more than should wait came in a burst, which would last too long to play faster: one is left out.
  private static let mostSurplus = 2
  /// After so many concealed packets in a row the stream counts as silent, and playing begins anew with the next packet.
  private static let mostConcealed = 5
  /// A packet that comes while its predecessor is played need not have been here before.
  private static let leastBuffered = TimeSpan.milliseconds(30)
  /// The longest packet with a little for the correction, and a block that waits.
  private static let queueFrames = OpusDecoder.maximumSamplesPerPacket + 1_024

  init(_ talker: Talker, _ controls: PlayoutControls) throws {
    self.talker = talker
    self.controls = controls
    decoder = try OpusDecoder(channels: controls.channels == 2 ? .stereo : .mono)
    resampler = try AudioResampler(channels: controls.channels, inputRate: opusSampleRate, outputRate: opusSampleRate)
    queue = SampleQueue(capacity: Self.queueFrames * controls.channels)
    samples = .allocate(capacity: OpusDecoder.maximumSamplesPerPacket * controls.channels)
    samples.initialize(repeating: 0)
  }

  deinit { samples.deallocate() }

  /// Adds the next block to the mix.
  ///
  /// - Parameter delay: how much waits in the card.
  func mix(into mixer: inout SoundMixer, delay: TimeSpan) {
    fetch()
    begin()
    let wanted = SoundMixer.frames * controls.channels
    while queue.count < wanted, case .playing(let gap) = state {
      state = .playing(makeNext(gap, delay))
      endIfSilent()
    }
    let count = min(queue.count, wanted)
    guard count > 0 else { return }
    mixer.add(UnsafeBufferPointer(rebasing: queue.waiting[..<count]))
    queue.removeFirst(count)
  }

  /// Packets of a time without a card are old when it is back.
  func discardPackets() {
    while talker.inbox.audio.popFirst({ _, _ in }) != nil {}
    queue.removeAll()
    state = .idle
  }

  private func fetch() {
    while true {
      let header = talker.inbox.audio.popFirst { header, payload in
        buffer.append(header.number, payload)
        return header
      }
      guard let header else { break }
      if let arrival = header.arrival { target.note(captured: header.timestamp, arrival: arrival) }
    }
    controls.counters.lateOrRefused.store(buffer.refused, ordering: .relaxed)
  }

  private var packetTime: TimeSpan { TimeSpan.seconds(Int64(packetFrames)) / Int64(opusSampleRate) }

  /// Packets that should be held when playing begins.
  private var wantedPackets: Int { max(1, Int(clamping: target.value.nanoseconds / max(1, packetTime.nanoseconds))) }
}

// MARK: - Beginning and end

extension TalkerStream {
  private func begin() {
    let now = MonotonicClock.now()
    switch state {
    case .idle:
      guard buffer.count > 0 else { return }
      state = .gathering(until: now + target.value)
      begin()
    case .gathering(let end):
      guard buffer.count >= wantedPackets || now >= end else { return }
      leaveOutOldest()
      skipMissing(atMost: PlayoutBuffer.capacity)
      level.interrupt()
      resampler.reset()
      state = .playing(Gap())
    case .playing: break
    }
  }

  private func endIfSilent() {
    if case .playing(let gap) = state, gap.concealedInARow >= Self.mostConcealed { state = .idle }
  }

  /// What gathered while the card was being opened would be heard late for as long as the stretch lasts.
  private func leaveOutOldest() {
    while buffer.count > wantedPackets {
      buffer.advance()
      PipelineCounters.count(controls.counters.leftOut)
    }
  }

  /// Goes on to the first packet that is here.
  private func skipMissing(atMost limit: Int) {
    var left = limit
    while left > 0, buffer.isDueLost {
      buffer.advance()
      left -= 1
    }
  }
}

// MARK: - Decoding

extension TalkerStream {
  /// Makes the samples of the packet that is due, whether it is here or not.
  private func makeNext(_ previous: Gap, _ delay: TimeSpan) -> Gap {
    var gap = previous
    if buffer.count > wantedPackets + Self.mostSurplus {
      buffer.advance()
      PipelineCounters.count(controls.counters.leftOut)
    }
    // What was concealed already need not be concealed again.
    if buffer.count > 0 {
      skipMissing(atMost: gap.unnumbered)
      gap.unnumbered = 0
    }
    if buffer.peek({ _ in }) != nil {
      noteLevel(delay)
      stretch(decodeDue(&gap))
    } else {
      stretch(replaceMissing(&gap))
    }
    return gap
  }

  /// Measures what waits when a packet is due, and plays a trifle faster or slower from now on.
  private func noteLevel(_ delay: TimeSpan) {
    level.target = max(target.value, delay + Self.leastBuffered)
    let queued = TimeSpan.seconds(Int64(queue.count / controls.channels)) / Int64(opusSampleRate)
    guard level.note(delay + queued + packetTime * Int64(buffer.count), over: packetTime) else { return }
    resampler.setCorrection(partsPerMillion: level.correction)
  }

  private func decodeDue(_ gap: inout Gap) -> Int {
    var output = samples.mutableSpan
    let frames = buffer.peek { packet in
      try? decoder.decode(packet, into: &output)
    }
    buffer.advance()
    guard let frames = frames ?? nil else { return conceal(&gap) }
    gap.concealedInARow = 0
    packetFrames = frames
    PipelineCounters.count(controls.counters.played)
    return frames
  }

  /// Recovers the missing packet from the one after it, or conceals it.
  private func replaceMissing(_ gap: inout Gap) -> Int {
    var output = samples.mutableSpan
    let length = packetFrames
    let frames = buffer.peek(isFollowing: true) { packet in
      try? decoder.recoverPrevious(of: packet, samplesPerChannel: length, into: &output)
    }
    if buffer.count > 0 { buffer.advance() } else { gap.unnumbered += 1 }
    guard let frames = frames ?? nil else { return conceal(&gap) }
    PipelineCounters.count(controls.counters.recovered)
    return frames
  }

  private func conceal(_ gap: inout Gap) -> Int {
    var output = samples.mutableSpan
    gap.concealedInARow += 1
    PipelineCounters.count(controls.counters.concealed)
    return (try? decoder.conceal(samplesPerChannel: packetFrames, into: &output)) ?? 0
  }

  private func stretch(_ frames: Int) {
    var output = queue.reserve().mutableSpan
    let decoded = UnsafeBufferPointer(rebasing: samples[..<(frames * controls.channels)])
    queue.commit(resampler.process(decoded.span, into: &output).made * controls.channels)
  }
}
