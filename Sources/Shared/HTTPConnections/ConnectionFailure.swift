import Glibc
import NIOCore
import NIOPosix

/// Why there is no connection, as text for people.
public enum ConnectionFailure {
  public static func message(for error: any Error) -> String {
    switch error {
    case let error as IOError: systemMessage(error.errnoCode)
    case let error as NIOConnectionError: message(for: error)
    default: String(describing: error)
    }
  }

  /// A name has several addresses, and each attempt its own failure; the first stands for all.
  private static func message(for error: NIOConnectionError) -> String {
    if let attempt = error.connectionErrors.first { return message(for: attempt.error) }
    return "the name \(error.host) is not known"
  }

  private static func systemMessage(_ code: CInt) -> String {
    let text = String(cString: strerror(code))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
