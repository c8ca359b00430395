import ControlMessages
import EngineControl
import Foundation
import JournalLogging
import Logging
import SystemSupport
import TestServers
import TestSupport

@testable import DeviceService

/// A daemon with folders of its own, no devices, a hub that is not there, and a service manager that is the test.
final class ServiceBench: Sendable {
  let folder: String
  let log = RecordedLog()
  /// That of the service that was made last.
  private let level = Mutex<SharedLogLevel?>(nil)

  /// - Parameters:
  ///   - device: what stands behind the head of `device.toml`.
  ///   - policy: `policy.toml`.
  init(device: String = "", policy: String = "") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write(device: device, policy: policy)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var devicePath: String { "\(folder)/device.toml" }
  var policyPath: String { "\(folder)/policy.toml" }
  var logLevel: Logger.Level? { level.withLock { $0?.value } }

  /// How many lines stand before what a test adds.
  static let headLineCount = 12

  /// - Parameter camera: of `[video]`.
  func write(device: String? = nil, policy: String? = nil, camera: String = "none") throws {
    let head = """
      [device]
      title = "Gate"
      state_directory = "\(folder)/state"
      [hub]
      url = "http://127.0.0.1:1"
      [video]
      camera = "\(camera)"
      [audio]
      microphone = "none"
      speaker = "none"
      [control]
      socket = "\(folder)/control"

      """
    if let device { try Data((head + device).utf8).write(to: URL(filePath: devicePath)) }
    if let policy { try Data(policy.utf8).write(to: URL(filePath: policyPath)) }
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(name)") }

  func makeService() throws -> DeviceService {
    let options = DeviceService.Options(
      configurationPath: devicePath, policyPath: policyPath, environment: [:], version: "1")
    return try DeviceService(options) { level in
      self.level.withLock { $0 = level }
      return log.logger
    }
  }

  /// Runs a service, has the test use it, and stops it.
  ///
  /// - Parameter stops: so many requests to stop come at once.
  /// - Returns: how long the stop took.
  @discardableResult
  func run(
    _ service: DeviceService, stops: Int = 1, _ use: @Sendable (RunningService) async throws -> Void = { _ in }
  ) async throws -> Duration {
    let (requests, manager) = AsyncStream.makeStream(of: ServiceRequest.self)
    let (starts, started) = AsyncStream.makeStream(of: RunningService.self)
    let running = Task {
      defer { started.finish() }
      try await service.run(until: { requests }) { parts in
        started.yield(RunningService(control: parts.control, requests: manager))
      }
    }
    var failure: (any Error)?
    for await device in starts {
      do { try await use(device) } catch { failure = error }
      break
    }
    let begin = ContinuousClock.now
    for _ in 0..<stops { manager.yield(.stop) }
    try await running.value
    if let failure { throw failure }
    return ContinuousClock.now - begin
  }

  /// The threads of the daemon that there are now, by name. Those of NIO and Swift are the process's own.
  static var threads: [String] {
    let own = ["ls-", "media-", "archive", "pre-roll", "device-probe"]
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.compactMap { thread in
      let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
      return name.flatMap { name in own.contains { name.hasPrefix($0) } ? String(name.dropLast()) : nil }
    }
  }
}

/// A service that has started.
struct RunningService: Sendable {
  let control: EngineControl
  let requests: AsyncStream<ServiceRequest>.Continuation
}
