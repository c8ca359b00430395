import ControlMessages

/// What the clients of a socket may do.
public enum ControlAccess: Sendable, Hashable {
  case full
  /// See what the device does, and change nothing: status, the list of archives, and events.
  case monitoring

  func permits(_ method: DeviceMethod) -> Bool {
    switch self {
    case .full: true
    case .monitoring: [.status, .archiveList, .monitor].contains(method)
    }
  }
}
