internal import HTTPTypes
internal import HubCore
internal import Hummingbird

/// Refuses requests for a foreign host name and from foreign pages.
///
/// The first stops DNS rebinding, the second pages of other origins; together they keep a page in a kiosk's own
/// browser from calling the camera, although the hub listens on loopback.
struct HostOriginCheck: Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>

  init(hosts: [String], origins: [String]) {
    self.hosts = Set(hosts.map { $0.lowercased() })
    self.origins = Set(origins.map { $0.lowercased() })
  }

  /// What a request is answered with that must go no further; nil for others.
  func refusal(of request: Request) -> Response? {
    let host = (request.head.authority ?? "").lowercased()
    guard hosts.contains(host) || hosts.contains(Self.withoutPort(host)) else {
      return ForeignHostPage.response(to: request, host: host) ?? .refusal(.foreignHost)
    }
    guard let origin = request.headers[.origin]?.lowercased() else { return nil }
    let isAllowed = origin == "http://\(host)" || origin == "https://\(host)" || origins.contains(origin)
    return isAllowed ? nil : .refusal(.foreignOrigin)
  }

  /// An allowed host without a port allows all ports.
  private static func withoutPort(_ host: String) -> String {
    guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
    return String(host[..<colon])
  }
}
