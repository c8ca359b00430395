import ControlMessages
import DeviceConfiguration
import Foundation
import SystemSupport
import Testing

@testable import DeviceDiagnosis

@Suite("Several daemons on a machine")
struct InstanceCheckTests {
  private func findings(_ own: String, _ other: String) throws -> [Finding] {
    var subject = try subject(own)
    subject.instance = .unnamed
    let file = "/etc/livesessions/yard/device.toml"
    let text = "[device]\ntitle = \"Yard\"\n[hub]\nurl = \"http://127.0.0.1:9\"\n\(other)"
    let configuration = try DeviceConfiguration(text: text, file: file)
    return InstanceCheck(subject: subject, others: [(DeviceInstance(configurationPath: file), configuration)])
      .findings()
  }

  @Test("what each has for itself is no finding")
  func apart() throws {
    let own = "[video]\ncamera = \"/dev/null\"\n[audio]\nmicrophone = \"none\"\n[network]\nport = 40000"
    let other = "[video]\ncamera = \"/dev/zero\"\n[audio]\nmicrophone = \"none\"\n[network]\nport = 40001"
    #expect(try findings(own, other).isEmpty)
  }

  @Test("a camera, a microphone, a port and an address that two want are reported, with what to change")
  func shared() throws {
    let both = """
      [video]
      camera = "/dev/null"
      [network]
      port = 40000
      [telemetry]
      prometheus = "127.0.0.1:9151"
      """
    let found = try findings(both, both)
    #expect(found.map(\.part) == [.camera, .microphone, .network, .daemon])
    #expect(found.map(\.verdict) == [.warning, .warning, .failure, .failure])
    #expect(found[0].text == "/dev/null belongs to livesessionsd@yard, too")
    #expect(found[1].text == "the first microphone belongs to livesessionsd@yard, too")
    #expect(found[2].remedy == "change port of [network]")
  }

  @Test("a folder that two write is reported")
  func folders() throws {
    let found = try findings(
      "[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\n[archive]\ndirectory = \"/srv/archives\"",
      "[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\n[archive]\ndirectory = \"/srv/archives\"")
    #expect(found.map(\.part) == [.state] && found[0].text.hasPrefix("/srv/archives"))
  }

  @Test("the unit of an instance has the template's lines, and drop-ins of both")
  func unit() throws {
    try withFolder { folder in
      for (name, text) in [
        ("livesessionsd@.service", "[Service]\nSupplementaryGroups=video\nDevicePolicy=closed\n"),
        ("livesessionsd@.service.d/a.conf", "[Service]\nDeviceAllow=char-alsa rw\n"),
        ("livesessionsd@yard.service.d/b.conf", "[Service]\nSupplementaryGroups=input\n"),
        ("livesessionsd.service.d/c.conf", "[Service]\nSupplementaryGroups=gpio\n"),
      ] {
        let path = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
          at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: path, atomically: true, encoding: .utf8)
      }
      let yard = try #require(DeviceInstance(name: "yard"))
      let unit = ServiceUnit(of: yard, folders: [folder])
      #expect(unit.isInstalled && unit.supplementaryGroups == ["video", "input"] && unit.devices == ["char-alsa"])
      #expect(!ServiceUnit(folders: [folder]).isInstalled)
    }
  }

  @Test("defaults of an instance's configuration are its own")
  func defaults() throws {
    let text = "[device]\ntitle = \"Yard\"\n[hub]\nurl = \"http://127.0.0.1:9\""
    let yard = try DeviceConfiguration(text: text, file: "/etc/livesessions/yard/device.toml")
    #expect(yard.identity.stateDirectory == "/var/lib/livesessions@yard")
    #expect(yard.archive.directory == "/var/lib/livesessions@yard/archives")
    #expect(yard.control.socket == "/run/livesessions@yard/control")
    let one = try DeviceConfiguration(text: text + "\n[control]\nsocket = \"/run/one\"", file: "device.toml")
    #expect(one.identity.stateDirectory == "/var/lib/livesessions" && one.control.socket == "/run/one")
  }
}
