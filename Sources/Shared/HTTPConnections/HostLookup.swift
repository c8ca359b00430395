import Glibc
import NIOCore

/// Addresses of names, as the system finds them (getaddrinfo(3)).
enum HostLookup {
  /// At most so many are used: a name with thousands is no push service.
  private static let longestList = 16

  /// Blocks. Empty where the name is not known, or has more addresses than anybody needs.
  static func addresses(of host: String, port: Int) throws -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_protocol = CInt(IPPROTO_TCP)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var (addresses, next) = ([SocketAddress](), list)
    while let entry = next?.pointee {
      if let address = address(entry) { addresses.append(address) }
      next = entry.ai_next
    }
    return addresses.count <= longestList ? addresses : []
  }

  private static func address(_ entry: addrinfo) -> SocketAddress? {
    guard let pointer = entry.ai_addr else { return nil }
    let raw = UnsafeRawPointer(pointer)
    switch entry.ai_family {
    case AF_INET where entry.ai_addrlen >= MemoryLayout<sockaddr_in>.size:
      return SocketAddress(raw.loadUnaligned(as: sockaddr_in.self))
    case AF_INET6 where entry.ai_addrlen >= MemoryLayout<sockaddr_in6>.size:
      return SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self))
    default: return nil
    }
  }
}
