public import Signalling

/// What an invitation is good for.
public enum GuestTarget: Codable, Sendable, Hashable {
  case device(String)
  /// All devices of a group.
  case group(String)
}

/// What a guest may do at the hub: call these devices, by these media, and nothing else.
public struct GuestScope: Codable, Sendable, Hashable {
  public var target: GuestTarget
  public var media: GuestMedia

  public init(target: GuestTarget, media: GuestMedia) { (self.target, self.media) = (target, media) }

  func admits(_ other: Principal) -> Bool {
    guard other.role == .device else { return false }
    return switch target {
    case .device(let id): other.userID == id
    case .group(let group): other.groups.contains(group)
    }
  }

  /// Refuses a description with media that the invitation does not have. A guest who only watches is held to that by the
  /// session token's role, since a device neither plays nor records what a subscriber sends.
  func check(description: String) throws(HubRefusal) {
    switch media {
    case .video, .watch: return
    case .audio:
      guard !description.contains("m=video") else { throw .notAllowed("the invitation is for sound alone") }
    }
  }

  func check(_ request: SessionRequest) throws(HubRefusal) {
    try check(description: request.offer)
    switch media {
    case .video, .watch: return
    case .audio:
      guard !request.isVideo else { throw .notAllowed("the invitation is for sound alone") }
    }
  }
}
