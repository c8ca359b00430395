import MediaCore
import Testing

@testable import NetworkLoop

@Suite struct LocalAddressTests {
  private let addresses = LocalAddresses(interfaces: [
    TransportAddress(ipv4: 0x7F00_0001, port: 0), TransportAddress(ipv4: 0x0A00_0001, port: 0),
    TransportAddress(ipv6: 0xFD00_0000_0000_0000, 2, port: 0),
  ])

  @Test func `a socket for all addresses offers those of its family, loopback left out`() {
    let ipv4 = addresses.candidates(for: TransportAddress(ipv4: 0, port: 5_000))
    let ipv6 = addresses.candidates(for: TransportAddress(ipv6: 0, 0, port: 5_001))
    #expect(ipv4 == [TransportAddress(ipv4: 0x0A00_0001, port: 5_000)])
    #expect(ipv6 == [TransportAddress(ipv6: 0xFD00_0000_0000_0000, 2, port: 5_001)])
  }

  @Test func `a socket for one address offers it while an interface has it`() {
    let present = TransportAddress(ipv4: 0x0A00_0001, port: 5_000)
    let absent = TransportAddress(ipv4: 0x0A00_0002, port: 5_000)
    #expect(addresses.candidates(for: present) == [present])
    #expect(addresses.candidates(for: absent) == [])
    #expect(addresses.has(present) && !addresses.has(absent))
  }

  @Test func `all of the loopback net counts`() {
    let loopback = TransportAddress(ipv4: 0x7F00_0005, port: 5_000)
    #expect(addresses.candidates(for: loopback) == [loopback])
  }
}
