import Glibc

/// A TCP socket that listens at 127.0.0.1, on a port that the kernel chooses; the caller closes it.
public func listenOnLoopback(backlog: CInt = 8) -> (descriptor: CInt, port: Int) {
  let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
      precondition(bind(listener, bound, length) == 0 && listen(listener, backlog) == 0)
      getsockname(listener, bound, &length)
    }
  }
  return (listener, Int(UInt16(bigEndian: address.sin_port)))
}
