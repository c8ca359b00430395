/// Why the daemon does not start, with the exit status for a service manager.
public struct DeviceServiceError: Error, Sendable, CustomStringConvertible {
  /// 78 (EX_CONFIG) means that starting again would fail in the same way.
  public let exitStatus: Int32
  public let description: String

  static func configuration(_ text: String) -> DeviceServiceError {
    DeviceServiceError(exitStatus: 78, description: text)
  }

  static func failure(_ text: String) -> DeviceServiceError { DeviceServiceError(exitStatus: 1, description: text) }
}
