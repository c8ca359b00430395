public import MediaCore

/// Turns received Opus packets into even sound: the one stage that waits for late packets.
///
/// Packets go in as they come, in any order. Every 10 ms ``render(into:now:decoder:)`` takes a block out. The delay is
/// measured from the arrival that the fastest packets of the last seconds would have had; sound is stretched by pitch
/// periods until the delay is what the network's jitter asks for, which also follows the drift of both clocks. A lost
/// packet is restored from the one after it or concealed; while a packet is only late, or the sender silent, concealment
/// continues the sound without giving anything up.
///
/// Allocates only when made. Use from one thread at a time.
public struct JitterBuffer: ~Copyable {
  /// Samples of each channel in a block, 10 ms.
  public static let blockSamples = 480
  /// The longest packet.
  private static let longestPacket = 5_760
  /// Timestamps that were computed may be off by so much, 2 ms.
  private static let tolerance: Int64 = 96
  /// Over so much concealed sound fades into decoded sound.
  private static let fade = 240
  /// Concealed without a packet: from here on the stream counts as silent, 1 s.
  private static let mostWaiting = 48_000
  /// Lost in one piece: from here on concealing is of no use, 200 ms.
  private static let mostLost: Int64 = 9_600
  /// Older than the cap by so much, packets are left out rather than caught up with.
  private static let slack = TimeSpan.milliseconds(200)

  private let settings: JitterBufferSettings
  private var clock = StreamClock()
  private var packets = StoredPackets()
  private var arrivals: ArrivalDelays
  private var queue: SampleQueue
  private var stretch = TimeStretch()
  private var decoded: [Int16]
  private var position = PlayPosition()
  private var counts = JitterBufferStatistics()

  public init(_ settings: JitterBufferSettings = JitterBufferSettings()) {
    self.settings = settings
    arrivals = ArrivalDelays(settings)
    queue = SampleQueue(channels: settings.channels)
    decoded = [Int16](repeating: 0, count: Self.longestPacket * settings.channels)
  }

  public var statistics: JitterBufferStatistics {
    var counts = counts
    counts.targetDelay = arrivals.target
    return counts
  }

  /// Copies a packet in.
  ///
  /// - Parameters:
  ///   - timestamp: RTP units of 48 kHz.
  ///   - sequence: tells silence that was not sent from loss; without it every gap is a loss.
  public mutating func insert(
    timestamp: UInt32, sequence: UInt16? = nil, arrival: MonotonicInstant, payload: RawSpan
  ) {
    guard !payload.isEmpty, payload.byteCount <= StoredPackets.slotBytes else { return drop() }
    let ticks: Int64
    switch clock.extend(timestamp, arrival: arrival) {
    case .leaps: return drop()
    case .restarts(let restarted):
      restart()
      ticks = restarted
    case .follows(let following): ticks = following
    }
    arrivals.note(ticks, arrival: arrival)
    store(ticks, sequence, payload)
  }

  private mutating func drop() { counts.droppedPackets &+= 1 }

  private mutating func restart() {
    counts.restarts &+= 1
    packets.removeAll()
    arrivals.restart()
    stretch.forget()
    queue.fadeOut(Self.fade)
    position.isPlaying = false
    position.end = nil
  }

  private mutating func store(_ ticks: Int64, _ sequence: UInt16?, _ payload: RawSpan) {
    if let end = position.end, ticks < end - Self.tolerance { return counts.latePackets &+= 1 }
    if packets.isFull { discardFirst() }
    if packets.insert(ticks, sequence, payload) != .stored { counts.latePackets &+= 1 }
  }

  private mutating func discardFirst() {
    packets.removeFirst()
    drop()
  }

  /// Fills `output` with the next 480 samples of each channel, interleaved: silence before the first packet and long
  /// after the last one.
  ///
  /// - Precondition: `output` has 480 samples a channel.
  public mutating func render<Decoder: JitterBufferDecoder & ~Copyable>(
    into output: inout MutableSpan<Int16>, now: MonotonicInstant, decoder: inout Decoder
  ) {
    precondition(output.count == Self.blockSamples * settings.channels)
    leaveOutTooOld(now)
    fill(to: Self.blockSamples, now: now, decoder: &decoder)
    adaptDelay(now, decoder: &decoder)
    let made = queue.pop(into: &output)
    for index in made * settings.channels..<output.count { output[index] = 0 }
  }

