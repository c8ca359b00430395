import MediaCore

/// A VP8 track. Key frames carry their own size, so decoders follow the stream when it changes later.
public struct WebMVideoTrack: Hashable, Sendable {
  /// Size of the first frame in pixels.
  public var width: UInt16
  /// See ``width``.
  public var height: UInt16

  /// In pixels, 1 to 16,383 for VP8 (RFC 6386 §9.1).
  public init(width: UInt16, height: UInt16) {
    self.width = width
    self.height = height
  }

  /// Reads the size from a key frame; `nil` for any other payload.
  init?(_ keyFrame: RawSpan) {
    guard let size = VP8KeyFrame.size(keyFrame) else { return nil }
    self.init(width: size.width, height: size.height)
  }
}

/// An Opus track at 48 kHz.
public struct WebMAudioTrack: Hashable, Sendable {
  /// 1 or 2.
  public var channels: UInt8

  /// - Parameter channels: 1 or 2.
  public init(channels: UInt8) { self.channels = channels }

  /// Reads the channels from a packet.
  init(_ packet: RawSpan) { self.init(channels: OpusPacket.isStereo(packet) ? 2 : 1) }

  /// Samples at 48 kHz by which an encoder's output lags: libopus' look-ahead, and browsers'.
  static let preSkip: UInt16 = 312
  /// `preSkip` in nanoseconds; players subtract it from block timestamps.
  static let codecDelay: UInt64 = 6_500_000
  /// How much a decoder has to decode before a seek target until its output is right (RFC 7845 §4.6).
  static let seekPreRoll: UInt64 = 80_000_000
}

extension MediaKind {
  /// The one track number that this kind has in every file, so that repair never has to guess.
  var trackNumber: UInt8 { self == .video ? 1 : 2 }

  init?(trackNumber: UInt64) {
    switch trackNumber {
    case 1: self = .video
    case 2: self = .audio
    default: return nil
    }
  }
}
