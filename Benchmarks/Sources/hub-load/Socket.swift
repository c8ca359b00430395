import Glibc

/// A failure of the generator's own: a socket, a file, an answer that no hub gives.
struct LoadFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static func system(_ what: String) -> LoadFailure { LoadFailure("\(what): \(String(cString: strerror(errno)))") }
}

/// Opens a connection without waiting for it, from an address of the loopback range: one address has too few ports for
/// tens of thousands of connections to one port.
func openSocket(to target: LoadOptions.Target, number: Int) throws(LoadFailure) -> CInt {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
  guard descriptor >= 0 else { throw .system("socket") }
  var isOn: CInt = 1
  setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
  // Ports are chosen when the connection is made, so that all of them serve for each destination (ip(7)).
  let bindAddressNoPort: CInt = 24
  setsockopt(descriptor, CInt(IPPROTO_IP), bindAddressNoPort, &isOn, socklen_t(MemoryLayout<CInt>.size))
  var source = address("127.0.1.\(number % 200 + 1)", port: 0)
  var destination = address(target.host, port: target.port)
  let length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withSocketAddress(&source) { bind(descriptor, $0, length) } == 0
  let status = isBound ? withSocketAddress(&destination) { connect(descriptor, $0, length) } : -1
  guard status == 0 || errno == EINPROGRESS else {
    defer { close(descriptor) }
    throw .system("connecting to \(target.text)")
  }
  return descriptor
}

private func address(_ host: String, port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  inet_pton(AF_INET, host, &address.sin_addr)
  return address
}

private func withSocketAddress(
  _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>) -> CInt
) -> CInt {
  withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
  }
}

/// As many descriptors as the kernel lets this process have.
func raiseDescriptorLimit() {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
