import Logging
import ServiceLifecycle

/// Runs a server while `body` runs, and ends it in an orderly way.
///
/// - Parameters:
///   - makeServer: is handed what the server calls with its port as soon as it listens.
///   - body: is handed that port.
func withLiveServer<Value: Sendable>(
  _ makeServer: (@escaping @Sendable (Int) -> Void) -> any Service, _ body: @Sendable (Int) async throws -> Value
) async throws -> Value {
  let (ports, listening) = AsyncStream.makeStream(of: Int.self)
  let server = makeServer { listening.yield($0) }
  let services = ServiceGroup(services: [server], logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() })
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { listening.finish() }
      try await services.run()
    }
    guard let port = await ports.first(where: { _ in true }) else {
      try await group.waitForAll()
      throw FixtureError.noPort
    }
    let result: Result<Value, any Error>
    do { result = .success(try await body(port)) } catch { result = .failure(error) }
    await services.triggerGracefulShutdown()
    try await group.waitForAll()
    return try result.get()
  }
}
