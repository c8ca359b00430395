import Testing

@testable import HubCore

struct ForwardingHeadersTests {
  private let proxies = ["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"].compactMap(AddressRange.init)

  private func client(_ peer: String, for forwardedFor: [String] = [], forwarded: [String] = []) throws -> IPAddress {
    ForwardingHeaders(forwardedFor: forwardedFor, forwarded: forwarded)
      .client(behind: try #require(IPAddress(peer)), trustedProxies: proxies)
  }

  @Test func strangersAreNotBelieved() throws {
    #expect(try client("192.0.2.1", for: ["198.51.100.1"]) == IPAddress("192.0.2.1"))
    #expect(try client("192.0.2.1", forwarded: ["for=198.51.100.1"]) == IPAddress("192.0.2.1"))
  }

  @Test(arguments: [
    (["192.0.2.1"], "192.0.2.1"),
    (["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
    (["203.0.113.9", "192.0.2.1, 10.1.2.3"], "192.0.2.1"),
    (["192.0.2.1:4711"], "192.0.2.1"),
    (["[2001:db8::1]:4711"], "2001:db8::1"),
    (["2001:db8::1"], "2001:db8::1"),
    (["::ffff:192.0.2.1"], "192.0.2.1"),
    (["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
    (["192.0.2.1, unknown"], "127.0.0.1"),
    (["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
    (["192.0.2.1,"], "127.0.0.1"),
    (["192.0.2.999"], "127.0.0.1"),
    ([""], "127.0.0.1"),
    ([], "127.0.0.1"),
  ])
  func theRightmostStrangerIsTheClient(headers: [String], expected: String) throws {
    #expect(try client("127.0.0.1", for: headers) == IPAddress(expected))
  }

  /// RFC 7239, sections 4 and 7.1.
  @Test(arguments: [
    ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
    ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
    (#"For="[2001:db8:cafe::17]:4711""#, "2001:db8:cafe::17"),
    (#"for="192.0.2.43:47011""#, "192.0.2.43"),
    ("for=192.0.2.1, for=_hidden", "127.0.0.1"),
    ("for=192.0.2.1, proto=https", "127.0.0.1"),
    ("for=unknown", "127.0.0.1"),
    ("proto=https; for = 192.0.2.1", "192.0.2.1"),
  ])
  func readsForwarded(header: String, expected: String) throws {
    #expect(try client("127.0.0.1", forwarded: [header]) == IPAddress(expected))
  }

  /// A proxy that writes one header lets a client write the other.
  @Test func headersThatDifferAreNotBelieved() throws {
    let both = { try client("127.0.0.1", for: ["192.0.2.1"], forwarded: [$0]) }
    #expect(try both("for=192.0.2.1") == IPAddress("192.0.2.1"))
    #expect(try both("for=198.51.100.1") == IPAddress("127.0.0.1"))
  }

  @Test func anIPv6NetworkIsOnePlace() throws {
    func origin(_ text: String) throws -> String { try #require(IPAddress(text)).origin }
    #expect(try origin("2001:db8:1:2::3") == origin("2001:db8:1:2:ffff::4"))
    #expect(try origin("2001:db8:1:2::3") != origin("2001:db8:1:3::3"))
    #expect(try origin("192.0.2.1") == origin("::ffff:192.0.2.1"))
    #expect(try origin("192.0.2.1") != origin("192.0.2.2"))
  }

  @Test(arguments: [
    ("192.0.2.10", "192.0.2.10"), ("::ffff:192.0.2.10", "192.0.2.10"), ("2001:db8:0:1:2::3", "2001:db8:0:1::/64"),
  ]) func networksAreReadByPeople(text: String, network: String) {
    #expect(IPAddress(text)?.readableOrigin == network)
  }
}
