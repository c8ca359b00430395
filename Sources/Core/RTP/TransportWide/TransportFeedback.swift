public import MediaCore

/// When the packets of a transport arrived at its other end, or that they did not
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1).
///
/// ```
/// |      base sequence number     |      packet status count      |
/// |                 reference time                | fb pkt. count |
/// |          packet chunk         |         packet chunk …        |
/// |        … recv delta           |         recv delta …          |
/// ```
///
/// The packets themselves are read with a ``TransportFeedbackCursor`` from the same compound.
public struct TransportFeedback: Sendable, Hashable {
  /// Arrival times are written in such units.
  public static let tick = TimeSpan.microseconds(250)
  /// The reference time counts these.
  static let referenceTicks: Int64 = 256

  /// A source of the stream that is reported on; all streams of the transport are meant.
  public var media: SSRC
  /// Transport-wide, of the first packet that is reported on.
  public var firstSequenceNumber: SequenceNumber
  /// Packets reported on, lost ones included.
  public var packetCount: Int
  /// On the reporter's clock, -2^23 to 2^23 - 1 in units of 64 ms; it wraps after 12 days.
  public var referenceTime: Int32
  /// Counts the reports.
  public var number: UInt8
  /// Where chunks and deltas lie in the compound.
  let chunks: Range<Int>
  let deltas: Range<Int>
}

/// What became of one packet.
public struct PacketArrival: Sendable, Hashable {
  /// Transport-wide, not that of the stream.
  public var sequenceNumber: SequenceNumber
  /// On the reporter's clock, since the reference time's origin; nil for a packet that has not arrived.
  public var time: TimeSpan?
}

extension TransportFeedback {
  /// How a packet's state is written.
  enum Symbol: UInt16 {
    case lost = 0
    case smallDelta = 1
    case largeDelta = 2

    var deltaByteCount: Int { Int(rawValue) }
  }

  /// Reads the part after the sources; `offset` is where `content` begins in the compound.
  ///
  /// Returns nil when a chunk uses the reserved symbol, chunks or deltas run past the end, or no packet is reported on.
  init?(reading content: RawSpan, media: SSRC, at offset: Int) {
    var reader = ByteReader(content)
    guard let first = try? reader.readUInt16(), let count = try? reader.readUInt16(), count > 0,
      let time = try? reader.readUInt24(), let number = try? reader.readUInt8()
    else { return nil }
    self.media = media
    firstSequenceNumber = SequenceNumber(first)
    packetCount = Int(count)
    // Sign-extends 24 bits.
    referenceTime = Int32(bitPattern: time << 8) >> 8
    self.number = number
    let start = reader.offset
    guard let deltaByteCount = Self.skipChunks(&reader, packetCount: packetCount), deltaByteCount <= reader.remaining
    else { return nil }
    chunks = offset + start..<offset + reader.offset
    deltas = chunks.upperBound..<chunks.upperBound + deltaByteCount
  }

  /// Moves behind the chunks and returns how many octets of deltas they announce.
  private static func skipChunks(_ reader: inout ByteReader, packetCount: Int) -> Int? {
    var left = packetCount
    var deltaByteCount = 0
    while left > 0 {
      guard let value = try? reader.readUInt16() else { return nil }
      let chunk = PacketStatusChunk(rawValue: value)
      let count = min(left, chunk.count)
      guard count > 0 else { return nil }
      if chunk.isRun {
        guard let symbol = chunk.symbol(at: 0) else { return nil }
        deltaByteCount += count * symbol.deltaByteCount
      } else {
        for index in 0..<count {
          guard let symbol = chunk.symbol(at: index) else { return nil }
          deltaByteCount += symbol.deltaByteCount
        }
      }
      left -= count
    }
    return deltaByteCount
  }
}

/// Sixteen bits that encode the states of up to 8,191 packets (§3.1.3, §3.1.4).
struct PacketStatusChunk: RawRepresentable {
  var rawValue: UInt16

