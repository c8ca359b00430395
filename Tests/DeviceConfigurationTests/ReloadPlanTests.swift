import CallPolicy
import ConfigFile
import Foundation
import Testing

@testable import DeviceConfiguration

@Suite("What a reload puts in force")
struct ReloadPlanTests {
  private static let plan = "[[plan]]\nname = \"day\"\nwhen = \"always\"\n"

  private func plan(_ fresh: String, started: String) throws -> ReloadPlan {
    ReloadPlan(CallPolicy(rules: []), try GateFile.read(fresh), started: try GateFile.read(started))
  }

  @Test func whatNeedsARestartStaysAndIsNamed() throws {
    let started = "[video]\nwidth = 320\n[calls]\nmax_sessions = 2\n"
    let plan = try plan("[video]\nwidth = 640\n[calls]\nmax_sessions = 3\n", started: started)
    #expect(plan.configuration.video.width == 320)
    #expect(plan.configuration.calls.maximumSessions == 3)
    #expect(plan.notices == ["takes effect after a restart: [video] width"])
  }

  @Test func aPlanWhoseCameraIsNotThereIsLeftOut() throws {
    let none = "[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\n"
    let plan = try plan("[video]\ncamera = \"test:bars\"\n[audio]\nmicrophone = \"none\"\n" + Self.plan, started: none)
    #expect(plan.configuration.plans.isEmpty)
    #expect(plan.notices.contains { $0.hasPrefix("the plans \"day\" take effect after a restart") })
  }

  @Test func whatIsAsItWasIsNotTold() throws {
    let plan = try plan(Self.plan, started: Self.plan)
    #expect(plan.configuration.plans.map(\.name) == ["day"])
    #expect(plan.notices.isEmpty)
  }

  @Test func theMistakesOfBothFilesAreTold() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reload-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("dfault = \"reject\"\n".utf8).write(to: folder.appending(path: "policy.toml"))
    let device = folder.appending(path: "device.toml").path
    let error = #expect(throws: ReloadPlan.Refusal.self) {
      try ReloadPlan(
        policyPath: folder.appending(path: "policy.toml").path, configurationPath: device,
        started: try GateFile.read(""))
    }
    let lines = "\(error.map { "\($0)" } ?? "")".split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("policy.toml:1:") == true)
    #expect(lines.last?.hasPrefix(device) == true)
  }
}
