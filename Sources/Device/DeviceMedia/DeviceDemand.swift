import MediaCore
import MediaPlaneAPI
import Signalling

/// Who wants which of the device's audio and video; devices are open for these alone.
struct DeviceDemand {
  enum Claimant: Hashable {
    case session(SessionID)
    case archive(ArchiveID)
    case preRoll
    /// Sources of events, which watch and listen all the time.
    case events
    /// A single frame is wanted; see ``Snapshots``.
    case snapshot
  }

  private struct Claim {
    var kinds: Set<MediaKind>
    /// What a session sees of the video; what others want of it is the main camera's.
    var view: DeviceView
  }

  private var claims: [Claimant: Claim] = [:]

  /// What the claimant wants; nothing unless ``set(_:seeing:for:)`` said so.
  func kinds(of claimant: Claimant) -> Set<MediaKind> { claims[claimant]?.kinds ?? [] }

  /// What the claimant sees; the main camera unless ``set(_:seeing:for:)`` said otherwise.
  func view(of claimant: Claimant) -> DeviceView { claims[claimant]?.view ?? .main }

  mutating func set(_ kinds: Set<MediaKind>, seeing view: DeviceView = .main, for claimant: Claimant) {
    claims[claimant] = Claim(kinds: kinds, view: view)
  }

  mutating func drop(_ claimant: Claimant) { claims[claimant] = nil }

  /// What a viewer of `view` needs of the main camera and the microphone in order to have these kinds.
  static func mainKinds(_ kinds: Set<MediaKind>, seeing view: DeviceView) -> Set<MediaKind> {
    switch view {
    case .main, .mosaic: kinds
    case .camera: kinds.subtracting([.video])
    }
  }

  /// What no claim needs of the main camera and the microphone.
  var unwanted: Set<MediaKind> {
    claims.values.reduce(into: Set(MediaKind.allCases)) { $0.subtract(Self.mainKinds($1.kinds, seeing: $1.view)) }
  }

  /// The sessions whose peers see the device, and by this view.
  func viewers(of view: DeviceView) -> Set<SessionID> {
    claims.reduce(into: []) { viewers, claim in
      guard case .session(let sessionID) = claim.key, claim.value.kinds.contains(.video) else { return }
      if claim.value.view == view { viewers.insert(sessionID) }
    }
  }

  /// Whether video of the device is recorded.
  var recordsVideo: Bool {
    claims.contains { claim in
      if case .archive = claim.key { claim.value.kinds.contains(.video) } else { false }
    }
  }
}