  /// One symbol for a run of packets, rather than a vector of symbols.
  var isRun: Bool { rawValue & 0x8000 == 0 }
  private var hasWideSymbols: Bool { rawValue & 0x4000 != 0 }

  /// How many packets the chunk holds; the last one may have more than there are packets.
  var count: Int { isRun ? Int(rawValue & 0x1FFF) : hasWideSymbols ? 7 : 14 }

  /// The state of a packet of the chunk; nil for the reserved symbol.
  func symbol(at index: Int) -> TransportFeedback.Symbol? {
    if isRun { return TransportFeedback.Symbol(rawValue: rawValue >> 13 & 3) }
    if hasWideSymbols { return TransportFeedback.Symbol(rawValue: rawValue >> UInt16(clamping: 12 - 2 * index) & 3) }
    return TransportFeedback.Symbol(rawValue: rawValue >> UInt16(clamping: 13 - index) & 1)
  }

  static func run(of symbol: TransportFeedback.Symbol, count: Int) -> PacketStatusChunk {
    PacketStatusChunk(rawValue: symbol.rawValue << 13 | UInt16(count) & 0x1FFF)
  }

  /// An empty vector of 7 or 14 symbols, all `lost`.
  static func vector(hasWideSymbols: Bool) -> PacketStatusChunk {
    PacketStatusChunk(rawValue: hasWideSymbols ? 0xC000 : 0x8000)
  }

  /// Sets a symbol of a vector that has none yet at that place.
  mutating func set(_ symbol: TransportFeedback.Symbol, at index: Int) {
    rawValue |= symbol.rawValue << UInt16(hasWideSymbols ? 12 - 2 * index : 13 - index)
  }
}

/// Walks the packets of a ``TransportFeedback``, one call a packet.
public struct TransportFeedbackCursor: Sendable {
  private var chunkPosition: Int
  private var deltaPosition: Int
  private let deltaEnd: Int
  private var chunk = PacketStatusChunk(rawValue: 0)
  private var indexInChunk = 0
  private var number: SequenceNumber
  private var left: Int
  /// In ticks of 250 µs.
  private var time: Int64

  /// Begins before the first packet.
  public init(_ feedback: TransportFeedback) {
    chunkPosition = feedback.chunks.lowerBound
    deltaPosition = feedback.deltas.lowerBound
    deltaEnd = feedback.deltas.upperBound
    number = feedback.firstSequenceNumber
    left = feedback.packetCount
    time = Int64(feedback.referenceTime) * TransportFeedback.referenceTicks
  }

  /// Returns the next packet of the compound that the feedback was read from.
  public mutating func next(in compound: RawSpan) -> PacketArrival? {
    guard left > 0, deltaEnd <= compound.byteCount, let symbol = nextSymbol(in: compound) else { return nil }
    defer {
      left -= 1
      number = number.advanced(by: 1)
    }
    guard symbol != .lost else { return PacketArrival(sequenceNumber: number, time: nil) }
    guard let delta = nextDelta(symbol, in: compound) else { return nil }
    time += delta
    return PacketArrival(sequenceNumber: number, time: TransportFeedback.tick * time)
  }

  private mutating func nextSymbol(in compound: RawSpan) -> TransportFeedback.Symbol? {
    if indexInChunk == chunk.count {
      var reader = ByteReader(compound)
      guard (try? reader.skip(chunkPosition)) != nil, let value = try? reader.readUInt16() else { return nil }
      chunk = PacketStatusChunk(rawValue: value)
      chunkPosition += 2
      indexInChunk = 0
    }
    defer { indexInChunk += 1 }
    return chunk.symbol(at: indexInChunk)
  }

  private mutating func nextDelta(_ symbol: TransportFeedback.Symbol, in compound: RawSpan) -> Int64? {
    var reader = ByteReader(compound)
    guard (try? reader.skip(deltaPosition)) != nil else { return nil }
    deltaPosition += symbol.deltaByteCount
    if symbol == .smallDelta { return (try? reader.readUInt8()).map { Int64($0) } }
    return (try? reader.readUInt16()).map { Int64(Int16(bitPattern: $0)) }
  }
}
