import SystemSupport
import Testing

@Suite("Instances of the daemon")
struct DeviceInstanceTests {
  @Test("a name leads to folders, socket, unit and credentials of its own")
  func named() throws {
    let yard = try #require(DeviceInstance(name: "yard-2"))
    #expect(yard.configurationPath == "/etc/livesessions/yard-2/device.toml")
    #expect(yard.policyPath == "/etc/livesessions/yard-2/policy.toml")
    #expect(yard.stateDirectory == "/var/lib/livesessions@yard-2")
    #expect(yard.socket == "/run/livesessions@yard-2/control")
    #expect(yard.unit == "livesessionsd@yard-2")
    #expect(yard.option == " --instance yard-2")
    #expect(yard.credentialFile("enrolment-key") == "livesessions@yard-2.enrolment-key")
  }

  @Test("without a name all is as the packages set it up")
  func unnamed() {
    let instance = DeviceInstance.unnamed
    #expect(instance.configurationPath == "/etc/livesessions/device.toml")
    #expect(instance.policyPath == "/etc/livesessions/policy.toml")
    #expect(instance.stateDirectory == "/var/lib/livesessions")
    #expect(instance.socket == "/run/livesessions/control")
    #expect(instance.unit == "livesessionsd" && instance.option.isEmpty)
    #expect(instance.credentialFile("enrolment-key") == "livesessions.enrolment-key")
  }

  @Test(
    "a name leads out of no folder, and systemd escapes none",
    arguments: ["", ".", "..", "a/b", "Yard", "a b", "-a", "_a", "a@b", "a%b", "ä", String(repeating: "a", count: 33)])
  func names(_ text: String) {
    #expect(DeviceInstance(name: text) == nil)
  }

  @Test(
    "a configuration belongs to the instance whose folder it is in",
    arguments: [
      ("/etc/livesessions/yard/device.toml", "yard"), ("/etc/livesessions/device.toml", nil),
      ("/etc/livesessions/yard/policy.toml", "yard"), ("/etc/livesessions/yard/more/device.toml", nil),
      ("/srv/livesessions/yard/device.toml", nil), ("etc/livesessions/yard/device.toml", nil),
      ("/etc/livesessions/../device.toml", nil), ("device.toml", nil), ("", nil),
    ] as [(String, String?)])
  func configuration(_ path: String, _ name: String?) {
    #expect(DeviceInstance(configurationPath: path).name == name)
  }

  @Test(
    "a socket is that of the instance in whose folder it is",
    arguments: [
      ("/run/livesessions@yard/control", "yard"), ("/run/livesessions/control", nil), ("/tmp/a@yard/control", nil),
      ("/run/livesessions@yard/other", nil), ("/run/livesessions@", nil),
    ] as [(String, String?)])
  func socket(_ path: String, _ name: String?) {
    #expect(DeviceInstance(socket: path).name == name)
  }
}
