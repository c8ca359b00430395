import CallPolicy
import MediaCore

/// Which refusals are worth a line in the log: a caller who must wait and retries all the same has one line for each
/// wait.
struct WaitLog {
  private static let limit = 256

  private struct Key: Hashable {
    var action: String
    var requester: String
  }

  /// Until when each has to wait, as the log says.
  private var waits: [Key: MonotonicInstant] = [:]

  /// Whether the refusal is not one of a wait that was logged; beyond 256 waits at once further ones are all logged.
  mutating func isNew(_ refusal: ActionRefusal, of request: ActionRequest, now: MonotonicInstant) -> Bool {
    let wait: TimeSpan
    switch refusal {
    case .limit(let span), .locked(let span): wait = span
    case .unknownAction, .notAllowed, .pinNeeded, .wrongPIN, .pinUnreadable, .busy, .failed: return true
    }
    waits = waits.filter { $1 > now }
    let key = Key(action: request.action, requester: "\(request.requester)")
    guard waits[key] == nil else { return false }
    if waits.count < Self.limit { waits[key] = now + wait }
    return true
  }
}
