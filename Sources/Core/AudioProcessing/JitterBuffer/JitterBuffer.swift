public import MediaCore

/// Turns received Opus packets into even sound: the one stage that waits for late packets.
///
/// Packets go in as they come, in any order. Every 10 ms ``render(into:now:decoder:)`` takes a block out. The delay is
/// measured from the arrival that the fastest packets of the last seconds would have had; sound is stretched by pitch
/// periods until the delay is what the network's jitter requires, which also follows the drift of both clocks. A lost
/// packet is restored from the one after it or concealed; while a packet is only late, or the sender silent, concealment
/// continues the sound without giving anything up.
///
/// Allocates only when made. Use from one thread at a time.
public struct JitterBuffer: ~Copyable {
  /// Samples of each channel in a block, 10 ms.
  public static let blockSamples = 480
  /// The longest packet.
  private static let longestPacket = 5_760
  /// The tolerance of computed timestamps, 2 ms.
  private static let tolerance: Int64 = 96
  /// Concealed without a packet: from here on the stream counts as silent, 1 s.
  private static let maxWaiting = 48_000
  /// Lost in one piece: from here on concealing is of no use, 200 ms.
  private static let maxLost: Int64 = 9_600
  /// Packets older than the cap by more than this are dropped rather than caught up with.
  private static let slack = TimeSpan.milliseconds(200)

  private let settings: JitterBufferSettings
  private var clock = StreamClock()
  private var packets = StoredPackets()
  private var arrivals: ArrivalDelays
  private var queue: SampleQueue
  private var stretch = TimeStretch()
  private var decoded: [Int16]
  private var position = PlayPosition()
  private var redundancy = RedundancyDelay()
  private var counts = JitterBufferStatistics()

  /// Empty, at the first delay of its settings.
  public init(_ settings: JitterBufferSettings = JitterBufferSettings()) {
    self.settings = settings
    arrivals = ArrivalDelays(settings)
    queue = SampleQueue(channels: settings.channels)
    decoded = [Int16](repeating: 0, count: Self.longestPacket * settings.channels)
  }

  /// Figures up to now.
  public var statistics: JitterBufferStatistics {
    var counts = counts
    counts.targetDelay = target
    return counts
  }

  private var target: TimeSpan {
    guard redundancy.isWorthwhile else { return arrivals.target }
    let packet = TimeSpan(nanoseconds: StreamClock.nanoseconds(Int64(position.packetSamples)))
    return min(arrivals.target + packet, settings.maxDelay)
  }

