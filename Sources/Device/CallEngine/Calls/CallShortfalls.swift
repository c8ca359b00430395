import MediaPlaneAPI

/// What a call lacks of what both sides want, why, and what helps; the other side learns it, too.
struct CallShortfalls: Sendable {
  private var missing: [MissingMedia] = []
  /// Why media do not flow.
  private var pathProblem: String?

  /// For people.
  var notes: [String] { (pathProblem.map { [$0] } ?? []) + missing.map(\.text) }

  mutating func mediaFlow() { pathProblem = nil }

  /// Media do not flow, although they should by now.
  mutating func pathMissing(hidesAddresses: Bool, _ text: String) -> [CallAction] {
    pathProblem = text
    return [.warning(.noPath(hidesAddresses: hidesAddresses))]
  }

  /// - Parameter missing: all that is missing now.
  mutating func mediaMissing(_ missing: [MissingMedia]) -> [CallAction] {
    self.missing = missing
    return MissingMedia.Reason.allCases.compactMap { reason in
      let kinds = Set(missing.filter { $0.reason == reason }.map(\.kind))
      return kinds.isEmpty ? nil : .warning(.missing(kinds, reason))
    }
  }
}
