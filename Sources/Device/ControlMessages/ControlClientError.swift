import SystemSupport

/// Why a request to the daemon failed.
public enum ControlClientError: Error, Sendable, Hashable {
  /// Nothing listens at the socket.
  case notRunning(path: String)
  case permissionDenied(path: String)
  /// The daemon said no.
  case refused(DeviceControlError)
  /// The daemon does not know the method or its parameters: it is of another version.
  case incompatible(String)
  case timedOut
  /// The daemon ended the connection without a reply.
  case disconnected
  case malformedReply
  case system(String)
}

extension ControlClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notRunning(let path):
      "the daemon is not running: nothing listens at \(path); start it with: systemctl start "
        + DeviceInstance(socket: path).unit
    case .permissionDenied(let path):
      "no permission for \(path): join the group livesessions (adduser NAME livesessions), or use sudo"
    case .refused(let error): error.description
    case .incompatible(let name): "the daemon is of another version (\(name))"
    case .timedOut: "the daemon does not answer"
    case .disconnected: "the daemon ended the connection"
    case .malformedReply: "the daemon's reply cannot be read"
    case .system(let text): text
    }
  }
}
