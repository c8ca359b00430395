import CallPolicy
import ConfigFile
import DeviceConfiguration
import Foundation
import MediaCore
import Signalling
import Testing

@Suite("device.toml")
struct DeviceConfigurationTests {
  private let minimum = "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"http://127.0.0.1:8080\"\n"

  private func read(_ text: String) throws -> DeviceConfiguration {
    try DeviceConfiguration(text: text, file: "d.toml")
  }

  private func errors(_ text: String) -> String? {
    let errors = #expect(throws: ConfigErrors.self) { try read(text) }
    return errors?.description
  }

  @Test("title and hub are enough; everything else has a default")
  func defaults() throws {
    let configuration = try read(minimum)
    #expect(configuration.identity.title == "Gate")
    #expect(configuration.hub.url == "http://127.0.0.1:8080")
    #expect(configuration.hub.isLoopback)
    #expect(configuration.video.camera == .automatic)
    #expect(configuration.video.bitrate == .kilobits(800))
    #expect(configuration.audio.speaker == .automatic)
    #expect(configuration.archive.directory == "/var/lib/livesessions/archives")
    #expect(configuration.network.port == 0)
    #expect(configuration.network.addresses == nil)
    #expect(configuration.location.gpsd == ServiceEndpoint(host: "127.0.0.1", port: 2_947))
    #expect(configuration.control.socket == "/run/livesessions/control")
    #expect(configuration.log.level == .info)
  }

  @Test("every key is read as written")
  func everyKey() throws {
    let text = """
      [device]
      title = "Gate"
      state_directory = "/srv/ls"
      [hub]
      url = "http://10.0.0.1:8080/base"
      allow_plain_http = true
      enrolment_key_file = "/etc/livesessions/enrolment-key"
      [video]
      camera = "test:bars"
      width = 1280
      height = 720
      frame_rate = 15
      bitrate = "1.5Mbit/s"
      [audio]
      microphone = "plughw:1,0"
      speaker = "none"
      bitrate = "24kbit/s"
      [archive]
      min_free = "1GiB"
      [network]
      port = 5000
      addresses = ["127.0.0.1", "::1"]
      [location]
      static = { latitude = 52.5, longitude = 13 }
      precision = "1km"
      [control]
      socket = "/tmp/control"
      [log]
      level = "debug"
      """
    let configuration = try read(text)
    #expect(!configuration.hub.isLoopback)
    #expect(configuration.hub.enrolmentKeyFile == "/etc/livesessions/enrolment-key")
    #expect(configuration.video.camera == .testBars)
    #expect(configuration.video.width == 1_280)
    #expect(configuration.video.frameRate == 15)
    #expect(configuration.video.bitrate == .kilobits(1_500))
    #expect(configuration.audio.microphone == .device(name: "plughw:1,0"))
    #expect(configuration.audio.speaker == .none)
    #expect(configuration.archive.directory == "/srv/ls/archives")
    #expect(configuration.archive.minimumFree == 1_073_741_824)
    #expect(
      configuration.network.addresses == [
        TransportAddress(ipv4: 0x7F00_0001, port: 5_000), TransportAddress(ipv6: 0, 1, port: 5_000),
      ])
    #expect(configuration.location.staticLocation == UserLocation(latitude: 52.5, longitude: 13))
    #expect(configuration.location.precision == 1_000)
    #expect(configuration.location.gpsd == nil)
    #expect(configuration.log.level == .debug)
  }

  @Test("all mistakes of a file are found at once")
  func golden() {
    let text = """
      [device]
      state_directory = "state"
      [hub]
      url = "http://hub.example"
      [video]
      camera = "video0"
      width = 641
      [audio]
      microphone = "test:bars"
      segment = "15m"
      [archive]
      segment = "15m"
      [network]
      port = 70000
      addresses = ["localhost"]
      [location]
      gpsd = "127.0.0.1"
      static = { latitude = 91.0 }
      [logging]
      level = "info"
      """
    let expected = """
      d.toml:1:2: title is missing in [device]; write for example title = "Front gate"
      d.toml:2:19: state_directory must be an absolute path; begin it with /
      d.toml:4:7: plain http to another machine shows the device's tokens to the network; use https, or set allow_plain_http = true on a network that you trust
      d.toml:6:10: camera cannot be "video0"; it is "auto", a path such as "/dev/video0", "test:bars" or "none"
      d.toml:7:9: width must be even
      d.toml:9:14: microphone cannot be "test:bars"; it is "auto", "test:tone", "none" or a name that `arecord -L` lists
      d.toml:10:1: unknown key "segment" in [audio]; known here: bitrate, microphone, speaker
      d.toml:12:1: unknown key "segment" in [archive]; known here: directory, min_free
      d.toml:14:8: port is 70000, outside 0 to 65535
      d.toml:15:14: "localhost" is not a numeric IP address; write for example addresses = ["127.0.0.1"]
      d.toml:17:8: gpsd cannot be "127.0.0.1"; write for example gpsd = "127.0.0.1:2947"
      d.toml:18:1: longitude is missing in [location.static]; write for example longitude = 52.5163
      d.toml:18:23: latitude is 91.0, outside -90.0 to 90.0
      d.toml:19:2: unknown key "logging"; known here: archive, audio, control, device, hub, location, log, network, video
      """
    #expect(errors(text) == expected)
  }

  @Test(
    "only a hub on this machine may be reached without encryption",
    arguments: [
      ("http://127.0.0.1:8080", true), ("http://localhost", true), ("http://[::1]:8080", true),
      ("https://hub.example/base", true), ("http://127.0.0.1.example", false), ("http://localhost.example", false),
      ("http://192.168.1.2", false), ("http://[fe80::1]", false), ("ftp://127.0.0.1", false), ("https://", false),
      ("https://user@hub", false), ("hub.example", false),
    ])
  func hubURL(url: String, isGood: Bool) {
    let text = "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"\(url)\"\n"
    #expect(((try? read(text)) != nil) == isGood)
  }

  @Test("the enrolment key comes from its file, else from systemd's credentials, else there is none")
  func enrolmentKey() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let hub = try read(minimum).hub
    #expect(try hub.enrolmentKey(credentialsDirectory: nil) == nil)
    #expect(try hub.enrolmentKey(credentialsDirectory: folder.path) == nil)
    let credential = folder.appending(path: HubSettings.credentialName)
    try Data("k1\n".utf8).write(to: credential)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: credential.path)
    #expect(try hub.enrolmentKey(credentialsDirectory: folder.path) == "k1")
    var explicit = hub
    explicit.enrolmentKeyFile = folder.appending(path: "absent").path
    #expect(throws: ConfigErrors.self) { try explicit.enrolmentKey(credentialsDirectory: folder.path) }
  }

  @Test("the sample files that the packages install are correct")
  func samples() throws {
    let samples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../etc/livesessions")
    let device = try DeviceConfiguration(path: samples.appending(path: "device.toml").path)
    #expect(device.network.addresses?.map(\.host) == ["127.0.0.1"])
    let policy = try PolicyFile.read(path: samples.appending(path: "policy.toml").path)
    #expect(!policy.rules.isEmpty)
  }
}
