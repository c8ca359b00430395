/// What a test waited for did not come about.
public struct NeverHappened: Error, CustomStringConvertible {
  public let description: String
}

/// Waits until a condition holds, and lets other tasks run meanwhile.
///
/// Time limits of tests only cancel their tasks: a loop that ignores that would hang the run.
///
/// - Parameter what: what is waited for, in words.
/// - Throws: `NeverHappened` after `limit`, and what the condition throws.
public func eventually(
  _ what: String = "what the test waits for", within limit: Duration = .seconds(20),
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  // Most waits are for other tasks' work, which is done at once.
  for _ in 0..<100 {
    if try await condition() { return }
    await Task.yield()
  }
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw NeverHappened(description: "not in \(limit): \(what)") }
    try await Task.sleep(for: .milliseconds(2))
  }
}
