/// What of a device somebody may ask the hub for.
public enum DeviceContent: Sendable, Hashable {
  /// - Parameter range: the `Range` header, as it came.
  case archive(ArchivePath, range: String?)
  /// A picture of what its camera sees now.
  case snapshot

  /// As the device's ``Signalling/RequestEvent`` has it.
  public var path: String {
    switch self {
    case .archive(let path, _): path.text
    case .snapshot: "snapshot"
    }
  }

  /// See ``path``.
  public var range: String? {
    switch self {
    case .archive(_, let range): range
    case .snapshot: nil
    }
  }

  /// What the device may send.
  public func maximumBytes(_ limits: HubLimits) -> Int64 {
    self == .snapshot ? limits.snapshotMaximumBytes : limits.archiveMaximumBytes
  }

  /// Of one user.
  public func requestsPerMinute(_ limits: HubLimits) -> Int {
    self == .snapshot ? limits.snapshotRequestsPerMinute : limits.archiveRequestsPerMinute
  }

  /// For those who may not have it.
  public var refusal: HubRefusal {
    .notAllowed(self == .snapshot ? "pictures of devices are for operators" : "archives are for operators")
  }

  /// For users who are no devices.
  public var absence: HubRefusal {
    .notFound(self == .snapshot ? "this user has no camera that can be asked" : "this user has no archives")
  }
}
