import TLSChannel

/// Why an exchange failed; errors of the system or the HTTP parser are thrown unchanged.
public enum HTTPConnectionError: Error, Equatable, Sendable {
  /// No connection, or no octet from the server, in time.
  case timedOut
  /// The task was cancelled.
  case cancelled
  /// The server ended the connection before its answer was whole.
  case closed
  /// An answer that was to be held in memory is longer than allowed.
  case answerTooLong
  /// TLS failed, or the server's certificate was refused; as text for people.
  case tls(reason: String)
  /// The server sent an unsolicited answer.
  case unexpectedAnswer
  /// The pool has been shut down.
  case shutDown
}

extension HTTPConnectionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .timedOut: "no answer in time"
    case .cancelled: "cancelled"
    case .closed: "the connection was closed before the answer was whole"
    case .answerTooLong: "the answer is too long"
    case .tls(let reason): reason
    case .unexpectedAnswer: "the server sent an answer to no request"
    case .shutDown: "the connections have been shut down"
    }
  }
}

extension HTTPConnectionError {
  /// A TLS error as one of this layer; any other error as it is.
  static func translating(_ error: any Error) -> any Error {
    guard let error = error as? TLSChannelError else { return error }
    return switch error {
    case .timedOut: timedOut
    case .closed: closed
    case .failed(let reason): tls(reason: reason)
    }
  }
}
