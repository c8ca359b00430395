/// A file that is no YUV4MPEG2 stream, or not one that can be played. Offsets count bytes from the file's beginning.
public enum Y4MError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin with `YUV4MPEG2`.
  case notYUV4MPEG2
  /// The first line lacks a field that it must have.
  case missingField(String)
  case badField(String, value: String, offset: Int, expected: String)
  /// Neither 4:2:0 with 8 bits nor mono.
  case unsupportedColourSpace(String, offset: Int)
  /// The file or the longest line allowed ends before the newline.
  case endlessLine(offset: Int)
  /// No `FRAME` where a frame should begin.
  case noFrameLine(offset: Int)

  /// The fault of the file, for people.
  public var description: String {
    switch self {
    case .notYUV4MPEG2: "byte 0: no YUV4MPEG2 file"
    case .missingField(let tag): "the first line has no field \(tag)"
    case .badField(let tag, let value, let offset, let expected):
      "byte \(offset): field \(tag) is \"\(value)\", not \(expected)"
    case .unsupportedColourSpace(let name, let offset):
      "byte \(offset): colour space \(name) cannot be played, only 420 (jpeg, mpeg2, paldv) and mono; "
        + "convert it with ffmpeg -pix_fmt yuv420p"
    case .endlessLine(let offset): "byte \(offset): the line has no end"
    case .noFrameLine(let offset): "byte \(offset): no FRAME where a frame should begin"
    }
  }
}
