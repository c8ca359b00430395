import Foundation
import HubBackplaneConformance
import HubCore
import Logging
import RedisWire
import Testing

@testable import HubBackplaneRedis

/// A redis-server of the test's own, in a folder of its own.
private final class TemporaryRedis {
  let socket: String
  private let folder: URL
  private let process = Process()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("redis-\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    socket = folder.appendingPathComponent("socket").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
    process.arguments = [
      "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", folder.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }
}

struct RedisBackplaneTests {
  @Test(.timeLimit(.minutes(2))) func conforms() async throws {
    let redis = try TemporaryRedis()
    let settings = RedisSettings(place: .server(.unix(path: redis.socket)))
    let nodes = ["a", "b", "c"].map { name in
      RedisBackplane(
        settings, node: name, address: "\(name):1", limits: BackplaneFleet.limits,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { _ in }
    }
    let fleet = BackplaneFleet(nodes)
    do {
      try await fleet.waitUntilReady()
      try await HubBackplaneConformance(fleet).run()
    } catch {
      Issue.record(error)
    }
    await fleet.stop()
  }
}
