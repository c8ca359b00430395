/// Why a server's URL is not used.
public struct ICEServerURLError: Error, Hashable, Sendable {
  /// What is wrong with a URL.
  public enum Problem: Error, Hashable, Sendable {
    case unknownScheme
    case badHost
    case badPort
    case unknownParameter
    case tooLong
    /// User names and passwords do not belong into the URL (RFC 7065 §3.1).
    case userInformation
    /// `stuns:`, STUN over TLS.
    case encryptedSTUN
    /// `turns:` with `transport=udp`, TURN over DTLS.
    case datagramTLS
  }

  /// Enough of the URL to find it again, without anything that may be a secret.
  public let url: String
  /// What is wrong with it.
  public let problem: Problem

  init(_ text: String, _ problem: Problem) {
    url = Self.shown(text)
    self.problem = problem
  }

  private static let schemes = ["stun", "stuns", "turn", "turns"]

  /// Nothing in front of an `@` is shown but the scheme.
  private static func shown(_ text: String) -> String {
    var visible = text[...]
    if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) {
      let scheme = schemes.first { text.prefix(6).lowercased().hasPrefix("\($0):") }
      visible = "\(scheme.map { "\($0):" } ?? "")\(text[text.utf8.index(after: at)...])"
    }
    let scalars = visible.unicodeScalars.prefix { $0 != "?" }.prefix(80)
    return String(String.UnicodeScalarView(scalars.filter { (33...126).contains($0.value) }))
  }
}

extension ICEServerURLError: CustomStringConvertible {
  /// The URL and what is wrong, for a log.
  public var description: String { "\(url): \(problem.text)" }
}

extension ICEServerURLError.Problem {
  fileprivate var text: String {
    switch self {
    case .unknownScheme: "not the URL of a server; it begins with stun:, turn: or turns:"
    case .badHost: "not a host; write a name, an IPv4 address, or an IPv6 address in brackets, without slashes"
    case .badPort: "not a port; write 1 to 65535"
    case .unknownParameter: "an unknown parameter; write ?transport=udp or ?transport=tcp, and none behind stun:"
    case .tooLong: "too long for the URL of a server"
    case .userInformation: "user names and passwords do not belong into the URL; the hub names them beside it"
    case .encryptedSTUN: "STUN over TLS is not supported; use stun:, which has nothing to hide"
    case .datagramTLS: "TURN over DTLS is not supported; use ?transport=tcp"
    }
  }
}
