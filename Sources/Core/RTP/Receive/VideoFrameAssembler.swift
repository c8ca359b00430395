public import MediaCore

/// Puts the packets of one VP8 stream together to frames, in order, and yields only frames that can be decoded.
///
/// Insert packets as they come and pop frames after each, and at ``deadline``. A packet that is missing for `timeout`
/// (counted from the arrival of a later one) makes ``needsKeyFrame`` true; whichever comes first, the packet or a whole
/// key frame, ends that. After `maximumWait` only a key frame will do. Lost frames of upper temporal layers, which no
/// other needs, are skipped individually. All memory is allocated once.
public struct VideoFrameAssembler: ~Copyable {
  /// How long retransmissions are trusted; best a little more than two round trips.
  public var timeout: TimeSpan
  /// How long a missing packet is waited for at most; longer than `timeout`.
  public var maximumWait: TimeSpan
  /// A key frame would get the stream going again: ask the sender for one (repeatedly, at a bounded rate).
  public private(set) var needsKeyFrame = false
  /// Frames or runs of frames given up so far.
  public private(set) var lossCount = 0

  private var packets: VideoPacketSlots
  private var validator = SequenceValidator()
  private var highest: Int64 = 0
  /// Where the next frame is expected.
  private var next: Int64?
  /// Everything before is delivered or given up.
  private var releasedEnd: Int64 = 0
  private var isAwaitingKeyFrame = true
  private var awaitingSince: MonotonicInstant?
  private var followsLoss = false
  private var continuity = VideoContinuity()
  private var size: (width: UInt16, height: UInt16) = (0, 0)

  /// - Parameters:
  ///   - slotCount: rounded up to a power of two; the maximum number of waiting packets.
  ///   - slotSize: the longest payload of a packet.
  public init(
    timeout: TimeSpan = .milliseconds(200), maximumWait: TimeSpan = .milliseconds(500), slotCount: Int = 512,
    slotSize: Int = 1_500
  ) {
    self.timeout = timeout
    self.maximumWait = maximumWait
    packets = VideoPacketSlots(slotCount: slotCount, slotSize: slotSize)
  }

  /// When ``popFirst(now:into:)`` has to be called again although no packet comes; nil when nothing is late.
  public var deadline: MonotonicInstant? {
    if isAwaitingKeyFrame {
      return needsKeyFrame ? nil : awaitingSince.map { $0 + timeout }
    }
    return gap.map { $0.since + (needsKeyFrame ? maximumWait : timeout) }
  }
}

// MARK: - Inserting

extension VideoFrameAssembler {
  /// Keeps a copy of a packet's VP8 data.
  @discardableResult
  public mutating func insert(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) -> VideoPacketOutcome {
    guard header.payloadRange.upperBound <= packet.byteCount else { return .malformed }
    let number: Int64
    switch validator.check(header.sequenceNumber) {
    case .rejected: return .outOfRange
    case .accepted(let extended): number = extended
    case .restarted(let extended):
      packets.removeAll()
      next = nil
      lose()
      number = extended
    }
    guard number >= releasedEnd, highest - number < Int64(packets.count) else { return .late }
    guard packets[number] == nil else { return .duplicate }
    makeRoom(for: number)
    return store(number, header, payload: packet.extracting(header.payloadRange), now: now)
  }

  private mutating func store(
    _ number: Int64, _ header: RTPHeader, payload: RawSpan, now: MonotonicInstant
  ) -> VideoPacketOutcome {
    var packet = VideoPacketSlots.Packet(number: number, timestamp: header.timestamp, marker: header.marker)
    packet.gapSince = gapTime(of: number, now: now)
    var start = 0
    if payload.byteCount > 0 {
      guard let descriptor = try? VP8PayloadDescriptor(parsing: payload) else { return .malformed }
      packet.descriptor = descriptor
      start = descriptor.byteCount
      let first = try? ByteReader(payload).peekUInt8(ahead: start)
      // The frame tag's lowest bit is 0 for key frames (RFC 6386 §9.1).
      packet.isKeyFrame = descriptor.startsFrame && (first ?? 1) & 1 == 0
    }
    guard packets.store(packet, data: payload.extracting(start..<payload.byteCount)) else { return .malformed }
    next = min(next ?? number, number)
    highest = max(highest, number)
    awaitingSince = awaitingSince ?? now
    // A key frame of which some packets came is left to retransmission for a while.
    if isAwaitingKeyFrame, packet.descriptor.startsFrame, packets.keyFrameCount == 0 { needsKeyFrame = true }
    return .stored
  }

