import MediaCore
import RTP

/// Runs `body` on a buffer and returns the octets that it says it wrote.
func written(_ size: Int = 2_000, _ body: (inout MutableRawSpan) throws -> Int?) rethrows -> [UInt8]? {
  var storage = [UInt8](repeating: 0xEE, count: size)
  var span = storage.mutableSpan
  var bytes = span.mutableBytes
  guard let count = try body(&bytes) else { return nil }
  return Array(storage[..<count])
}

/// Runs `body` on a writer and returns what it wrote.
func bytes(_ body: (inout ByteWriter) throws -> Void) rethrows -> [UInt8] {
  var storage = [UInt8](repeating: 0, count: 2_000)
  var span = storage.mutableSpan
  var writer = ByteWriter(span.mutableBytes)
  try body(&writer)
  let count = writer.count
  return Array(storage[..<count])
}

extension MonotonicInstant {
  static func milliseconds(_ count: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 0) + .milliseconds(count)
  }
}

/// A VP8 frame with the header that RFC 6386 §9.1 asks for and a body that depends on `seed`.
func makeVP8Frame(isKeyFrame: Bool, byteCount: Int, seed: UInt8, width: UInt16 = 640, height: UInt16 = 480) -> [UInt8] {
  var frame: [UInt8] = [isKeyFrame ? 0x10 : 0x11, seed, 0]
  if isKeyFrame {
    frame += [0x9D, 0x01, 0x2A]
    frame += [
      UInt8(truncatingIfNeeded: width), UInt8(width >> 8), UInt8(truncatingIfNeeded: height), UInt8(height >> 8),
    ]
  }
  while frame.count < byteCount { frame.append(seed &+ UInt8(truncatingIfNeeded: frame.count &* 31)) }
  return frame
}

extension VP8Packetizer {
  /// All packets of one frame.
  mutating func packets(
    _ frame: [UInt8], _ info: Frame, extensions: RTPHeaderExtensionBlock = RTPHeaderExtensionBlock()
  ) throws -> [[UInt8]] {
    try packetize(info, byteCount: frame.count).octets(of: frame, extensions: extensions)
  }
}

extension VP8FramePackets {
  /// All packets.
  func octets(
    of frame: [UInt8], extensions: RTPHeaderExtensionBlock = RTPHeaderExtensionBlock()
  ) throws -> [[UInt8]] {
    try (0..<count).compactMap { index in
      try written { try write(index, of: frame.span.bytes, extensions: extensions, into: &$0) }
    }
  }
}

func header(of packet: [UInt8]) throws -> RTPHeader { try RTPHeader(parsing: packet.span.bytes) }
