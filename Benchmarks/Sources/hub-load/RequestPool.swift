/// A request under way.
struct Request {
  enum Kind: String, CaseIterable { case login, update, nearby, place, answer, end, healthz }

  var kind: Kind
  /// Who asks, an index of the users.
  var user: Int
  var bytes: [UInt8]
  /// The call that it belongs to.
  var call: String?
  var sentAt: UInt64 = 0
}

/// Connections that carry one request each at a time, kept open; what finds none free waits in order.
final class RequestPool {
  var onAnswer: (Request, ResponseParser.Response) -> Void = { _, _ in }
  private(set) var pending = 0
  /// Connections that the hub closed, or that failed, with a request on them.
  private(set) var failures = 0
  private let reactor: Reactor
  private var free: [RequestConnection] = []
  private var waiting: [Request] = []
  private var firstWaiting = 0

  init(_ reactor: Reactor, to targets: [LoadOptions.Target], count: Int) throws(LoadFailure) {
    self.reactor = reactor
    for number in 0..<count {
      free.append(try RequestConnection(reactor, targets[number % targets.count], number, pool: self))
    }
  }

  func submit(_ request: Request) {
    pending += 1
    var request = request
    request.sentAt = monotonicTime()
    if let connection = free.popLast() { connection.send(request) } else { waiting.append(request) }
  }

  fileprivate func finish(_ connection: RequestConnection, _ request: Request, _ response: ResponseParser.Response) {
    pending -= 1
    if response.status == 0 { failures += 1 }
    if firstWaiting < waiting.count {
      connection.send(waiting[firstWaiting])
      firstWaiting += 1
      if firstWaiting > 4_096 {
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
      }
    } else {
      free.append(connection)
    }
    onAnswer(request, response)
  }
}

/// One connection of a ``RequestPool``.
private final class RequestConnection: Connection {
  private let reactor: Reactor
  private let target: LoadOptions.Target
  private let number: Int
  private unowned let pool: RequestPool
  private var socket: SocketBuffer
  private var parser = ResponseParser()
  private var request: Request?

  init(_ reactor: Reactor, _ target: LoadOptions.Target, _ number: Int, pool: RequestPool) throws(LoadFailure) {
    (self.reactor, self.target, self.number, self.pool) = (reactor, target, number, pool)
    socket = SocketBuffer(try openSocket(to: target, number: number))
    try reactor.add(socket.descriptor, self)
  }

  func send(_ request: Request) {
    self.request = request
    socket.send(request.bytes)
    if socket.hasOutput { reactor.watchOutput(of: socket.descriptor, true) }
  }

  func isWritable() {
    guard socket.hasOutput else { return }
    socket.flush()
    if !socket.hasOutput { reactor.watchOutput(of: socket.descriptor, false) }
  }

  func isReadable() {
    parser.append(&socket)
    if let response = parser.nextResponse() {
      if response.isLast || socket.isClosed { reopen() }
      finish(response)
    } else if socket.isClosed {
      reopen()
      finish(ResponseParser.Response(status: 0, body: [], isLast: true))
    }
  }

  private func finish(_ response: ResponseParser.Response) {
    guard let request else { return }
    self.request = nil
    pool.finish(self, request, response)
  }

  /// A hub that closes connections while it is measured makes the measurement void, so a failure here ends it.
  private func reopen() {
    reactor.remove(socket.descriptor)
    parser = ResponseParser()
    do {
      socket = SocketBuffer(try openSocket(to: target, number: number))
      try reactor.add(socket.descriptor, self)
    } catch {
      fail(error)
    }
  }
}
