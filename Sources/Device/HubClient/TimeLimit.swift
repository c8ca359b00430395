/// Runs an operation, cancels it when the time is over, and throws ``HubClientError/timedOut`` then.
///
/// The operation has to honour cancellation: this waits until it has ended.
func withTimeLimit<Result: Sendable>(
  _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    guard let first = try await group.next(), let result = first else { throw HubClientError.timedOut }
    return result
  }
}
