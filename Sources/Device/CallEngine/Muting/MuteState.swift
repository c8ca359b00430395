public import MediaPlaneAPI
import Signalling

/// Who muted what.
///
/// The device takes precedence: its mute cannot be ended by a party of a call, and its unmute ends everyone's. A
/// party's mute belongs to its call and ends with it.
public struct MuteState: Sendable, Equatable {
  /// Why a party of a call cannot unmute.
  enum Refusal: String, Sendable {
    case mutedAtDevice = "muted-at-device"
    /// By the party of another call.
    case mutedByOther = "muted-by-other"
  }

  private var local: Set<MuteTarget> = []
  /// The muting party's user id by its session.
  private var remote: [MuteTarget: [SessionID: String]] = [:]

  public func isMuted(_ target: MuteTarget) -> Bool { local.contains(target) || remote[target] != nil }

  public var targets: Set<MuteTarget> { local.union(remote.keys) }

  /// Who muted it, for displays: `device`, and the user ids of parties.
  public func mutedBy(_ target: MuteTarget) -> [String] {
    (local.contains(target) ? ["device"] : []) + Set((remote[target] ?? [:]).values).sorted()
  }

  // MARK: Requests from the device

  mutating func setLocally(_ target: MuteTarget, _ isMuted: Bool) {
    if isMuted {
      local.insert(target)
    } else {
      local.remove(target)
      remote[target] = nil
    }
  }

  // MARK: Parties of calls

  mutating func mute(_ target: MuteTarget, by userID: String, in sessionID: SessionID) {
    remote[target, default: [:]][sessionID] = userID
  }

  /// Takes back the call's own mute; returns why the target stays muted, if it does.
  mutating func unmute(_ target: MuteTarget, in sessionID: SessionID) -> Refusal? {
    if local.contains(target) { return .mutedAtDevice }
    forget(target, sessionID)
    return remote[target] == nil ? nil : .mutedByOther
  }

  /// The call is over.
  mutating func end(_ sessionID: SessionID) {
    for target in remote.keys { forget(target, sessionID) }
  }

  private mutating func forget(_ target: MuteTarget, _ sessionID: SessionID) {
    remote[target]?[sessionID] = nil
    if remote[target]?.isEmpty == true { remote[target] = nil }
  }
}
