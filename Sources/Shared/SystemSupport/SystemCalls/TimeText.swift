import Glibc

/// Moments as text.
public enum TimeText {
  /// A moment in UTC by a format of strftime(3), at most 63 bytes; one that no calendar has is in 1900.
  ///
  /// - Parameter seconds: since 1970.
  public static func utc(_ seconds: Int64, _ format: String) -> String { text(seconds, format, gmtime_r) }

  /// The same in the time zone of this process.
  public static func local(_ seconds: Int64, _ format: String) -> String { text(seconds, format, localtime_r) }

  private static func text(
    _ seconds: Int64, _ format: String,
    _ fields: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
  ) -> String {
    var (time, moment, text) = (time_t(seconds), tm(), [CChar](repeating: 0, count: 64))
    _ = fields(&time, &moment)
    let count = strftime(&text, text.count, format, &moment)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
