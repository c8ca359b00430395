public import MediaCore
public import NIOCore
public import NIOHTTP1

/// The head of an answer, and its body to be read.
public struct HTTPAnswer: Sendable {
  public let status: HTTPResponseStatus
  public let headers: HTTPHeaders
  public let body: Body

  /// The body, in the pieces in which it arrives; to be read by one task, once.
  ///
  /// Nothing is read ahead of the reader but the rest of one socket read. A body that is let go of before its end
  /// ends the connection.
  public struct Body: AsyncSequence, Sendable {
    let exchange: HTTPExchange

    public struct Iterator: AsyncIteratorProtocol {
      let exchange: HTTPExchange

      public mutating func next() async throws -> ByteBuffer? { try await exchange.nextPiece() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    /// The whole body.
    ///
    /// - Parameter time: after which it is given up, although octets come; checked with each piece.
    /// - Throws: ``HTTPConnectionError/answerTooLong`` as soon as there are more octets than `limit`.
    public func collect(upTo limit: Int, within time: Duration? = nil) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      let deadline = time.map { ContinuousClock.now + $0 }
      for try await piece in self {
        if let deadline, ContinuousClock.now > deadline {
          exchange.breakOff()
          throw HTTPConnectionError.timedOut
        }
        guard piece.readableBytes <= limit - bytes.count else {
          exchange.breakOff()
          throw HTTPConnectionError.answerTooLong
        }
        bytes += piece.readableBytesView
      }
      return bytes
    }
  }
}

extension HTTPAnswer {
  /// See ``NIOHTTP1/HTTPHeaders/retryAfter``.
  public var retryAfter: TimeSpan? { headers.retryAfter }
}

extension HTTPHeaders {
  /// What `Retry-After` says in seconds, at most a day; nil without one, or where it is a date, since the device's wall
  /// clock may be wrong.
  public var retryAfter: TimeSpan? {
    guard let text = first(name: "Retry-After"), text.utf8.count <= 9, let seconds = UInt32(text) else {
      return nil
    }
    return .seconds(Int64(Swift.min(seconds, 86_400)))
  }
}
