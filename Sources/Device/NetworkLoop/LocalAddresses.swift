import CLinux
import MediaCore

/// The addresses of this machine that become host candidates, as of one moment.
struct LocalAddresses: Equatable {
  /// Of the interfaces that are up.
  private let interfaces: [TransportAddress]

  /// Takes the addresses as read elsewhere; their ports do not matter.
  init(interfaces: [TransportAddress]) { self.interfaces = interfaces }

  /// Reads them from the kernel. Costs system calls and allocates.
  static func read() -> LocalAddresses {
    withUnsafeTemporaryAllocation(of: ls_address.self, capacity: 64) { buffer in
      let count = ls_interface_addresses(buffer.baseAddress, 64)
      return LocalAddresses(interfaces: buffer.prefix(Int(count)).map { TransportAddress($0) })
    }
  }

  /// What a socket can be reached at: a wildcard address is replaced by those of the interfaces, loopback left out; a
  /// named one counts while an interface has it.
  func candidates(for bound: TransportAddress) -> [TransportAddress] {
    guard bound.isWildcard else { return has(bound) ? [bound] : [] }
    return interfaces.filter { $0.isIPv6 == bound.isIPv6 && !$0.isLoopback }.map { address in
      var candidate = address
      candidate.port = bound.port
      return candidate
    }
  }

  /// Whether datagrams to the address of a socket can arrive.
  func has(_ bound: TransportAddress) -> Bool {
    // The loopback interface has all of 127.0.0.0/8, and lists one.
    bound.isWildcard || bound.isLoopback || interfaces.contains { $0.isSameHost(as: bound) }
  }
}

extension TransportAddress {
  var isLoopback: Bool {
    if let ipv4 { return ipv4 >> 24 == 127 }
    return high == 0 && low == 1
  }

  /// Whether this stands for all addresses of the family.
  var isWildcard: Bool { high == 0 && low == 0 }

  func isSameHost(as other: TransportAddress) -> Bool {
    isIPv6 == other.isIPv6 && high == other.high && low == other.low
  }
}
