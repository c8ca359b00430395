import ArgumentParser
import ConfigFile
import MediaCore

/// A span of time as people write it: `90s`, `15m`, `1h30m`, `7d`; a number alone counts seconds.
struct SpanExpression {
  let duration: Duration

  /// What the help of every option that takes a span names.
  static let examples = "for example 90s, 15m, 2h or 7d; seconds without a unit"

  /// Returns nil for an invalid span.
  init?(_ text: String) {
    if let seconds = Double(text) {
      guard (0...1e9).contains(seconds) else { return nil }
      duration = .milliseconds(Int64(saturating: (seconds * 1_000).rounded()))
    } else if let span = try? ConfigQuantity.duration(text) {
      duration = span
    } else {
      return nil
    }
  }

  /// The value of an option.
  static func parse(_ text: String) throws -> SpanExpression {
    guard let span = SpanExpression(text) else {
      throw ValidationError("it is no span of time; write \(examples)")
    }
    return span
  }
}
