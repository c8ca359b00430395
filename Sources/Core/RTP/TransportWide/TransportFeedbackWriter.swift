public import MediaCore

/// The part of a transport-wide report before the arrivals.
public struct TransportFeedbackHead: Sendable, Hashable {
  /// A source of the side that reports.
  public var sender: SSRC
  /// A source of the packets that are reported on.
  public var media: SSRC
  /// Counts the reports.
  public var number: UInt8
  /// The first packet that is reported on.
  public var first: SequenceNumber

  /// Takes the values unchecked.
  public init(sender: SSRC, media: SSRC, number: UInt8, first: SequenceNumber) {
    self.sender = sender
    self.media = media
    self.number = number
    self.first = first
  }
}

extension RTCPWriter {
  /// Stands for a packet that has not arrived.
  public static let lostPacket = Int64.min

  /// Reports to the sender when its packets arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1).
  ///
  /// - Parameters:
  ///   - arrivals: of the head's first packet and the packets after it, in ticks of ``TransportFeedback/tick`` since any origin that
  ///     all reports share; ``lostPacket`` for those that have not arrived.
  /// - Returns: how many packets are reported on: as many as fit, and none after a leap in time that the format cannot
  ///   hold. Nothing is written, and 0 returned, when none of them has arrived or there is no space.
  public static func writeTransportFeedback(
    _ head: TransportFeedbackHead, arrivals: Span<Int64>, to writer: inout ByteWriter
  ) throws(InsufficientSpace) -> Int {
    guard let reference = reference(of: arrivals) else { return 0 }
    let origin = reference * TransportFeedback.referenceTicks
    let count = FeedbackContent.count(of: arrivals, after: origin, fitting: writer.remaining - 23)
    guard count > 0 else { return 0 }
    let lengthOffset = writer.count + 2
    let start = writer.count
    try writeHead(
      count: RTCPFeedbackType.transportWide, type: RTCPPacketType.transportFeedback, byteCount: 0, to: &writer)
    try writer.write(head.sender.rawValue)
    try writer.write(head.media.rawValue)
    try writer.write(head.first.rawValue)
    try writer.write(UInt16(count))
    try writer.writeUInt24(UInt32(truncatingIfNeeded: reference))
    try writer.write(head.number)
    try FeedbackContent.writeChunks(of: arrivals.extracting(0..<count), after: origin, to: &writer)
    try FeedbackContent.writeDeltas(of: arrivals.extracting(0..<count), after: origin, to: &writer)
    while (writer.count - start) % 4 != 0 { try writer.write(UInt8(0)) }
    try writer.overwrite(UInt16((writer.count - start) / 4 - 1), at: lengthOffset)
    return count
  }

  /// The first arrival's time in units of 64 ms, rounded down.
  private static func reference(of arrivals: Span<Int64>) -> Int64? {
    for index in arrivals.indices where arrivals[index] != lostPacket {
      return arrivals[index] >> 8
    }
    return nil
  }
}

/// Writes arrivals as symbols and deltas, each delta counted from the arrival before.
private enum FeedbackContent {
  private static func symbol(_ delta: Int64) -> TransportFeedback.Symbol {
    (0...255).contains(delta) ? .smallDelta : .largeDelta
  }

  /// How many packets fit in this many octets of chunks and deltas.
  static func count(of arrivals: Span<Int64>, after origin: Int64, fitting byteCount: Int) -> Int {
    var last = origin
    var deltaByteCount = 0
    for index in arrivals.indices {
      guard index < 0xFFFF else { return index }
      if arrivals[index] != RTCPWriter.lostPacket {
        let delta = arrivals[index] - last
        guard Int16(exactly: delta) != nil else { return index }
        last = arrivals[index]
        deltaByteCount += symbol(delta).deltaByteCount
      }
      // At worst each chunk holds seven packets.
      guard 2 * (index / 7 + 1) + deltaByteCount <= byteCount else { return index }
    }
    return arrivals.count
  }

  static func writeChunks(
    of arrivals: Span<Int64>, after origin: Int64, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    var chunks = PacketStatusChunker()
    var last = origin
    for index in arrivals.indices {
      var next = TransportFeedback.Symbol.lost
      if arrivals[index] != RTCPWriter.lostPacket {
        next = symbol(arrivals[index] - last)
        last = arrivals[index]
      }
      if let chunk = chunks.append(next) { try writer.write(chunk.rawValue) }
    }
    if let chunk = chunks.finish() { try writer.write(chunk.rawValue) }
  }

  static func writeDeltas(
    of arrivals: Span<Int64>, after origin: Int64, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    var last = origin
    for index in arrivals.indices where arrivals[index] != RTCPWriter.lostPacket {
      let delta = arrivals[index] - last
      last = arrivals[index]
      if symbol(delta) == .smallDelta {
        try writer.write(UInt8(truncatingIfNeeded: delta))
      } else {
        try writer.write(UInt16(truncatingIfNeeded: delta))
      }
    }
  }
}

/// Gathers symbols until they no longer fit one chunk: seven of any kind, fourteen without large deltas, or a run.
private struct PacketStatusChunker {
  private var symbols = InlineArray<14, TransportFeedback.Symbol>(repeating: .lost)
  private var count = 0
  private var isRun = true
  private var hasLarge = false

  /// Adds a symbol; returns the chunk that had to be closed for it.
  mutating func append(_ symbol: TransportFeedback.Symbol) -> PacketStatusChunk? {
    let chunk = canTake(symbol) ? nil : close()
    add(symbol)
    return chunk
  }

  /// Returns the last chunk; nil when nothing was added.
  mutating func finish() -> PacketStatusChunk? {
    guard count > 0 else { return nil }
    return isRun ? .run(of: symbols[0], count: count) : vector(hasWideSymbols: hasLarge)
  }

  private func canTake(_ symbol: TransportFeedback.Symbol) -> Bool {
    if count < 7 { return true }
    if isRun, symbol == symbols[0] { return count < 0x1FFF }
    return count < 14 && !hasLarge && symbol != .largeDelta
  }

  private mutating func add(_ symbol: TransportFeedback.Symbol) {
    if count < 14 { symbols[count] = symbol }
    isRun = count == 0 || isRun && symbol == symbols[0]
    hasLarge = hasLarge || symbol == .largeDelta
    count += 1
  }

  private mutating func close() -> PacketStatusChunk {
    if isRun {
      let chunk = PacketStatusChunk.run(of: symbols[0], count: count)
      keep(from: count)
      return chunk
    }
    let isWide = hasLarge || count < 14
    let chunk = vector(hasWideSymbols: isWide)
    keep(from: isWide ? 7 : 14)
    return chunk
  }

  private func vector(hasWideSymbols: Bool) -> PacketStatusChunk {
    var chunk = PacketStatusChunk.vector(hasWideSymbols: hasWideSymbols)
    for index in 0..<min(count, chunk.count) { chunk.set(symbols[index], at: index) }
    return chunk
  }

  /// Restarts with the symbols from `start` on.
  private mutating func keep(from start: Int) {
    let old = self
    self = PacketStatusChunker()
    for index in start..<max(start, old.count) { add(old.symbols[index]) }
  }
}
