import CLinux
import Glibc

/// Who takes what happens at a descriptor.
protocol Connection: AnyObject {
  /// There is something to read, or the other end has closed.
  func isReadable()
  /// What is waiting to be written may go on.
  func isWritable()
}

/// One thread's epoll instance: connections, and the time until the next thing to do.
final class Reactor {
  private let epoll: CInt
  private var connections: [UInt64: any Connection] = [:]
  private var tokens = [UInt64](repeating: 0, count: 512)

  init() throws(LoadFailure) {
    epoll = ls_epoll_create()
    guard epoll >= 0 else { throw .system("epoll_create1") }
  }

  deinit { close(epoll) }

  func add(_ descriptor: CInt, _ connection: any Connection) throws(LoadFailure) {
    let token = UInt64(descriptor)
    connections[token] = connection
    guard ls_epoll_add(epoll, descriptor, token) == 0 else { throw .system("epoll_ctl") }
  }

  func watchOutput(of descriptor: CInt, _ isWanted: Bool) {
    _ = ls_epoll_watch_output(epoll, descriptor, UInt64(descriptor), isWanted ? 1 : 0)
  }

  /// Closes the descriptor.
  func remove(_ descriptor: CInt) {
    connections[UInt64(descriptor)] = nil
    close(descriptor)
  }

  /// Handles what has happened; waits for it until `time` (monotonic nanoseconds) at the latest.
  func poll(until time: UInt64) {
    let now = monotonicTime()
    let wait = time > now ? (time - now) / 1_000_000 : 0
    let count = ls_epoll_wait(epoll, &tokens, CInt(tokens.count), CInt(min(wait, 1_000)))
    for index in 0..<max(0, Int(count)) {
      guard let connection = connections[tokens[index]] else { continue }
      connection.isWritable()
      connection.isReadable()
    }
  }

  /// Goes on until `isDone`, or until `time`; returns whether it is done.
  @discardableResult
  func run(until time: UInt64, _ isDone: () -> Bool) -> Bool {
    while !isDone() {
      guard monotonicTime() < time else { return false }
      poll(until: time)
    }
    return true
  }
}

/// The bytes of one socket, both ways.
struct SocketBuffer {
  let descriptor: CInt
  private var outgoing: [UInt8] = []
  private(set) var isClosed = false

  init(_ descriptor: CInt) { self.descriptor = descriptor }

  var hasOutput: Bool { !outgoing.isEmpty }

  /// Writes now what the socket takes, and keeps the rest.
  mutating func send(_ bytes: [UInt8]) {
    outgoing += bytes
    flush()
  }

  mutating func flush() {
    guard !outgoing.isEmpty else { return }
    let count = outgoing.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    if count == outgoing.count {
      outgoing.removeAll(keepingCapacity: count <= 4_096)
    } else if count > 0 {
      outgoing.removeFirst(count)
    }
  }

  /// Appends what has arrived; marks the end of the connection.
  mutating func receive(into bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { space in
      while true {
        let count = recv(descriptor, space.baseAddress, space.count, 0)
        if count > 0 { bytes.append(contentsOf: space[..<count]) }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isClosed = true }
        if count < space.count { return }
      }
    }
  }
}
