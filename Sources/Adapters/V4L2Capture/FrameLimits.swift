/// Limits for a driver's answers about its frames: above any real camera, and within available memory.
enum FrameLimits {
  static let side = 16_384
  private static let bytesPerLine: UInt32 = 1 << 18
  private static let byteCount: UInt32 = 1 << 30

  static func admits(width: UInt32, height: UInt32) -> Bool {
    (1...UInt32(side)).contains(width) && (1...UInt32(side)).contains(height)
  }

  /// A length of rows and a size of 0 are left to be computed.
  static func admits(bytesPerLine: UInt32, byteCount: UInt32) -> Bool {
    bytesPerLine <= Self.bytesPerLine && byteCount <= Self.byteCount
  }

  /// A width or height within the limits.
  static func clamped(_ side: UInt32) -> Int { min(Int(clamping: side), Self.side) }
}
