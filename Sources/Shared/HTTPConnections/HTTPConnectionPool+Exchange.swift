public import NIOHTTP1

/// An answer whose body has been read.
public struct HTTPWholeAnswer: Sendable {
  public let status: HTTPResponseStatus
  public let headers: HTTPHeaders
  public let body: [UInt8]
}

extension HTTPConnectionPool {
  /// Sends a request, and reads the whole answer, within a time.
  ///
  /// - Parameter limit: octets that the answer's body may have.
  /// - Throws: ``HTTPConnectionError``, ``HTTPConnectionError/timedOut`` after the timeout.
  public func exchange(_ request: HTTPRequest, within time: Duration, upTo limit: Int) async throws -> HTTPWholeAnswer {
    try await HTTPConnections.within(time) {
      let answer = try await self.execute(request)
      return HTTPWholeAnswer(
        status: answer.status, headers: answer.headers, body: try await answer.body.collect(upTo: limit))
    }
  }
}

/// Cancels what takes longer than a time, and throws ``HTTPConnectionError/timedOut``.
func within<Value: Sendable>(
  _ time: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: time)
      throw HTTPConnectionError.timedOut
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw HTTPConnectionError.timedOut }
    return value
  }
}
