/// What keeps frames from being found in a stream of bytes. Offsets count bytes from the stream's beginning.
public enum VideoStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is no YUV4MPEG2, or none that can be shown.
  case y4m(Y4MError)
  /// No JPEG begins in this many bytes.
  case noJPEG(byteCount: Int)
  /// A JPEG does not end within this many bytes.
  case endlessJPEG(byteCount: Int)

  /// The fault of the stream, for people.
  public var description: String {
    switch self {
    case .y4m(let error): error.description
    case .noJPEG(let count): "no JPEG begins in \(count) bytes"
    case .endlessJPEG(let count): "a JPEG has no end within \(count) bytes"
    }
  }
}
