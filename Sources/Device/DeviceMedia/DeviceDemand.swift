import MediaCore
import MediaPlaneAPI
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
  /// What sessions see in place of the main camera.
  private var views: [SessionID: DeviceView] = [:]

  /// What the claimant wants; nothing unless ``set(_:for:)`` said so.
  func kinds(of claimant: Claimant) -> Set<MediaKind> { claims[claimant] ?? [] }

  mutating func set(_ kinds: Set<MediaKind>, for claimant: Claimant) { claims[claimant] = kinds }

  mutating func drop(_ claimant: Claimant) {
    claims[claimant] = nil
    if case .session(let sessionID) = claimant { views[sessionID] = nil }
  }

  /// What of the main camera and the microphone a claimant needs in order to have these kinds.
  func mainKinds(_ kinds: Set<MediaKind>, of claimant: Claimant) -> Set<MediaKind> {
    switch view(of: claimant) {
    case .main, .mosaic: kinds
    case .camera: kinds.subtracting([.video])
    }
  }

  /// What nobody wants of the main camera and the microphone.
  var unwanted: Set<MediaKind> {
    claims.reduce(into: Set(MediaKind.allCases)) { $0.subtract(mainKinds($1.value, of: $1.key)) }
  }

  // MARK: What sessions see

  /// Sessions that were never shown anything else see the main camera.
  mutating func show(_ view: DeviceView, to sessionID: SessionID) { views[sessionID] = view == .main ? nil : view }

  /// What a claimant sees who is a session; what others want of pictures is the main camera's.
  func view(of claimant: Claimant) -> DeviceView {
    if case .session(let sessionID) = claimant { views[sessionID] ?? .main } else { .main }
  }

  /// The sessions whose peers see the device, and by this view.
  func viewers(of view: DeviceView) -> Set<SessionID> {
    claims.reduce(into: []) { viewers, claim in
      guard case .session(let sessionID) = claim.key, claim.value.contains(.video) else { return }
      if self.view(of: claim.key) == view { viewers.insert(sessionID) }
    }
  }

  /// Whether pictures of the device are recorded.
  var recordsVideo: Bool {
    claims.contains { claim in
      if case .archive = claim.key { claim.value.contains(.video) } else { false }
    }
  }
}
