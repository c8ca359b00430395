import MediaCore
import Signalling

/// Who wants which of the device's sound and pictures; devices are open for these, and for nobody else.
struct DeviceDemand {
  enum Claimant: Hashable {
    case session(SessionID)
    case archive(ArchiveID)
    case preRoll
    /// Sources of events, which look and listen all the time.
    case events
    /// Somebody wants a single picture; see ``Snapshots``.
    case snapshot
  }

  private var claims: [Claimant: Set<MediaKind>] = [:]

  /// What the claimant wants; nothing unless ``set(_:for:)`` said so.
  func kinds(of claimant: Claimant) -> Set<MediaKind> { claims[claimant] ?? [] }

  mutating func set(_ kinds: Set<MediaKind>, for claimant: Claimant) { claims[claimant] = kinds }

  mutating func drop(_ claimant: Claimant) { claims[claimant] = nil }

  /// What nobody wants.
  var unwanted: Set<MediaKind> {
    claims.values.reduce(into: Set(MediaKind.allCases)) { $0.subtract($1) }
  }

  /// The sessions whose peers see the device.
  var viewers: Set<SessionID> {
    claims.reduce(into: []) { viewers, claim in
      if case .session(let sessionID) = claim.key, claim.value.contains(.video) { viewers.insert(sessionID) }
    }
  }

  /// Whether pictures of the device are recorded.
  var recordsVideo: Bool {
    claims.contains { claim in
      if case .archive = claim.key { claim.value.contains(.video) } else { false }
    }
  }
}
