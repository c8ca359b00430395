internal import MediaCore

/// The `fmt ` chunk:
///
/// ```
///  0 format tag   2 channels   4 sample rate   8 bytes a second   12 block align   14 bits a sample
/// 16 extra bytes  18 valid bits  20 channel mask  24 sub-format: a GUID that begins with the true tag
/// ```
struct WAVFormat: Sendable {
  var sample: PCMFormat
  var channels: Int
  var sampleRate: Int

  private static let pcm: UInt16 = 1
  private static let float: UInt16 = 3
  private static let extensible: UInt16 = 0xFFFE

  init(parsing bytes: RawSpan) throws(WAVError) {
    let fields = try Fields(parsing: bytes)
    sample = try Self.sample(tag: fields.trueTag, bits: fields.bits)
    channels = fields.channels
    sampleRate = fields.sampleRate
    guard (1...8).contains(channels) else { throw .unsupportedChannels(channels) }
    guard (8_000...192_000).contains(sampleRate) else { throw .unsupportedRate(sampleRate) }
    let expected = channels * sample.byteCount
    guard fields.blockAlign == expected else { throw .wrongFrameSize(declared: fields.blockAlign, expected: expected) }
  }

  private static func sample(tag: UInt16, bits: Int) throws(WAVError) -> PCMFormat {
    switch (tag, bits) {
    case (pcm, 16): return .signed16
    case (pcm, 24): return .signed24
    case (pcm, 32): return .signed32
    case (float, 32): return .float32
    case (pcm, _), (float, _): throw .unsupportedSampleSize(bits: bits, isFloat: tag == float)
    default: throw .unsupportedEncoding(tag: tag)
    }
  }

  private struct Fields {
    var trueTag: UInt16
    var channels: Int
    var sampleRate: Int
    var blockAlign: Int
    var bits: Int

    init(parsing bytes: RawSpan) throws(WAVError) {
      var reader = ByteReader(bytes)
      do throws(UnexpectedEnd) {
        trueTag = try reader.readUInt16().byteSwapped
        channels = Int(try reader.readUInt16().byteSwapped)
        sampleRate = Int(clamping: try reader.readUInt32().byteSwapped)
        _ = try reader.readUInt32()
        blockAlign = Int(try reader.readUInt16().byteSwapped)
        bits = Int(try reader.readUInt16().byteSwapped)
        guard trueTag == extensible else { return }
        _ = try reader.readUInt64()
        trueTag = try reader.readUInt16().byteSwapped
      } catch {
        throw .shortFormatChunk(byteCount: bytes.byteCount)
      }
    }
  }
}
