import CallPolicy
import ConfigFile
import ControlMessages
import DeviceConfiguration
import Foundation
import MediaPlaneAPI

@testable import DeviceDiagnosis

/// A device without cameras and cards, whose daemon does not run, unless a test says otherwise.
func subject(
  _ settings: String = "", policy: String = "default = \"reject\"", daemon: DaemonState = .stopped,
  account: ServiceAccount = .current
) throws -> Subject {
  let text = """
    [device]
    title = "Gate"
    state_directory = "/nonexistent/livesessions"
    [hub]
    url = "http://127.0.0.1:9"
    \(settings)
    """
  return Subject(
    configuration: try DeviceConfiguration(text: text, file: "device.toml"),
    policy: try PolicyFile.read(text: policy, file: "policy.toml"), account: account, unit: ServiceUnit(folders: []),
    daemon: daemon, credentialStore: "/nonexistent")
}

func status(isOnline: Bool = true, problems: [ProblemStatus] = []) -> DeviceStatus {
  let camera = MediaDeviceStatus(target: .camera, name: "/dev/video0", state: "idle", isMuted: false)
  var status = DeviceStatus(
    version: "1.0", title: "Gate", userID: "d1", hubURL: "https://hub.example", isOnline: isOnline,
    clockSynchronized: false, startedAt: 1, sessions: [], devices: [camera])
  status.problems = problems
  return status
}

func figures(_ media: MediaTelemetry) -> DeviceTelemetry {
  DeviceTelemetry(
    calls: CallTelemetry(current: 0, maximum: 16, incoming: CallOutcomes(), outgoing: CallOutcomes()),
    hub: HubTelemetry(connectedTime: 0, reconnects: 0), media: media, system: SystemTelemetry(), failingParts: [])
}

func withFolder(_ body: (String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try body(folder)
}

func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await body(folder)
}

/// Checks block, and some of them wait for tasks.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
