import CallPolicy
import ConfigFile

/// Reads what a rule looks at.
struct PolicyConditionReader {
  let table: ConfigTable

  func conditions() -> [PolicyCondition] {
    [caller(), media(), hours(), within(), callUp(), recentCalls()].compactMap(\.self)
  }

  private func caller() -> PolicyCondition? {
    table.values("caller") { text throws(ConfigValueError) in
      if let pattern = CallerPattern(text) { return pattern }
      throw Self.callerError(text)
    }.map { .caller($0) }
  }

  /// - Parameter others: what else could be written there.
  static func callerError(_ text: String, also others: String? = nil) -> ConfigValueError {
    let role = text.hasPrefix("role:") ? closestMatch(to: String(text.dropFirst(5)), among: roles) : nil
    let remedy = role.map { "did you mean \"role:\($0)\"?" }
    return ConfigValueError(
      "\"\(text)\" is not a caller",
      remedy: remedy
        ?? "write \(others.map { "\($0), " } ?? "")user:ID, group:NAME or role: with one of \(roles.joined(separator: ", "))"
    )
  }

  private static let roles = CallerRole.allCases.map(\.rawValue)

  private func media() -> PolicyCondition? {
    guard let media = table.choices("media", as: PolicyMedium.self) else { return nil }
    if table.isEmptyArray("media") {
      table.addError("media is an empty list", remedy: "leave it out to match any", at: "media")
    }
    return .media(audio: media.contains(.audio), video: media.contains(.video))
  }

  private func hours() -> PolicyCondition? { table.weeklyHours("hours").map { .hours($0) } }

  private func within() -> PolicyCondition? { table.distance("within").map { .within(metres: $0) } }

  private func callUp() -> PolicyCondition? { table.bool("call_up").map { .callUp($0) } }

  private func recentCalls() -> PolicyCondition? {
    guard table.contains("recent_calls") else { return nil }
    let recent = table.table("recent_calls")
    for (key, example) in [("at_least", "3"), ("last", "\"10m\"")] where !recent.contains(key) {
      recent.addMissing(key, example: example)
    }
    guard let count = recent.integer("at_least", in: 1...1_000),
      let span = recent.duration("last", in: .seconds(1)...(.seconds(86_400)))
    else { return nil }
    return .recentCalls(count: count, span: span)
  }
}
