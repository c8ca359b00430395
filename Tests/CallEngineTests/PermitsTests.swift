import CallEngine
import CallPolicy
import DeviceConfiguration
import EngineControl
import Signalling
import Testing

@Suite("What a device says that it permits") struct PermitsTests {
  private func permits(_ device: String = "", policy: String) throws -> [String] {
    let head = "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"http://127.0.0.1:8080\"\n"
    let configuration = try DeviceConfiguration(text: head + device, file: "d.toml")
    let settings = configuration.engineSettings(policy: try PolicyFile.read(text: policy, file: "p.toml"))
    return settings.permits.map { permits in DevicePermission.allCases.filter { permits.contains($0) }.map(\.rawValue) }
      ?? []
  }

  private static let answers = "[[rule]]\nname = \"all\"\naction = \"answer\"\n"
  private static let silent = "publish = [\"video\"]\ntalk = false\n"

  @Test func policyAndConfigurationSayIt() throws {
    #expect(try permits(policy: "") == ["recordings"])
    #expect(try permits(policy: Self.answers) == ["call", "audio", "watch", "recordings"])
    #expect(try permits(policy: Self.answers + Self.silent) == ["call", "watch", "recordings"])
    #expect(try permits("snapshots = true\ntimeline = true\n", policy: "") == ["snapshot", "events", "recordings"])
    #expect(try permits(policy: "[recording]\nallowed = [\"user:u1\"]\n") == ["recordings", "record"])
    #expect(try permits(policy: "[recording]\nmanagers = [\"user:u1\"]\n") == ["recordings", "manage"])
    let dark = "[video]\ncamera = \"none\"\n"
    #expect(try permits("snapshots = true\n" + dark, policy: Self.answers) == ["call", "audio", "recordings"])
  }
}
