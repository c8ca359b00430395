internal import Foundation
internal import NIOHTTP1
internal import Signalling

/// What is wrong with a request's head, where the parser lets it pass.
///
/// What two readers of a request could understand differently is refused (RFC 9112, sections 3.2 and 6.3), since a proxy in
/// front of the hub is another reader.
struct RequestHeadCheck {
  static let methods: [HTTPMethod] = [.GET, .HEAD, .POST, .PUT, .DELETE, .OPTIONS, .PATCH, .TRACE]
  static let maximumTarget = 4_096
  private let head: HTTPRequestHead

  /// The first fault; nil when there is none.
  static func problem(in head: HTTPRequestHead) -> Problem? {
    let check = RequestHeadCheck(head: head)
    return check.method ?? check.host ?? check.framing ?? check.expectation ?? check.target
  }

  private var method: Problem? {
    guard !Self.methods.contains(head.method) else { return nil }
    return Problem(
      type: "not-implemented", title: "Not implemented", status: 501, detail: "no resource has the request's method")
  }

  private var host: Problem? {
    let count = head.headers["Host"].count
    if count > 1 { return .malformed("Host: must be given once") }
    return count == 0 && !head.isOld ? .malformed("Host: is missing") : nil
  }

  private var framing: Problem? {
    let codings = head.headers[canonicalForm: "Transfer-Encoding"]
    let lengths = head.headers["Content-Length"]
    guard codings.isEmpty else {
      if codings.count > 1 || codings[0].lowercased() != "chunked" {
        return .malformed("Transfer-Encoding: must be chunked")
      }
      if head.isOld { return .malformed("Transfer-Encoding: needs HTTP/1.1") }
      return lengths.isEmpty ? nil : .malformed("Content-Length: must not stand beside Transfer-Encoding")
    }
    return lengths.count > 1 ? .malformed("Content-Length: must be given once") : nil
  }

  private var expectation: Problem? {
    let expectations = head.headers["Expect"]
    guard expectations.contains(where: { $0.lowercased() != "100-continue" }) else { return nil }
    return .expectationFailed
  }

  private var target: Problem? {
    if head.uri.utf8.count > Self.maximumTarget {
      return .targetTooLong(Self.maximumTarget)
    }
    guard head.uri.hasPrefix("/") || namesHost || (head.uri == "*" && head.method == .OPTIONS) else {
      return .malformed("URL: must be a path, or name the same host as Host")
    }
    let isASCII = head.uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    let isEscaped = head.uri.utf8.contains(UInt8(ascii: "%"))
    return isASCII && (!isEscaped || head.uri.removingPercentEncoding != nil)
      ? nil : .malformed("URL: must be ASCII, with UTF-8 behind its percent signs")
  }
}

extension RequestHeadCheck {
  /// Whether the target is a whole URL (absolute-form) of the host that the header names.
  private var namesHost: Bool {
    guard let host = head.headers.first(name: "Host")?.lowercased() else { return false }
    let url = head.uri.lowercased()
    return ["http://\(host)", "https://\(host)"].contains { start in
      url.hasPrefix(start) && ["/", "?", nil].contains(url.dropFirst(start.count).first)
    }
  }
}

extension HTTPRequestHead {
  /// HTTP/1.0: neither chunks nor a Host that is needed nor, here, further requests on the connection.
  var isOld: Bool { version.major == 1 && version.minor == 0 }
}

extension Problem {
  /// What the parser has found.
  init(_ error: HTTPParserError) {
    switch error {
    case .headerOverflow: self = .headerTooLarge
    case .invalidVersion:
      self.init(
        type: "unknown-version", title: "HTTP version not supported", status: 505, detail: "the hub speaks HTTP/1.1")
    case .invalidChunkSize: self = .malformed("the size of a chunk is not valid")
    case .invalidContentLength, .unexpectedContentLength: self = .malformed("Content-Length: is not valid")
    case .invalidHeaderToken: self = .malformed("a header field is not valid")
    case .invalidMethod: self = .malformed("the method is not valid")
    case .invalidURL: self = .malformed("URL: is not valid")
    default: self = .malformed("the request cannot be read as HTTP")
    }
  }
}
