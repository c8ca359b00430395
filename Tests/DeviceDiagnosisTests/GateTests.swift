import ControlMessages
import DeviceConfiguration
import MediaCore
import MediaPlaneAPI
import SystemSupport
import Testing

@testable import DeviceDiagnosis

@Suite("The gate of updates")
struct GateTests {
  private static let bare = "[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\nspeaker = \"none\""

  private func running(isOnline: Bool = true, version: String = ProgramVersion.text) -> DaemonState {
    var running = status(isOnline: isOnline)
    running.version = version
    return .running(running, nil)
  }

  private func gate(_ daemon: DaemonState, _ settings: String = Self.bare) async throws -> DiagnosisReport {
    let subject = try subject(settings, daemon: daemon)
    return await onThread { Gate(limit: .milliseconds(1), makeSubject: { (subject, []) }).report() }
  }

  @Test("a device that does its job passes, in one line")
  func passes() async throws {
    let report = try await gate(running())
    #expect(report.isGood && report.gate?.passes == true)
    #expect(report.gate?.line == "passes: camera, audio, disk, calls, hub")
  }

  @Test("a hub that cannot be reached is no failure, and is named")
  func absentHub() async throws {
    let report = try await gate(running(isOnline: false))
    let gate = try #require(report.gate)
    #expect(gate.passes && report.isGood)
    #expect(gate.line.hasPrefix("passes: camera, audio, disk, calls, hub; no failure: hub: http://127.0.0.1:9: "))
  }

  @Test("without the daemon, or with one of another version, it fails and nothing else is tried")
  func daemon() async throws {
    let stopped = try await gate(.stopped)
    #expect(
      stopped.gate?.line == "fails: calls: the daemon is not running (journalctl -u livesessionsd says why)")
    #expect(!stopped.isGood && stopped.findings.count == 1)
    let silent = try await gate(.silent("the daemon does not answer"))
    #expect(silent.gate?.line == "fails: calls: the daemon does not answer")
    let old = try await gate(running(version: "0.1"))
    #expect(old.gate?.line.hasPrefix("fails: calls: the daemon is version 0.1, but ") == true)
  }

  @Test("a file with a mistake fails it")
  func mistakes() async throws {
    let report = await onThread {
      Gate(
        limit: .milliseconds(1),
        makeSubject: { (nil, [Finding(.configuration, .failure, "device.toml:1: unknown key", remedy: "remove it")]) }
      ).report()
    }
    #expect(report.gate?.line == "fails: calls: device.toml:1: unknown key (remove it)")
  }

  @Test("a camera whose frames do not come fails it, one that is muted does not")
  func camera() async throws {
    let settings = """
      [video]
      camera = "/dev/video0"
      [audio]
      microphone = "none"
      speaker = "none"
      [control]
      socket = "/nonexistent/control"
      """
    let report = try await gate(running(), settings)
    #expect(report.gate?.line.hasPrefix("fails: camera: the daemon is not running: nothing listens at") == true)
    var muted = status()
    muted.version = ProgramVersion.text
    muted.devices[0].isMuted = true
    #expect(try await gate(.running(muted, nil), settings).gate?.passes == true)
  }

  @Test("what fails is tried again until the limit")
  func again() async throws {
    let good = try subject(Self.bare, daemon: running())
    let bad = try subject(Self.bare, daemon: .stopped)
    let attempts = Mutex(0)
    let report = await onThread {
      Gate(
        limit: .seconds(30),
        makeSubject: {
          (
            attempts.withLock {
              $0 += 1; return $0
            } < 2 ? bad : good, []
          )
        }
      ).report()
    }
    #expect(report.gate?.passes == true && attempts.withLock { $0 } == 2)
  }
}
