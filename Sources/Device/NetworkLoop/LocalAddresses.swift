import CLinux
import MediaCore

/// The addresses of this machine that become host candidates.
enum LocalAddresses {
  /// Replaces wildcard addresses by those of the interfaces that are up, loopback left out.
  static func candidates(for bound: TransportAddress) -> [TransportAddress] {
    guard bound.high == 0, bound.low == 0 else { return [bound] }
    return interfaces().filter { $0.isIPv6 == bound.isIPv6 && !$0.isLoopback }.map { address in
      var candidate = address
      candidate.port = bound.port
      return candidate
    }
  }

  private static func interfaces() -> [TransportAddress] {
    withUnsafeTemporaryAllocation(of: ls_address.self, capacity: 32) { buffer in
      let count = ls_interface_addresses(buffer.baseAddress, 32)
      return buffer.prefix(Int(count)).map { TransportAddress($0) }
    }
  }
}

extension TransportAddress {
  var isLoopback: Bool {
    if let ipv4 { return ipv4 >> 24 == 127 }
    return high == 0 && low == 1
  }
}
