import Glibc
import MediaCore
import NetworkLoop
import PeerSession

/// Hands datagrams to the kernel, from an address of its own to one fixed address.
protocol DatagramSender: AnyObject {
  func send(_ datagram: RawSpan, to target: TransportAddress)
  /// Ends a turn.
  func flush()
}

/// The network loop's sender: a turn's datagrams are one system call, a frame's one message.
final class TurnSender: DatagramSender {
  private let sender: SocketSender
  private let source: TransportAddress

  init(from address: TransportAddress) throws {
    sender = try SocketSender(bindingTo: [address])
    source = sender.addresses[0]
  }

  func send(_ datagram: RawSpan, to target: TransportAddress) { sender.send(datagram, from: source, to: target) }
  func flush() { sender.flush() }
}

/// A system call for each datagram, for comparison.
final class SingleSender: DatagramSender {
  private let descriptor: CInt

  init(from address: TransportAddress) throws { (descriptor, _) = try boundSocket(address) }

  deinit { close(descriptor) }

  func send(_ datagram: RawSpan, to target: TransportAddress) {
    var address = target.native
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = datagram.withUnsafeBytes { octets in
          sendto(descriptor, octets.baseAddress, octets.count, CInt(MSG_DONTWAIT), address, length)
        }
      }
    }
  }

  func flush() {}
}

/// What a session sends goes through the kernel to a UDP socket on the loopback interface.
final class LoopbackQueue: DatagramQueue {
  static let anyPort = TransportAddress(ipv4: 0x7F00_0001, port: 0)

  private let sender: any DatagramSender
  private let receiver: CInt
  private let target: TransportAddress
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 16)

  init(_ sender: any DatagramSender) throws {
    self.sender = sender
    (receiver, target) = try boundSocket(Self.anyPort)
  }

  deinit {
    close(receiver)
    memory.deallocate()
  }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    sender.send(datagram, to: target)
  }

  func send(_ octets: RawSpan, over link: TURNConnectionID) {}
  func flush() { sender.flush() }

  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool {
    let length = recv(receiver, memory.baseAddress, memory.count, CInt(MSG_DONTWAIT))
    guard length > 0 else { return false }
    var bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<length]).mutableBytes
    body(&bytes)
    return true
  }
}

/// What a session sends goes through the kernel to a link that swallows it; the other side gets a copy from memory.
final class SwallowedQueue: DatagramQueue {
  private let sender: any DatagramSender
  private let copies = MemoryQueue()

  init(_ sender: any DatagramSender) { self.sender = sender }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    sender.send(datagram, to: SwallowingLink.target)
    copies.send(datagram, from: local, to: remote)
  }

  func send(_ octets: RawSpan, over link: TURNConnectionID) {}
  func flush() { sender.flush() }
  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool { copies.take(body) }
}

/// A UDP socket over IPv4 and where it is bound.
private func boundSocket(_ wanted: TransportAddress) throws -> (descriptor: CInt, address: TransportAddress) {
  let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
  var address = wanted.native
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard isBound else { throw CommandError.noSocket }
  var bound = wanted
  bound.port = UInt16(bigEndian: address.sin_port)
  return (descriptor, bound)
}

extension TransportAddress {
  /// Of an IPv4 address.
  fileprivate var native: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (ipv4 ?? 0).bigEndian
    return address
  }
}
