import Glibc
import MediaCore
import PeerSession

/// Keeps what a session sends until the other side takes it.
protocol DatagramQueue: DatagramSink {
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

  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool {
    guard head < tail else { return false }
    var bytes = UnsafeMutableRawBufferPointer(rebasing: slot(head)[..<lengths[head % Self.count]]).mutableBytes
    head += 1
    body(&bytes)
    return true
  }
}

/// Two UDP sockets on the loopback interface: what a session sends goes through the kernel.
final class LoopbackQueue: DatagramQueue {
  private let sending: CInt
  private let receiving: CInt
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 16)

  init() throws {
    receiving = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    sending = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(receiving, address, length) == 0 && getsockname(receiving, address, &length) == 0
          && connect(sending, address, length) == 0
      }
    }
    guard isReady else { throw CommandError.noSocket }
  }

  deinit {
    close(sending)
    close(receiving)
    memory.deallocate()
  }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    datagram.withUnsafeBytes { _ = Glibc.send(sending, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT)) }
  }

  func send(_ octets: RawSpan, over link: RelayLinkID) {}

  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool {
    let length = recv(receiving, memory.baseAddress, memory.count, CInt(MSG_DONTWAIT))
    guard length > 0 else { return false }
    var bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<length]).mutableBytes
    body(&bytes)
    return true
  }
}
