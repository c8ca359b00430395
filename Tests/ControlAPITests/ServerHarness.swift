import ControlAPI
import ControlMessages
import Foundation
import Logging

/// Runs a server on a socket in a folder of its own, for the time of `body`.
///
/// `body` may block: it has a thread of its own.
func withServer(
  limits: ControlServerLimits = ControlServerLimits(), access: ControlAccess = .full,
  logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
  _ body: @escaping @Sendable (FakeDevice, String) throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let socket = try ControlSocket.bind(path: "\(folder)/control")
    try await withServer(on: socket, limits: limits, access: access, logger: logger, body)
  }
}

/// Runs a server on a given socket for the time of `body`.
func withServer(
  on socket: ControlSocket, limits: ControlServerLimits = ControlServerLimits(), access: ControlAccess = .full,
  logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
  _ body: @escaping @Sendable (FakeDevice, String) throws -> Void
) async throws {
  let device = FakeDevice()
  let server = ControlServer(
    socket: socket, control: device, info: ServiceInfo(version: "1.0"), access: access, limits: limits,
    logger: logger)
  let task = Task { try await server.run() }
  let result = await onThread { try body(device, socket.path) }
  task.cancel()
  try await task.value
  try result.get()
}

private func onThread(_ body: @escaping @Sendable () throws -> Void) async -> Result<Void, any Error> {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: Result { try body() }) }
  }
}

func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await body(folder)
}
