import ControlMessages
import EngineControl
import Logging
import TestServers
import TestSupport
import Testing

@testable import DeviceService

extension DeviceServiceTests {
  @Suite("Reload") struct Reload {
    private static let lamp = "[[action]]\nname = \"lamp\"\nrun = [\"/bin/true\"]\n"
    private static let calls = "[calls]\nmax_sessions = 3\n[log]\nlevel = \"error\"\n"
    private static let refusing = "default = \"reject\"\n"
    private static let allowing = refusing + "[[action_rule]]\naction = [\"lamp\"]\ncaller = [\"local\"]\n"

    /// Files of which one is right, and where the other is not.
    private static let mistakes = [
      (lamp + calls + "[mail]\nsendmial = \"/bin/true\"\n", allowing, "device.toml:21:"),
      (lamp + calls, allowing + "pin = 7\n", "policy.toml:5:"),
    ]

    private let bench: ServiceBench

    init() throws { bench = try ServiceBench(device: Self.lamp, policy: Self.refusing) }

    /// What of the files is in force.
    private struct InForce: Equatable {
      var maximumSessions: Int?
      var allowsLamp: Bool?
      var isLoggedFromErrors: Bool
      var plans: [String]?
    }

    private func inForce(_ control: EngineControl) async throws -> InForce {
      let status = try await control.status()
      return InForce(
        maximumSessions: status.maximumSessions, allowsLamp: try await control.actions().first?.isAllowed,
        isLoggedFromErrors: bench.logLevel == .error, plans: status.plans?.map(\.name))
    }

    @Test func policyAndConfigurationChangeTogether() async throws {
      try await bench.run(try bench.makeService()) { device in
        let before = try await inForce(device.control)
        #expect(before.allowsLamp == false)
        try bench.write(device: Self.lamp + Self.calls, policy: Self.allowing)
        try await device.control.reload()
        let after = try await inForce(device.control)
        #expect(
          after == InForce(maximumSessions: 3, allowsLamp: true, isLoggedFromErrors: true, plans: before.plans))
      }
    }

    @Test("A mistake in one file leaves what both said before", arguments: mistakes)
    func aMistakeInOneFileChangesNothing(_ device: String, _ policy: String, _ place: String) async throws {
      try await bench.run(try bench.makeService()) { running in
        let before = try await inForce(running.control)
        try bench.write(device: device, policy: policy)
        let error = await #expect(throws: DeviceControlError.self) { try await running.control.reload() }
        #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
        #expect(try await inForce(running.control) == before)
        // Nothing of it comes with the next one that is right.
        try bench.write(device: Self.lamp, policy: Self.refusing)
        try await running.control.reload()
        #expect(try await inForce(running.control) == before)
      }
    }

    @Test func theMistakesOfBothFilesAreNamed() async throws {
      try await bench.run(try bench.makeService()) { device in
        let before = try await inForce(device.control)
        try bench.write(device: Self.calls + "width = 1\n", policy: "defualt = \"answer\"\n")
        let error = await #expect(throws: DeviceControlError.self) { try await device.control.reload() }
        let lines = (error?.description ?? "").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("policy.toml:1:") == true)
        #expect(lines.last?.contains("device.toml:17:") == true)
        #expect(try await inForce(device.control) == before)
      }
    }

    @Test func whatHasNoCameraYetIsLeftOutAndNamed() async throws {
      try await bench.run(try bench.makeService()) { device in
        let before = try await inForce(device.control)
        let plan = "[[plan]]\nname = \"yard\"\nwhen = \"always\"\n"
        try bench.write(device: Self.lamp + Self.calls + plan, policy: Self.allowing, camera: "test:bars")
        try await device.control.reload()
        let after = try await inForce(device.control)
        #expect(after.plans == before.plans)
        #expect(after.maximumSessions == 3)
        #expect(bench.log.lines.contains { $0.contains("takes effect after a restart: [video] camera") })
        #expect(bench.log.lines.contains { $0.contains("the plans \"yard\" take effect after a restart") })
      }
    }

    /// The service manager's request, which nobody answers: the journal says what became of it.
    @Test func theJournalSaysWhatBecameOfARequest() async throws {
      try await bench.run(try bench.makeService()) { device in
        try bench.write(device: Self.lamp + Self.calls)
        device.requests.yield(.reload)
        try await eventually { bench.log.lines.contains("policy and configuration were reloaded") }
        try bench.write(policy: "[[rule]]\n")
        device.requests.yield(.reload)
        try await eventually { bench.log.lines.contains("the old policy and configuration stay in force") }
        try await eventually { bench.log.lines.contains { $0.contains("policy.toml:1:") } }
      }
    }
  }
}
