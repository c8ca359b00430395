import MediaCore

extension WebMWriter {
  /// The media time from which on the file may end; `nil` if it need not, and before the file's first cluster.
  var segmentEnd: Int64? {
    guard let origin = encoder.origin, durationMilliseconds > 0 else { return nil }
    return isNearlyFull ? origin : segmentDuration.map { origin.saturatingAdding($0.nanoseconds) }
  }

  /// Whether so little fits into the file that it should end with the next key frame.
  private var isNearlyFull: Bool {
    guard let maximum = maximumFileByteCount else { return false }
    return fileByteCount >= maximum - min(maximum / 8, Self.longestWait)
  }

  /// Bytes that may come while a key frame is waited for: half a minute at 16 Mbit/s.
  private static let longestWait: UInt64 = 64 * 1_048_576

  /// The media time of the next file's zero, when all frames that wait belong to it.
  ///
  /// It lies whole milliseconds behind this file's zero, so that rounding lets no time vanish between the two.
  var nextFileOrigin: Int64? {
    guard let origin = encoder.origin, let end = segmentEnd, let first = stage.first, first.time >= end else {
      return nil
    }
    guard first.kind == .video ? first.isKeyFrame : !stage.isVideoAlive else { return nil }
    return first.time - (first.time - origin) % 1_000_000
  }

  /// Lets the last cluster of a file without video end where the file is to end.
  func segmentCut(_ cut: Int64) -> Int64 {
    guard let end = segmentEnd, !stage.isVideoAlive, let first = stage.first, first.time < end else { return cut }
    return min(cut, end)
  }
}
