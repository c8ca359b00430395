internal import MediaCore

/// The line before each frame: `FRAME`, with parameters that are skipped.
public enum Y4MFrameHeader {
  /// The longest line that is read, its newline included.
  public static let maximumByteCount = 256
  static let signature: StaticString = "FRAME"

  /// Returns how many bytes the line has, its newline included. Allocates nothing.
  ///
  /// - Parameters:
  ///   - bytes: from the line's beginning on; what follows it is ignored.
  ///   - offset: where they lie in the file, for the error.
  public static func byteCount(parsing bytes: RawSpan, at offset: Int) throws(Y4MError) -> Int {
    var reader = ByteReader(bytes)
    guard reader.skip(signature) else { throw .noFrameLine(offset: offset) }
    while reader.offset < maximumByteCount, let byte = try? reader.readUInt8() {
      if byte == newline { return reader.offset }
    }
    throw .endlessLine(offset: offset + reader.offset)
  }
}