  /// What gathered before playing began, or while nothing came for long, would be heard late for long.
  private mutating func leaveOutTooOld(_ now: MonotonicInstant) {
    let limit = position.isPlaying ? settings.mostDelay + Self.slack : arrivals.target + .milliseconds(20)
    guard let first = packets.first, packets.count > 1, arrivals.delay(of: first.ticks, at: now) > limit else { return }
    while let first = packets.first, packets.count > 1,
      arrivals.delay(of: first.ticks, at: now) > arrivals.target + .milliseconds(20)
    { discardFirst() }
    position.skip(to: packets.first?.ticks)
  }

  /// Decodes or conceals until so much waits; leaves it at less when nothing is played.
  private mutating func fill<Decoder: JitterBufferDecoder & ~Copyable>(
    to wanted: Int, now: MonotonicInstant, decoder: inout Decoder
  ) {
    var steps = 64
    while queue.count < wanted, steps > 0 {
      steps -= 1
      guard let first = packets.first else {
        guard position.isPlaying, wait(&decoder) else { return }
        continue
      }
      guard let end = position.end, position.isPlaying else {
        guard begins(with: first, now) else { return }
        position.begin(at: first.ticks)
        continue
      }
      advance(to: first, from: end, now, &decoder)
    }
  }

  private func begins(with first: StoredPackets.Packet, _ now: MonotonicInstant) -> Bool {
    arrivals.delay(of: first.ticks, at: now) >= arrivals.target || packets.count > StoredPackets.capacity / 2
  }

  private mutating func advance<Decoder: JitterBufferDecoder & ~Copyable>(
    to first: StoredPackets.Packet, from end: Int64, _ now: MonotonicInstant, _ decoder: inout Decoder
  ) {
    let gap = first.ticks - end
    if gap < -Self.tolerance {
      packets.removeFirst()
      counts.latePackets &+= 1
    } else if gap <= Self.tolerance {
      decodeFirst(first, &decoder)
    } else if position.isSuccessor(first.sequence) {
      bridgeSilence(to: first, now, &decoder)
    } else {
      bridgeLoss(gap, to: first, &decoder)
    }
  }

  /// Nothing is there: the packet is late, or the sender silent. Returns false when that has lasted long.
  private mutating func wait<Decoder: JitterBufferDecoder & ~Copyable>(_ decoder: inout Decoder) -> Bool {
    guard position.waited < Self.mostWaiting else {
      position.isPlaying = false
      queue.fadeOut(Self.fade)
      return false
    }
    // A block more, so that there is something to fade from when sound is back.
    let missing = 2 * Self.blockSamples - queue.count
    let made = conceal(max(missing, Self.blockSamples), &decoder)
    position.waited += made
    counts.concealedSamples &+= made
    return made > 0
  }

  /// The sender left out silence: the best time to change the delay.
  private mutating func bridgeSilence<Decoder: JitterBufferDecoder & ~Copyable>(
    to first: StoredPackets.Packet, _ now: MonotonicInstant, _ decoder: inout Decoder
  ) {
    let waiting = TimeSpan(nanoseconds: StreamClock.nanoseconds(Int64(queue.count)))
    counts.concealedSamples &-= position.waited
    counts.silenceSamples &+= position.waited
    position.waited = 0
    guard arrivals.delay(of: first.ticks, at: now) + waiting < arrivals.target else {
      return position.skip(to: first.ticks)
    }
    let made = conceal(Self.blockSamples, &decoder)
    counts.silenceSamples &+= made
  }

  /// Packets are lost; what was concealed while waiting for them counts.
  private mutating func bridgeLoss<Decoder: JitterBufferDecoder & ~Copyable>(
    _ gap: Int64, to first: StoredPackets.Packet, _ decoder: inout Decoder
  ) {
    let concealed = min(Int64(position.waited), gap)
    position.waited -= Int(concealed)
    let left = gap - concealed
    let packet = Int64(position.packetSamples)
    if left > Self.mostLost || left <= Self.tolerance {
      position.skip(to: first.ticks)
    } else if left > packet {
      conceal(lost: left - packet, from: first.ticks - left, &decoder)
    } else {
      recover(left, before: first, &decoder)
    }
  }

