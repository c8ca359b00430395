/// Why a control was not carried out, as a code that the page knows.
enum ControlRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  case notModerator
  case policy
  case muted(MuteState.Refusal)
  case unknownAction
  case notPossible
  case tooOften

  var reason: String {
    switch self {
    case .notModerator, .policy, .muted: "not-allowed"
    case .unknownAction: "unknown-action"
    case .notPossible: "not-possible"
    case .tooOften: "rate-limited"
    }
  }

  /// Says more about the reason.
  var detail: String? {
    switch self {
    case .notModerator: "role"
    case .policy: "policy"
    case .muted(let refusal): refusal.rawValue
    case .unknownAction, .notPossible, .tooOften: nil
    }
  }

  var description: String { detail.map { "\(reason) (\($0))" } ?? reason }
}
