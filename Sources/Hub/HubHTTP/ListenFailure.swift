internal import Glibc
internal import NIOCore

/// Says briefly why the server could not listen, or stopped.
public func describeListenFailure(_ error: any Error) -> String {
  guard let error = error as? IOError else { return "\(error)" }
  return String(cString: strerror(error.errnoCode))
}
