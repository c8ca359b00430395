import ArgumentParser
import CommandSuggestions

/// The period that a list is about.
struct PeriodOptions: ParsableArguments {
  @Option(
    help: "Nothing that began before this time, \(TimeExpression.examples).", transform: TimeExpression.parse)
  var since: TimeExpression?
  @Option(help: "Nothing that began after this time, written likewise.", transform: TimeExpression.parse)
  var until: TimeExpression?

  func validate() throws {
    if let since, let until, since.seconds > until.seconds { throw ValidationError("--since is after --until") }
  }

  var isLimited: Bool { since != nil || until != nil }

  /// - Parameter time: in milliseconds since 1970.
  func contains(_ time: Int64) -> Bool {
    time >= since?.milliseconds ?? .min && time <= until?.milliseconds ?? .max
  }
}
