import MediaCore
import PeerSession

/// Keeps what a session sends until the other side takes it.
protocol DatagramQueue: DatagramSink {
  /// Ends a turn.
  func flush()
  /// Hands the oldest datagram to `body`; returns whether there was one.
  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool
}

/// A ring of datagrams in memory of its own, made once; short, so that it stays in the cache as a socket's memory does.
final class MemoryQueue: DatagramQueue {
  private static let count = 64
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

  func send(_ octets: RawSpan, over link: TURNConnectionID) {}
  func flush() {}

  func take(_ body: (inout MutableRawSpan) -> Void) -> Bool {
    guard head < tail else { return false }
    var bytes = UnsafeMutableRawBufferPointer(rebasing: slot(head)[..<lengths[head % Self.count]]).mutableBytes
    head += 1
    body(&bytes)
    return true
  }
}
