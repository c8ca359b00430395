/// Runs an operation, cancels it when the time is over, and throws ``HubClientError/timedOut`` then.
///
/// The operation has to honour cancellation: this waits until it has ended.
func withTimeLimit<Result: Sendable>(
  _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      // In slices, since Swift keeps the timer of a cancelled sleep until it would have ended.
      let end = ContinuousClock.now + limit
      while ContinuousClock.now < end {
        try await Task.sleep(until: min(end, .now + .seconds(60)), clock: .continuous)
      }
      return nil
    }
    defer { group.cancelAll() }
    guard let first = try await group.next(), let result = first else { throw HubClientError.timedOut }
    return result
  }
}