  /// A packet that fills a gap in part leaves the gap as old as it was.
  private func gapTime(of number: Int64, now: MonotonicInstant) -> MonotonicInstant {
    guard number < highest, let later = packets.first(in: number + 1..<highest + 1) else { return now }
    return min(now, later.gapSince)
  }

  private mutating func makeRoom(for number: Int64) {
    guard let first = next, number - first >= Int64(packets.count) else { return }
    let limit = number - Int64(packets.count) + 1
    packets.remove(first..<limit)
    next = limit
    releasedEnd = limit
    if !isAwaitingKeyFrame { lose() }
  }

  private mutating func lose() {
    lossCount += 1
    isAwaitingKeyFrame = true
    needsKeyFrame = true
    followsLoss = true
  }
}

// MARK: - Popping

extension VideoFrameAssembler {
  /// Writes the next decodable frame to the front of `buffer`; nil when there is none yet.
  ///
  /// A frame longer than `buffer` is given up as if it had been lost.
  public mutating func popFirst(now: MonotonicInstant, into buffer: inout MutableRawSpan) -> VideoFrame? {
    while let frame = nextFrame(now: now) {
      if let result = take(frame, into: &buffer) { return result }
      lose()
    }
    return nil
  }

  private var gap: (number: Int64, since: MonotonicInstant)? {
    next.flatMap { packets.gap(in: $0..<max($0, highest + 1)) }
  }

  private mutating func nextFrame(now: MonotonicInstant) -> Range<Int64>? {
    guard let start = next else { return nil }
    if isAwaitingKeyFrame { return nextKeyFrame(from: start, now: now) }
    switch packets.scan(from: start) {
    case .complete(let frame):
      return canContinue(with: frame) ? frame : skip(from: start, isFinal: true)
    case .broken:
      return skip(from: start, isFinal: true)
    case .incomplete:
      guard let gap, gap.since + timeout <= now else { return nil }
      return skip(from: gap.number, isFinal: gap.since + maximumWait <= now)
    }
  }

  private mutating func nextKeyFrame(from start: Int64, now: MonotonicInstant) -> Range<Int64>? {
    if packets.keyFrameCount > 0,
      let frame = packets.firstFrame(in: start..<max(start, highest + 1), where: { $0.isKeyFrame })
    {
      return frame
    }
    if let awaitingSince, awaitingSince + timeout <= now { needsKeyFrame = true }
    return nil
  }

  /// Finds a frame to resume with after a loss, or requires a key frame, and waits for nothing else if `isFinal`.
  private mutating func skip(from number: Int64, isFinal: Bool) -> Range<Int64>? {
    let continuity = continuity
    let frame = packets.firstFrame(in: number..<max(number, highest + 1)) {
      $0.isKeyFrame || continuity.isNextBaseFrame($0.descriptor)
    }
    guard let frame else {
      needsKeyFrame = true
      if isFinal { lose() }
      return nil
    }
    lossCount += 1
    followsLoss = true
    return frame
  }

  private func canContinue(with frame: Range<Int64>) -> Bool {
    guard let first = packets[frame.lowerBound] else { return false }
    return first.isKeyFrame || continuity.allows(first.descriptor)
  }

  /// Copies a frame out and frees everything up to its end; nil when it does not fit or is no VP8.
  private mutating func take(_ frame: Range<Int64>, into buffer: inout MutableRawSpan) -> VideoFrame? {
    defer { release(upTo: frame.upperBound) }
    guard let first = packets[frame.lowerBound], let byteCount = copy(frame, into: &buffer) else { return nil }
    guard let header = VP8FrameHeader(parsing: buffer.bytes.extracting(0..<byteCount)) else { return nil }
    if header.isKeyFrame { size = (header.width, header.height) }
    isAwaitingKeyFrame = false
    needsKeyFrame = false
    continuity.note(first.descriptor)
    defer { followsLoss = false }
    return VideoFrame(
      timestamp: first.timestamp, isKeyFrame: header.isKeyFrame,
      temporalLayer: first.descriptor.temporalLayer ?? 0,
      isDiscardable: first.descriptor.isNonReference,
      width: size.width, height: size.height, byteCount: byteCount,
      firstSequenceNumber: SequenceNumber(extended: frame.lowerBound), followsLoss: followsLoss)
  }

  private func copy(_ frame: Range<Int64>, into buffer: inout MutableRawSpan) -> Int? {
    var writer = ByteWriter(overwriting: &buffer)
    for number in frame {
      guard (try? packets.write(number, to: &writer)) != nil else { return nil }
    }
    return writer.count
  }

  private mutating func release(upTo end: Int64) {
    guard let start = next else { return }
    packets.remove(start..<end)
    next = end
    releasedEnd = end
  }
}
