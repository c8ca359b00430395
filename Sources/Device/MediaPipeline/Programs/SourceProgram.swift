/// A program whose standard output is a camera's video.
public struct VideoProgram: Hashable, Sendable {
  public enum Format: Hashable, Sendable {
    /// YUV4MPEG2: 4:2:0 with 8 bits, or mono. Its first line has the frames' size.
    case y4m
    /// Planes Y, U, V of each frame.
    case yuv420p
    /// A plane Y and one of U and V in turns.
    case nv12
    /// A JPEG a frame.
    case mjpeg
  }

  /// By which people know it; no other camera of a list has it.
  public var name: String
  /// An absolute path, or a name that is searched in `PATH`; arguments.
  public var command: [String]
  public var format: Format
  /// Pixels, as they are stated; even, and needed of `yuv420p` and `nv12`. Frames of another size are refused.
  public var width: Int?
  public var height: Int?
  /// Frames a second; nil for what the stream says, or else what is configured for all sources.
  public var frameRate: Int?

  public init(
    name: String, command: [String], format: Format, width: Int? = nil, height: Int? = nil, frameRate: Int? = nil
  ) {
    self.name = name
    self.command = command
    self.format = format
    self.width = width
    self.height = height
    self.frameRate = frameRate
  }
}

/// A program whose standard output is sound: interleaved samples of 16 bits, little-endian.
public struct AudioProgram: Hashable, Sendable {
  public var name: String
  /// An absolute path, or a name that is searched in `PATH`; arguments.
  public var command: [String]
  /// Hertz.
  public var rate: Int
  /// 1 to 8.
  public var channels: Int

  public init(name: String, command: [String], rate: Int, channels: Int) {
    self.name = name
    self.command = command
    self.rate = rate
    self.channels = channels
  }
}