  private mutating func conceal<Decoder: JitterBufferDecoder & ~Copyable>(
    lost: Int64, from start: Int64, _ decoder: inout Decoder
  ) {
    let made = conceal(Int(min(lost, Int64(Self.blockSamples))), &decoder)
    counts.concealedSamples &+= made
    position.end = start + Int64(max(made, 120))
  }

  private mutating func recover<Decoder: JitterBufferDecoder & ~Copyable>(
    _ missing: Int64, before first: StoredPackets.Packet, _ decoder: inout Decoder
  ) {
    let length = Int(max(120, min((missing + 60) / 120 * 120, Int64(Self.longestPacket))))
    if let recovered = packets.recoverBeforeFirst(length, into: &decoded, &decoder) {
      let made = accepted(recovered)
      counts.recoveredSamples &+= made
      append(made)
    } else {
      let made = conceal(length, &decoder)
      counts.concealedSamples &+= made
    }
    position.skip(to: first.ticks)
  }

  private mutating func decodeFirst<Decoder: JitterBufferDecoder & ~Copyable>(
    _ first: StoredPackets.Packet, _ decoder: inout Decoder
  ) {
    let made = accepted(packets.decodeFirst(into: &decoded, &decoder))
    packets.removeFirst()
    guard made > 0 else {
      drop()
      return position.noteUndecodable()
    }
    counts.decodedPackets &+= 1
    append(made)
    position.notePlayed(first, samples: made)
  }

  private func accepted(_ made: Int) -> Int { min(max(made, 0), Self.longestPacket) }

  /// Appends what was decoded; after concealment it fades in where it continues that best.
  private mutating func append(_ made: Int) {
    defer { position.isConcealing = false }
    let length = min(Self.fade, made)
    guard position.isConcealing,
      let place = stretch.continuation(of: queue, by: decoded, length: length)
    else { return queue.append(decoded, to: made) }
    queue.fade(at: place, into: decoded, length: length)
    queue.append(decoded, from: length, to: made)
  }

  private mutating func conceal<Decoder: JitterBufferDecoder & ~Copyable>(
    _ samples: Int, _ decoder: inout Decoder
  ) -> Int {
    let length = max(120, min(samples / 120 * 120, Self.longestPacket))
    var span = decoded.mutableSpan
    let result = decoder.concealLoss(samplesPerChannel: length, into: &span)
    let made = accepted(result)
    queue.append(decoded, to: made)
    position.isConcealing = true
    return made
  }

  /// Stretches what waits toward the target.
  private mutating func adaptDelay<Decoder: JitterBufferDecoder & ~Copyable>(
    _ now: MonotonicInstant, decoder: inout Decoder
  ) {
    guard let end = position.end, position.isPlaying, position.waited == 0 else { return }
    let waiting = TimeSpan(nanoseconds: StreamClock.nanoseconds(Int64(queue.count)))
    counts.currentDelay = arrivals.delay(of: end, at: now) + waiting
    switch stretch.note(counts.currentDelay, target: arrivals.target) {
    case .none: return
    case .shorten:
      fillAhead(now, decoder: &decoder)
      let longest = queue.count - Self.blockSamples
      guard longest >= PitchSearch.shortest else { return }
      let taken = stretch.shorten(&queue)
      counts.acceleratedSamples &+= taken
      fill(to: Self.blockSamples, now: now, decoder: &decoder)
    case .lengthen:
      let put = stretch.lengthen(&queue)
      counts.expandedSamples &+= put
    }
  }

  /// Decodes ahead what is there without a gap, for the search of a pitch period.
  private mutating func fillAhead<Decoder: JitterBufferDecoder & ~Copyable>(
    _ now: MonotonicInstant, decoder: inout Decoder
  ) {
    while queue.count < 2 * PitchSearch.longest, let end = position.end, let first = packets.first,
      abs(first.ticks - end) <= Self.tolerance
    { decodeFirst(first, &decoder) }
  }
}
