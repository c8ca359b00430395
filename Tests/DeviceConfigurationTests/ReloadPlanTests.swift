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

  private static func programs(_ camera: String, _ yard: String, _ microphone: String) -> String {
    """
    [video]
    camera = { exec = ["\(camera)"], format = "y4m" }
    [[camera]]
    name = "yard"
    path = { exec = ["\(yard)"], format = "y4m" }
    [audio]
    microphone = { exec = ["\(microphone)"], format = "s16le", rate = 48000, channels = 1 }

    """
  }

  @Test func otherProgramsAreTakenWithoutARestart() throws {
    let (started, fresh) = (Self.programs("a", "b", "c"), Self.programs("x", "y", "z"))
    let plan = try plan(fresh, started: started)
    let wanted = try GateFile.read(fresh)
    #expect(plan.configuration.video.cameras == wanted.video.cameras)
    #expect(plan.configuration.cameras == wanted.cameras)
    #expect(plan.configuration.audio.microphone == wanted.audio.microphone)
    #expect(plan.notices.isEmpty)
  }

  @Test func aProgramInPlaceOfACameraTakesARestart() throws {
    let plan = try plan(Self.programs("a", "b", "c"), started: "")
    #expect(plan.configuration.video.cameras == [.automatic])
    #expect(plan.notices == ["takes effect after a restart: [video] camera, [[camera]], [audio] microphone"])
  }

  /// Or frames might be shown with less covered than was meant.
  @Test func aProgramThatAMaskNamesTakesARestart() throws {
    func file(_ program: String) -> String {
      """
      [video]
      camera = ["test:bars", { exec = ["\(program)"], format = "y4m" }]
      [[privacy_mask]]
      zone = [[0.0, 0.0], [0.4, 0.0], [0.4, 0.3]]
      camera = "exec:\(program)"

      """
    }
    let plan = try plan(file("b"), started: file("a"))
    #expect(try plan.configuration.video.cameras == GateFile.read(file("a")).video.cameras)
    #expect(plan.notices == ["takes effect after a restart: [video] camera, [[privacy_mask]]"])
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
