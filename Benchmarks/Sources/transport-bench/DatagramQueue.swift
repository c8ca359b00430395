import Glibc
import MediaCore
import NetworkLoop
import PeerSession

/// Keeps what a session sends until the other side takes it.
protocol DatagramQueue: DatagramSink {
  /// Ends a turn.
  func flush()
  /// Hands the oldest datagram to `body`; returns whether there was one.
  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool
}

/// A ring of datagrams in memory of its own, made once.
final class MemoryQueue: DatagramQueue {
  private static let count = 256
  private static let size = 2_048

  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count * size, alignment: 16)
  private var lengths = [Int](repeating: 0, count: count)
  private var head = 0
  private var tail = 0

  deinit { memory.deallocate() }

  private func slot(_ number: Int) -> UnsafeMutableRawBufferPointer {
    let start = number % Self.count * Self.size
    return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + Self.size])
  }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    precondition(tail - head < Self.count, "nobody takes the datagrams")
    datagram.withUnsafeBytes { slot(tail).copyMemory(from: $0) }
    lengths[tail % Self.count] = datagram.byteCount
    tail += 1
  }

  func send(_ octets: RawSpan, over link: RelayLinkID) {}
  func flush() {}

  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool {
    guard head < tail else { return false }
    var bytes = UnsafeMutableRawBufferPointer(rebasing: slot(head)[..<lengths[head % Self.count]]).mutableBytes
    head += 1
    body(&bytes)
    return true
  }
}

/// The network loop's sender and a UDP socket on the loopback interface: what a session sends goes through the kernel.
final class LoopbackQueue: DatagramQueue {
  private static let anyPort = TransportAddress(ipv4: 0x7F00_0001, port: 0)

  private let sender: SocketSender
  private let source: TransportAddress
  private let receiver: CInt
  private let target: TransportAddress
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 16)

  init() throws {
    sender = try SocketSender(bindingTo: [Self.anyPort])
    source = sender.addresses[0]
    let receiver = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(receiver, address, length) == 0 && getsockname(receiver, address, &length) == 0
      }
    }
    guard isBound else { throw CommandError.noSocket }
    self.receiver = receiver
    target = TransportAddress(ipv4: 0x7F00_0001, port: UInt16(bigEndian: address.sin_port))
  }

  deinit {
    close(receiver)
    memory.deallocate()
  }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    sender.send(datagram, from: source, to: target)
  }

  func send(_ octets: RawSpan, over link: RelayLinkID) {}
  func flush() { sender.flush() }

  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool {
    let length = recv(receiver, memory.baseAddress, memory.count, CInt(MSG_DONTWAIT))
    guard length > 0 else { return false }
    var bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<length]).mutableBytes
    body(&bytes)
    return true
  }
}
