internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Signalling

/// A request that cannot be answered but with a problem document.
struct RequestFailure: Error {
  var problem: Problem
  var headers: HTTPFields = [:]
}

/// The client went away before its request was whole.
struct ClientAbort: Error {}

extension Problem {
  /// The document's media type (RFC 9457).
  static let mediaType = "application/problem+json"

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

/// Whether a request failed because its client, or the way to it, is gone.
func isClientAbort(_ error: any Error) -> Bool {
  error is ClientAbort || error is IOError || error is ChannelError || error is TransferError
}
