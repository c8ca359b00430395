internal import HTTPTypes
internal import HubCore
internal import NIOCore
internal import NIOHTTP1

/// Where requests come from: the connection's other end, or what the trusted proxies there say.
struct ClientAddress: Sendable {
  /// Nil for a connection that is not of the network.
  let address: IPAddress?
  /// As limits distinguish places.
  let origin: String
  /// The same for people to read.
  let readableOrigin: String

  /// The other end.
  init(of channel: any Channel) { self.init(channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }) }

  private init(_ address: IPAddress?) {
    self.address = address
    origin = address?.origin ?? "local"
    readableOrigin = address?.readableOrigin ?? "local"
  }

  /// The client for whom this other end has sent a request: itself, unless it is a trusted proxy.
  func client(of fields: HTTPFields, behind trustedProxies: [AddressRange]) -> ClientAddress {
    guard isAmong(trustedProxies) else { return self }
    return client(
      ForwardingHeaders(forwardedFor: fields[values: .xForwardedFor], forwarded: fields[values: .forwarded]),
      behind: trustedProxies)
  }

  func client(of headers: HTTPHeaders, behind trustedProxies: [AddressRange]) -> ClientAddress {
    guard isAmong(trustedProxies) else { return self }
    return client(
      ForwardingHeaders(forwardedFor: headers["X-Forwarded-For"], forwarded: headers["Forwarded"]),
      behind: trustedProxies)
  }

  func isAmong(_ proxies: [AddressRange]) -> Bool {
    guard let address else { return false }
    return proxies.contains { $0.contains(address) }
  }

  private func client(_ forwarding: ForwardingHeaders, behind trustedProxies: [AddressRange]) -> ClientAddress {
    guard let address else { return self }
    let client = forwarding.client(behind: address, trustedProxies: trustedProxies)
    return client == address ? self : ClientAddress(client)
  }
}

extension HTTPField.Name {
  fileprivate static let xForwardedFor = Self("X-Forwarded-For")!
  fileprivate static let forwarded = Self("Forwarded")!
}
