import SystemSupport
import NIOCore
import NIOHTTP1

/// One request and its answer on one connection, which goes back to the pool at the end, or is closed.
final class HTTPExchange: Sendable {
  private struct State {
    var isOver = false
    /// Whether the connection can carry another exchange after this one.
    var isReusable = true
  }

  private let connection: HTTPConnection
  private let pool: HTTPConnectionPool
  private let state = Mutex(State())

  init(_ connection: HTTPConnection, pool: HTTPConnectionPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit { breakOff() }

  /// Sends the request and waits for the answer's head.
  func begin(_ head: HTTPRequestHead, _ body: HTTPRequest.Body) async throws -> HTTPAnswer {
    do {
      try await send(head, body)
      guard case .head(let answer) = try await connection.nextPart() else { throw HTTPConnectionError.unexpectedAnswer }
      if !answer.isKeepAlive { forbidReuse() }
      return HTTPAnswer(status: answer.status, headers: answer.headers, body: HTTPAnswer.Body(exchange: self))
    } catch {
      breakOff()
      throw error
    }
  }

  /// The answer's next piece; `nil` at its end.
  func nextPiece() async throws -> ByteBuffer? {
    if state.withLock({ $0.isOver }) { return nil }
    do {
      switch try await connection.nextPart() {
      case .body(let buffer): return buffer
      case .end:
        end(isWhole: true)
        return nil
      case .head: throw HTTPConnectionError.unexpectedAnswer
      }
    } catch {
      breakOff()
      throw error
    }
  }

  /// Ends the exchange and its connection, unless it is over.
  func breakOff() { end(isWhole: false) }

  private func forbidReuse() { state.withLock { $0.isReusable = false } }

  private func end(isWhole: Bool) {
    let end = state.withLock { state -> (isFirst: Bool, isReusable: Bool) in
      defer { state.isOver = true }
      return (!state.isOver, state.isReusable && isWhole)
    }
    guard end.isFirst else { return }
    pool.takeBack(connection, isReusable: end.isReusable)
  }

  private func send(_ head: HTTPRequestHead, _ body: HTTPRequest.Body) async throws {
    switch body {
    case .none: try await write([.head(head), .end(nil)])
    case .bytes(let bytes):
      try await write([.head(head), .body(.byteBuffer(ByteBuffer(bytes: bytes))), .end(nil)])
    case .chunks(let chunks, _):
      try await write([.head(head)])
      for try await chunk in chunks {
        guard try await write([.body(.byteBuffer(chunk))]) else { return }
      }
      try await write([.end(nil)])
    }
  }

  /// Returns false if the server has answered before it has seen the whole request (RFC 9112 §9.3): the rest is not sent.
  @discardableResult
  private func write(_ parts: [HTTPClientRequestPart]) async throws -> Bool {
    let isTaken = try await connection.write(parts)
    if !isTaken { forbidReuse() }
    return isTaken
  }
}
