import Testing

@testable import HubCore

struct AddressRangeTests {
  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("10.0.0.0/8", "10.255.1.2", true),
    ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true), ("127.0.0.0/8", "::ffff:127.3.2.1", true),
    ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "203.0.113.9", true),
    ("192.0.2.8/31", "192.0.2.9", true), ("192.0.2.8/31", "192.0.2.10", false), ("::1", "::1", true),
    ("::1", "::2", false), ("fd00::/8", "fdff:1::9", true), ("fd00::/8", "fe00::", false),
    ("2001:db8:1:2::/64", "2001:db8:1:2:ffff::1", true), ("2001:db8:1:2::/64", "2001:db8:1:3::1", false),
    ("2001:db8::8000:0:0:0/65", "2001:db8::8000:0:0:9", true), ("2001:db8::8000:0:0:0/65", "2001:db8::9", false),
  ])
  func containsWhatSharesItsPrefix(range: String, address: String, isInside: Bool) throws {
    let range = try #require(AddressRange(range))
    #expect(range.contains(try #require(IPAddress(address))) == isInside)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129", "10.0.0", "proxy",
    "10.0.0.0/99999999999999999999", "[::1]", "127.0.0.1:80", "fe80::1%eth0", "10.0.0.0/8 ",
  ])
  func refusesWhatIsNoRange(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test func aMappedAddressIsTheIPv4Address() throws {
    #expect(IPAddress("::ffff:192.0.2.7") == IPAddress("192.0.2.7"))
    #expect(IPAddress("::ffff:c000:207")?.isIPv4 == true)
    #expect(IPAddress("::c000:207")?.isIPv4 == false && IPAddress("2001:db8::1")?.isIPv4 == false)
  }
}