  /// Copies a packet in.
  ///
  /// - Parameters:
  ///   - timestamp: RTP units of 48 kHz.
  ///   - sequence: distinguishes silence that was not sent from loss; without it every gap is a loss.
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
    position.end = nil
    position.waited = 0
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
    redundancy.noteBlock()
    leaveOutTooOld(now)
    fill(to: Self.blockSamples, now: now, decoder: &decoder)
    adaptDelay(now, decoder: &decoder)
    let made = queue.pop(into: &output)
    for index in made * settings.channels..<output.count { output[index] = 0 }
  }

  /// What accumulated before playback began, or during a long gap, would add delay for long.
  private mutating func leaveOutTooOld(_ now: MonotonicInstant) {
    let limit = position.isPlaying ? settings.maxDelay + Self.slack : target + .milliseconds(20)
    guard let first = packets.first, packets.count > 1, arrivals.delay(of: first.ticks, at: now) > limit else { return }
    while let first = packets.first, packets.count > 1,
      arrivals.delay(of: first.ticks, at: now) > target + .milliseconds(20)
    { discardFirst() }
    position.skip(to: packets.first?.ticks)
  }

  /// Decodes or conceals until this much is queued; stops below that when nothing is played.
  private mutating func fill<Decoder: JitterBufferDecoder & ~Copyable>(
    to wanted: Int, now: MonotonicInstant, decoder: inout Decoder
  ) {
    var steps = 64
    while queue.count < wanted, steps > 0 {
      steps -= 1
      guard position.isPlaying, let end = position.end else {
        guard begin(now, &decoder) else { return }
        continue
      }
      guard let first = packets.first else {
        guard wait(&decoder) else { return }
        continue
      }
      advance(to: first, from: end, now, &decoder)
    }
  }

  /// Begins with the first packet when it is due; ends what was played before the restart.
  private mutating func begin<Decoder: JitterBufferDecoder & ~Copyable>(
    _ now: MonotonicInstant, _ decoder: inout Decoder
  ) -> Bool {
    if position.isPlaying { stop(&decoder) }
    guard let first = packets.first, begins(with: first, now) else { return false }
    position.begin(at: first.ticks)
    return true
  }

  private mutating func stop<Decoder: JitterBufferDecoder & ~Copyable>(_ decoder: inout Decoder) {
    let made = conceal(Self.blockSamples, &decoder)
    counts.concealedSamples &+= made
    queue.fadeOut(made)
    position.isPlaying = false
  }

  private func begins(with first: StoredPackets.Packet, _ now: MonotonicInstant) -> Bool {
    arrivals.delay(of: first.ticks, at: now) >= target || packets.count > StoredPackets.capacity / 2
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
      bridgeLoss(gap, to: first, now, &decoder)
    }
  }

  /// The buffer is empty: the packet is late, or the sender silent. Returns false when that has lasted long.
  private mutating func wait<Decoder: JitterBufferDecoder & ~Copyable>(_ decoder: inout Decoder) -> Bool {
    guard position.waited < Self.maxWaiting else {
      stop(&decoder)
      return false
    }
    return wait(&decoder, for: Self.blockSamples) > 0
  }

  /// Conceals without a step in the timestamps: whether a packet is lost or late shows later.
  private mutating func wait<Decoder: JitterBufferDecoder & ~Copyable>(
    _ decoder: inout Decoder, for samples: Int
  ) -> Int {
    let made = conceal(samples, &decoder)
    position.waited += made
    counts.concealedSamples &+= made
    return made
  }

  /// The sender suppressed silence: the best time to change the delay.
  private mutating func bridgeSilence<Decoder: JitterBufferDecoder & ~Copyable>(
    to first: StoredPackets.Packet, _ now: MonotonicInstant, _ decoder: inout Decoder
  ) {
    counts.concealedSamples &-= position.waited
    counts.silenceSamples &+= position.waited
    position.waited = 0
    guard delay(of: first.ticks, at: now) < target else {
      return position.skip(to: first.ticks)
    }
    let made = conceal(Self.blockSamples, &decoder)
    counts.silenceSamples &+= made
  }

  /// Packets are lost; sound concealed while waiting for them counts.
  private mutating func bridgeLoss<Decoder: JitterBufferDecoder & ~Copyable>(
    _ gap: Int64, to first: StoredPackets.Packet, _ now: MonotonicInstant, _ decoder: inout Decoder
  ) {
    let left = gap - Int64(position.waited)
    guard left > Self.tolerance, left <= Self.maxLost else { return endLoss(before: first) }
    let isWhole = abs(left - Int64(position.packetSamples)) <= Self.tolerance
    let isShort = left < position.packetSamples && delay(of: first.ticks - left, at: now) < target
    if packets.firstHasCopy, isWhole || isShort {
      recover(&decoder)
      endLoss(before: first)
    } else if wait(&decoder, for: min(Int(left), Self.blockSamples)) == 0 {
      endLoss(before: first)
    }
  }

  private mutating func endLoss(before first: StoredPackets.Packet) {
    if packets.firstHasCopy { redundancy.noteLoss() }
    position.bridge(to: first.ticks)
  }

  /// The delay of the sample that is appended next, if that is its timestamp.
  private func delay(of ticks: Int64, at now: MonotonicInstant) -> TimeSpan {
    arrivals.delay(of: ticks, at: now) + TimeSpan(nanoseconds: StreamClock.nanoseconds(Int64(queue.count)))
  }

  /// Restores the packet before the first one from the copy in that, even when part of it is concealed already: while
  /// the delay is too short, that lengthens it.
  private mutating func recover<Decoder: JitterBufferDecoder & ~Copyable>(_ decoder: inout Decoder) {
    let length = min(position.concealable(position.packetSamples), Self.longestPacket)
    let made = accepted(packets.recoverBeforeFirst(length, into: &decoded, &decoder))
    counts.recoveredSamples &+= made
    queue.append(decoded, made)
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
    queue.append(decoded, made)
    position.notePlayed(first, samples: made)
  }

  private func accepted(_ made: Int) -> Int { min(max(made, 0), Self.longestPacket) }

  /// The decoder itself fades from concealed into decoded sound, so neither is touched.
  private mutating func conceal<Decoder: JitterBufferDecoder & ~Copyable>(
    _ samples: Int, _ decoder: inout Decoder
  ) -> Int {
    let length = min(position.concealable(samples), Self.longestPacket)
    var span = decoded.mutableSpan
    let result = decoder.concealLoss(samplesPerChannel: length, into: &span)
    let made = accepted(result)
    queue.append(decoded, made, isConcealed: true)
    return made
  }

  /// Stretches queued sound toward the target, unless some of it is concealed.
  private mutating func adaptDelay<Decoder: JitterBufferDecoder & ~Copyable>(
    _ now: MonotonicInstant, decoder: inout Decoder
  ) {
    guard let end = position.end, position.isPlaying, position.waited == 0, !queue.isConcealed else { return }
    counts.currentDelay = delay(of: end, at: now)
    switch stretch.note(counts.currentDelay, target: target) {
    case .none: return
    case .shorten:
      let surplus = surplus(after: end)
      guard surplus >= PitchSearch.shortest else { return }
      fillAhead(now, decoder: &decoder)
      let taken = stretch.shorten(&queue, atMost: min(queue.count - Self.blockSamples, surplus))
      counts.acceleratedSamples &+= taken
      fill(to: Self.blockSamples, now: now, decoder: &decoder)
    case .lengthen:
      let put = stretch.lengthen(&queue)
      counts.expandedSamples &+= put
    }
  }

  /// Buffered samples beyond the target. After the path has become longer there are none, however long the delay.
  private func surplus(after end: Int64) -> Int {
    var stored: Int64 = 0
    if let last = packets.last { stored = max(0, last.ticks - end) + Int64(position.packetSamples) }
    return queue.count + Int(clamping: stored - StreamClock.ticks(target))
  }

  /// Decodes ahead up to the first gap, for the search of a pitch period.
  private mutating func fillAhead<Decoder: JitterBufferDecoder & ~Copyable>(
    _ now: MonotonicInstant, decoder: inout Decoder
  ) {
    while queue.count < 2 * PitchSearch.longest, let end = position.end, let first = packets.first,
      abs(first.ticks - end) <= Self.tolerance
    { decodeFirst(first, &decoder) }
  }
}
