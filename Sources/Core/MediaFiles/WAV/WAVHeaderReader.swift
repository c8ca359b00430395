internal import MediaCore

/// Finds the audio in a RIFF/WAVE file: requests bytes until it is found.
///
/// Tolerates what streaming writers leave behind: a data size of 0, of 0xFFFFFFFF, or beyond the end of the file all mean
/// "to the end". Any other input is either read or refused with the field that is wrong.
public struct WAVHeaderReader: Sendable {
  /// What to do next.
  public enum Step: Sendable, Hashable {
    /// Pass this many bytes from this offset to ``read(_:)``; fewer only if the file ends before.
    case read(offset: UInt64, byteCount: Int)
    case finished(WAVHeader)
  }

  private enum State {
    case container
    case chunkHead
    case format(byteCount: Int)
  }

  private let fileByteCount: UInt64
  private var state = State.container
  private var offset: UInt64 = 0
  private var chunks = 0
  private var format: WAVFormat?

  private static let maxChunks = 256
  /// More of `fmt ` than any known encoding of PCM has.
  private static let maxFormatBytes = 64

  public init(fileByteCount: UInt64) { self.fileByteCount = fileByteCount }

  /// The first bytes to read.
  public var start: Step { .read(offset: 0, byteCount: 12) }

  /// Takes the requested bytes.
  public mutating func read(_ bytes: RawSpan) throws(WAVError) -> Step {
    switch state {
    case .container: try readContainer(bytes)
    case .chunkHead: try readChunkHead(bytes)
    case .format(let count): try readFormat(bytes, byteCount: count)
    }
  }

  private mutating func readContainer(_ bytes: RawSpan) throws(WAVError) -> Step {
    var reader = ByteReader(bytes)
    guard let riff = try? reader.readUInt32(), (try? reader.readUInt32()) != nil, let wave = try? reader.readUInt32(),
      wave == ChunkName.wave
    else { throw .notWAVE }
    guard riff == ChunkName.riff else {
      throw [ChunkName.rf64, ChunkName.bw64, ChunkName.rifx].contains(riff)
        ? .unsupportedContainer(ChunkName.text(riff)) : .notWAVE
    }
    return nextChunk(at: 12)
  }

  private mutating func nextChunk(at offset: UInt64) -> Step {
    self.offset = offset
    state = .chunkHead
    return .read(offset: offset, byteCount: 8)
  }

  private mutating func readChunkHead(_ bytes: RawSpan) throws(WAVError) -> Step {
    var reader = ByteReader(bytes)
    guard let name = try? reader.readUInt32(), let size = try? reader.readUInt32().byteSwapped else {
      throw format == nil ? .noFormatChunk : .noDataChunk
    }
    chunks += 1
    guard chunks <= Self.maxChunks else { throw .tooManyChunks }
    let body = offset + 8
    switch name {
    case ChunkName.data: return .finished(try header(dataOffset: body, size: UInt64(size)))
    case ChunkName.format:
      state = .format(byteCount: Int(clamping: size))
      return .read(offset: body, byteCount: min(Int(clamping: size), Self.maxFormatBytes))
    default: return nextChunk(at: Self.end(body, UInt64(size)))
    }
  }

  private mutating func readFormat(_ bytes: RawSpan, byteCount: Int) throws(WAVError) -> Step {
    guard bytes.byteCount >= min(byteCount, Self.maxFormatBytes) else { throw .truncated("fmt ") }
    format = try WAVFormat(parsing: bytes)
    return nextChunk(at: Self.end(offset + 8, UInt64(byteCount)))
  }

  /// Chunks begin at even offsets.
  private static func end(_ body: UInt64, _ size: UInt64) -> UInt64 { body + size + size % 2 }

  private func header(dataOffset: UInt64, size: UInt64) throws(WAVError) -> WAVHeader {
    guard let format else { throw .noFormatChunk }
    let there = fileByteCount > dataOffset ? fileByteCount - dataOffset : 0
    let isOpenEnded = size == 0 || size == UInt64(UInt32.max)
    let byteCount = isOpenEnded ? there : min(size, there)
    let frames = byteCount / UInt64(format.sample.byteCount * format.channels)
    guard frames > 0 else { throw .noSamples }
    return WAVHeader(
      format: format.sample, channels: format.channels, sampleRate: format.sampleRate, dataOffset: dataOffset,
      frameCount: frames)
  }
}

/// Four characters as a big-endian number.
enum ChunkName {
  static let riff: UInt32 = 0x5249_4646
  static let rifx: UInt32 = 0x5249_4658
  static let rf64: UInt32 = 0x5246_3634
  static let bw64: UInt32 = 0x4257_3634
  static let wave: UInt32 = 0x5741_5645
  static let format: UInt32 = 0x666D_7420
  static let data: UInt32 = 0x6461_7461

  static func text(_ name: UInt32) -> String {
    String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: name >> (24 - 8 * $0)) }, as: UTF8.self)
  }
}
