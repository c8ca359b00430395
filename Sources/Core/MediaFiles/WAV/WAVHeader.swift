public import MediaCore

/// What a RIFF/WAVE file says about its sound.
public struct WAVHeader: Sendable, Hashable {
  /// How a sample is written.
  public var format: PCMFormat
  /// 1 to 8.
  public var channels: Int
  /// Hertz, 8,000 to 192,000.
  public var sampleRate: Int
  /// Where the first frame begins in the file.
  public var dataOffset: UInt64
  /// Available frames (samples of each channel); at least one.
  public var frameCount: UInt64

  /// Bytes of a frame.
  public var frameByteCount: Int { format.byteCount * channels }
}

/// Why a file's sound cannot be read; each says which field it is about.
public enum WAVError: Error, Hashable, Sendable, CustomStringConvertible {
  case notWAVE
  /// `RF64`, `BW64` or `RIFX`.
  case unsupportedContainer(String)
  /// The file ends inside this chunk's head or body.
  case truncated(String)
  case noFormatChunk
  case noDataChunk
  case tooManyChunks
  case shortFormatChunk(byteCount: Int)
  case unsupportedEncoding(tag: UInt16)
  case unsupportedSampleSize(bits: Int, isFloat: Bool)
  case unsupportedChannels(Int)
  case unsupportedRate(Int)
  case wrongFrameSize(declared: Int, expected: Int)
  case noSamples

  /// The fault of the file, for people.
  public var description: String {
    switch self {
    case .notWAVE: "no RIFF/WAVE file"
    case .unsupportedContainer(let name): "\(name) is not supported: convert it to plain RIFF/WAVE"
    case .truncated(let chunk): "the file ends inside its chunk '\(chunk)'"
    case .noFormatChunk: "no chunk 'fmt ' precedes the audio"
    case .noDataChunk: "no chunk 'data'"
    case .tooManyChunks: "too many chunks before 'data'"
    case .shortFormatChunk(let count): "chunk 'fmt ' has \(count) bytes, which is too few"
    case .unsupportedEncoding(let tag): "format tag \(tag): only PCM (1) and float (3) are supported"
    case .unsupportedSampleSize(let bits, let isFloat):
      "\(bits) bits a sample: \(isFloat ? "32 for float" : "16, 24 and 32 for PCM") are supported"
    case .unsupportedChannels(let count): "\(count) channels: 1 to 8 are supported"
    case .unsupportedRate(let rate): "\(rate) Hz: 8000 to 192000 are supported"
    case .wrongFrameSize(let declared, let expected):
      "block align is \(declared), although a frame has \(expected) bytes"
    case .noSamples: "chunk 'data' has no samples"
    }
  }
}
