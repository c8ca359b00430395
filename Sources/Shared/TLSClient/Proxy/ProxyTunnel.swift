/// The beginning of a connection through a proxy, sans-IO: what is sent, and what the proxy answers (RFC 9110 §9.3.6).
public struct ProxyTunnel: Sendable {
  public enum Outcome: Sendable, Hashable {
    /// More has to come.
    case pending
    /// Octets go to the host from now on; that many of the last ones were of the answer.
    case open(consumed: Int)
    case refused(ProxyRefusal)
  }

  /// Octets of an answer's head at most.
  public static let maximumByteCount = 8_192

  private let proxy: HTTPProxy
  private let target: String
  private var head: [UInt8] = []

  /// - Parameter host: a name or a numeric address (IPv6 without brackets), which the proxy looks up.
  public init(to host: String, port: Int, through proxy: HTTPProxy) {
    self.proxy = proxy
    target = authority(of: host, port: port)
  }

  /// To be sent first. Holds the credentials.
  public var request: [UInt8] {
    let authorization = proxy.authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    return Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(authorization)\r\n".utf8)
  }

  /// Takes what the proxy sends, in pieces of any size, until the outcome is another than pending.
  public mutating func receive(_ octets: some Sequence<UInt8>) -> Outcome {
    var count = 0
    for octet in octets {
      count += 1
      head.append(octet)
      if octet == UInt8(ascii: "\n"), isWhole { return outcome(consumed: count) }
      guard head.count < Self.maximumByteCount else { return refused(.malformed) }
    }
    return .pending
  }

  /// The connection has ended before the answer was whole.
  public func lost(_ reason: String) -> ProxyRefusal { refusal(.unreachable(reason)) }

  /// Lines may end in LF alone.
  private var isWhole: Bool { head.suffix(4) == [13, 10, 13, 10] || head.suffix(2) == [10, 10] }

  private func outcome(consumed: Int) -> Outcome {
    let line = head.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
      words[1].allSatisfy({ (48...57).contains($0) }), let status = Int(String(decoding: words[1], as: UTF8.self))
    else { return refused(.malformed) }
    return (200..<300).contains(status) ? .open(consumed: consumed) : refused(.status(status))
  }

  private func refused(_ cause: ProxyRefusal.Cause) -> Outcome { .refused(refusal(cause)) }

  private func refusal(_ cause: ProxyRefusal.Cause) -> ProxyRefusal {
    ProxyRefusal(proxy: "\(proxy)", target: target, hasCredentials: proxy.hasCredentials, cause: cause)
  }
}

/// Why a proxy makes no tunnel, for people; without credentials.
public struct ProxyRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Cause: Sendable, Hashable {
    case status(Int)
    /// What it answers is no HTTP.
    case malformed
    case unreachable(String)
  }

  public var proxy: String
  public var target: String
  public var hasCredentials: Bool
  public var cause: Cause

  public var description: String {
    switch cause {
    // Some proxies answer as servers do.
    case .status(407), .status(401):
      hasCredentials
        ? "the proxy \(proxy) refuses user and password (\(statusText)); see [hub] proxy_credentials_file, or HTTPS_PROXY"
        : "the proxy \(proxy) wants user and password (\(statusText)); name their file in [hub] proxy_credentials_file"
    case .status(403), .status(405):
      "the proxy \(proxy) forbids the way to \(target) (\(statusText)); have it permit CONNECT there"
    case .status: "the proxy \(proxy) does not get to \(target) (\(statusText)); its log says why"
    case .malformed: "\(proxy) is no proxy: it answers CONNECT with something else than HTTP"
    case .unreachable(let reason): "the proxy \(proxy) is not to be reached: \(reason)"
    }
  }

  private var statusText: String { if case .status(let status) = cause { "\(status)" } else { "" } }
}
