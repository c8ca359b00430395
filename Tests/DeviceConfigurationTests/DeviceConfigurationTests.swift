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
    #expect(configuration.video.cameras == [.automatic])
    #expect(configuration.video.pixelFormat == nil)
    #expect(configuration.video.bitrate == .kilobits(800))
    #expect(configuration.video.temporalLayers == 1)
    #expect(configuration.audio.channels == 1)
    #expect(!configuration.audio.usesDiscontinuousTransmission)
    #expect(configuration.audio.speaker == .automatic)
    #expect(configuration.sounds.ringing == .tone)
    #expect(configuration.sounds.volume == 0 && configuration.sounds.quietHours.isEmpty)
    #expect(configuration.archive.record == .calls)
    #expect(configuration.archive.directory == "/var/lib/livesessions/archives")
    #expect(configuration.archive.minimumFree == 512 << 20)
    #expect(configuration.archive.maximumTotal == 0)
    #expect(configuration.archive.maximumAge == nil)
    #expect(configuration.archive.segment == nil)
    #expect(configuration.archive.preRoll == .zero)
    #expect(configuration.archive.longestManual == .seconds(3_600))
    #expect(configuration.archive.minimumBitrate == .kilobits(150))
    #expect(configuration.archive.callerMaximumBitrate == .kilobits(2_500))
    #expect(configuration.network.port == 0)
    #expect(configuration.network.addresses == nil)
    #expect(configuration.network.transportPolicy == .all)
    #expect(configuration.network.turnAuthorityFile == nil)
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
      camera = ["/dev/video2", "file:/srv/a clip.y4m#once", "file:/srv/b#1.y4m", "test:bars"]
      pixel_format = "Y16-BE"
      input = "S-Video"
      standard = "PAL"
      power_line_frequency = "50Hz"
      width = 1280
      height = 720
      frame_rate = 15
      bitrate = "1.5Mbit/s"
      temporal_layers = 3
      [audio]
      microphone = "plughw:1,0"
      speaker = "none"
      channels = 2
      bitrate = "24kbit/s"
      dtx = true
      echo_cancellation = "half-duplex"
      noise_reduction = 0
      speech_level = -20
      [sounds]
      ringing = "/srv/bell.wav"
      answered = "/srv/hello.wav"
      ended = "/srv/bye.opus"
      refused = "say: Nobody is in"
      voice = "en+f3"
      volume = -12
      quiet_hours = ["daily 22:00-07:00", "Sun 00:00-24:00"]
      [archive]
      record = "always"
      min_free = "1GiB"
      max_total = "20GB"
      max_age = "30d"
      segment = "15m"
      pre_roll = "10s"
      record_now_limit = "5m"
      min_bitrate = "300kbit/s"
      caller_max_bitrate = "4Mbit/s"
      [network]
      port = 5000
      addresses = ["127.0.0.1", "::1"]
      transport_policy = "relay"
      turn_ca_file = "/etc/livesessions/turn-ca.pem"
      [location]
      static = { latitude = 52.5, longitude = 13 }
      precision = "1km"
      [control]
      socket = "/tmp/control"
      monitor_socket = "/tmp/monitor"
      [log]
      level = "debug"
      """
    let configuration = try read(text)
    #expect(!configuration.hub.isLoopback)
    #expect(configuration.hub.enrolmentKeyFile == "/etc/livesessions/enrolment-key")
    #expect(
      configuration.video.cameras == [
        .device(path: "/dev/video2"), .file(path: "/srv/a clip.y4m", repeats: false),
        .file(path: "/srv/b#1.y4m", repeats: true), .testBars,
      ])
    #expect(configuration.video.pixelFormat == "Y16-BE")
    #expect(configuration.video.input == "S-Video" && configuration.video.standard == .pal)
    #expect(configuration.video.powerLineFrequency == .hertz50)
    #expect(configuration.video.temporalLayers == 3)
    #expect(configuration.video.width == 1_280)
    #expect(configuration.video.frameRate == 15)
    #expect(configuration.video.bitrate == .kilobits(1_500))
    #expect(configuration.audio.microphone == .device(name: "plughw:1,0"))
    #expect(configuration.audio.speaker == .none)
    #expect(configuration.audio.channels == 2)
    #expect(configuration.audio.usesDiscontinuousTransmission)
    #expect(configuration.audio.echoCancellation == .halfDuplex)
    #expect(configuration.audio.noiseReduction == 0)
    #expect(configuration.audio.speechLevel == -20)
    #expect(configuration.sounds.ringing == .announcement(.file(path: "/srv/bell.wav")))
    #expect(configuration.sounds.answered == .file(path: "/srv/hello.wav"))
    #expect(configuration.sounds.ended == .file(path: "/srv/bye.opus"))
    #expect(configuration.sounds.refused == .speech(try #require(.init("Nobody is in", voice: "en+f3"))))
    #expect(configuration.sounds.recording == nil && configuration.sounds.volume == -12)
    #expect(configuration.sounds.quietHours.map(\.text) == ["daily 22:00-07:00", "Sun 00:00-24:00"])
    #expect(configuration.archive.record == .always)
    #expect(configuration.archive.directory == "/srv/ls/archives")
    #expect(configuration.archive.minimumFree == 1_073_741_824)
    #expect(configuration.archive.maximumTotal == 20_000_000_000)
    #expect(configuration.archive.maximumAge == .seconds(30 * 86_400))
    #expect(configuration.archive.segment == .seconds(900))
    #expect(configuration.archive.preRoll == .seconds(10))
    #expect(configuration.archive.longestManual == .seconds(300))
    #expect(configuration.archive.minimumBitrate == .kilobits(300))
    #expect(configuration.archive.callerMaximumBitrate == .kilobits(4_000))
    #expect(
      configuration.network.addresses == [
        TransportAddress(ipv4: 0x7F00_0001, port: 5_000), TransportAddress(ipv6: 0, 1, port: 5_000),
      ])
    #expect(configuration.network.transportPolicy == .relay)
    #expect(configuration.network.turnAuthorityFile == "/etc/livesessions/turn-ca.pem")
    #expect(configuration.location.staticLocation == UserLocation(latitude: 52.5, longitude: 13))
    #expect(configuration.location.precision == 1_000)
    #expect(configuration.location.gpsd == nil)
    #expect(configuration.control.monitorSocket == "/tmp/monitor")
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
      segments = "15m"
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
      d.toml:6:10: camera cannot be "video0"; it is "auto", a path such as "/dev/video0", "file:/…", "test:bars", "test:street", "none" or a program, { exec = […], format = "y4m" }
      d.toml:7:9: width must be even
      d.toml:9:14: microphone cannot be "test:bars"; it is "auto", "file:/…", "test:tone", "none" or a name that `arecord -L` lists
      d.toml:10:1: unknown key "segment" in [audio]; known here: bitrate, channels, dtx, echo_cancellation, microphone, noise_reduction, speaker, speech_level
      d.toml:12:1: unknown key "segments" in [archive]; did you mean "segment"?
      d.toml:14:8: port is 70000, outside 0 to 65535
      d.toml:15:14: "localhost" is not a numeric IP address; write for example addresses = ["127.0.0.1"]
      d.toml:17:8: gpsd cannot be "127.0.0.1"; write for example gpsd = "127.0.0.1:2947"
      d.toml:18:1: longitude is missing in [location.static]; write for example longitude = 52.5163
      d.toml:18:23: latitude is 91.0, outside -90.0 to 90.0
      d.toml:19:2: unknown key "logging"; known here: action, archive, audio, button, calls, camera, control, device, event, event_rule, events, evidence, geofence, http, hub, location, log, mail, mqtt, network, overlay, plan, privacy_mask, publish, sounds, telemetry, upload, video
      """
    #expect(errors(text) == expected)
  }

  @Test("sounds that cannot be are named")
  func wrongSounds() {
    let text = """
      [device]
      title = "t"
      [hub]
      url = "https://hub.example"
      [sounds]
      ringing = "bell.wav"
      ended = "bye.wav"
      refused = "say: "
      voice = "-x"
      volume = 3
      quiet_hours = "at night"
      """
    let expected = """
      d.toml:6:11: ringing cannot be "bell.wav"; it is "tone", "none", the path of a sound file, beginning with /, or "say: " and text
      d.toml:7:9: ended cannot be "bye.wav"; it is the path of a sound file, beginning with /, or "say: " and text
      d.toml:8:11: there is nothing to say; write 1 to 1000 bytes of text on one line after say:
      d.toml:9:9: voice cannot be "-x"; espeak-ng --voices lists voices, such as en or de+f2
      d.toml:10:10: volume is 3, outside -60 to 0
      d.toml:11:15: "at night" is not understood; write for example "Mon-Fri 07:00-19:00 Europe/Berlin"
      """
    #expect(errors(text) == expected)
  }

  @Test("a latitude that is wrong accuses no longitude that is right")
  func wrongLatitude() {
    let text = """
      [device]
      title = "t"
      [hub]
      url = "https://hub.example"
      [location]
      static = { latitude = 91.0, longitude = 13.4 }
      """
    #expect(errors(text) == "d.toml:6:23: latitude is 91.0, outside -90.0 to 90.0")
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

  @Test(
    "what a source, a camera list or a limit cannot be is told with its place and a remedy",
    arguments: [
      (
        "[video]\ncamera = [\"/dev/video0\"]",
        "6:10: camera lists 1, outside 2 to 8; write a single one without brackets"
      ),
      (
        "[video]\ncamera = [\"/dev/video0\", \"auto\"]",
        "6:26: \"auto\" cannot be one of several cameras; name each by its path"
      ),
      ("[video]\ncamera = [\"/dev/video0\", \"/dev/video0\"]", "6:10: camera lists the same one twice"),
      (
        "[video]\ncamera = \"file:clip.y4m\"",
        "6:10: camera needs the absolute path of a file, not \"clip.y4m\"; write for example \"file:/srv/clip.y4m\""
      ),
      ("[video]\ncamera = 1", "6:10: camera must be a string, not an integer; write for example camera = \"…\""),
      (
        "[video]\npixel_format = \"YUYV2\"",
        "6:16: \"YUYV2\" is not a pixel format; write a FourCC such as \"YUYV\"; `livesessions devices` lists them"
      ),
      (
        "[video]\ncamera = \"test:bars\"\npixel_format = \"YUYV\"",
        "7:16: pixel_format has no effect without a camera device; remove it"
      ),
      (
        "[video]\ncamera = \"test:bars\"\ninput = \"0\"",
        "7:9: input has no effect without a camera device; remove it"
      ),
      ("[video]\nstandard = \"pal\"", "6:12: standard cannot be \"pal\"; it is one of PAL, NTSC, SECAM"),
      ("[video]\ntemporal_layers = 4", "6:19: temporal_layers is 4, outside 1 to 3"),
      (
        "[audio]\nmicrophone = \"file:/#once\"",
        "6:14: microphone needs the absolute path of a file, not \"/\"; write for example \"file:/srv/clip.wav\""
      ),
      ("[calls]\nmax_sessions = 0", "6:16: max_sessions is 0, outside 1 to 64"),
      ("[calls]\nmax_sessions = 65", "6:16: max_sessions is 65, outside 1 to 64"),
      ("[audio]\nchannels = 0", "6:12: channels is 0, outside 1 to 2"),
      (
        "[audio]\necho_cancellation = \"on\"",
        "6:21: echo_cancellation cannot be \"on\"; it is one of full-duplex, half-duplex, off"
      ),
      ("[audio]\nnoise_reduction = 40", "6:19: noise_reduction is 40, outside 0 to 30"),
      ("[audio]\nspeech_level = 0", "6:16: speech_level is 0, outside -40 to -6"),
      (
        "[archive]\nmax_total = \"9MiB\"",
        "6:13: max_total is less than 10 MiB; give archives more space, or leave it out for no limit"
      ),
      (
        "[network]\ntransport_policy = \"relays\"",
        "6:20: transport_policy cannot be \"relays\"; did you mean \"relay\"?"
      ),
      ("[network]\nturn_ca_file = \"ca.pem\"", "6:16: turn_ca_file must be an absolute path; begin it with /"),
      ("[archive]\nsegment = \"9s\"", "6:11: segment is 9s, outside 10 to 86400 seconds"),
      (
        "[archive]\nrecord_now_limit = \"9s\"", "6:20: record_now_limit is 9s, outside 10 to 86400 seconds"
      ),
      ("[archive]\npre_roll = \"61s\"", "6:12: pre_roll is 61s, outside 0 to 60 seconds"),
      (
        "[archive]\npre_roll = \"5s\"\n[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"",
        "6:12: pre_roll has nothing to keep: camera and microphone are \"none\"; remove it"
      ),
      (
        "[archive]\nrecord = \"always\"\n[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"",
        "6:10: record has nothing to record: camera and microphone are \"none\"; set record = \"calls\""
      ),
      (
        "[archive]\nmin_bitrate = \"900kbit/s\"",
        "6:15: min_bitrate is above the bitrate of [video]; lower it"
      ),
    ])
  func limits(section: String, error: String) {
    #expect(errors(minimum + section) == "d.toml:\(error)")
  }

  @Test("there may be sixteen calls unless it is said otherwise")
  func sessions() throws {
    #expect(try read(minimum).calls.maximumSessions == 16)
    #expect(try read(minimum + "[calls]\nmax_sessions = 64").calls.maximumSessions == 64)
  }

  @Test("figures are served on loopback or a socket, and nowhere unless it is said")
  func telemetry() throws {
    func place(_ text: String) throws -> LocalAddress? {
      try read(minimum + "[telemetry]\nprometheus = \"\(text)\"").telemetry.prometheus
    }
    #expect(try read(minimum).telemetry.prometheus == nil)
    #expect(try place("127.0.0.1:9151") == .loopback(ServiceEndpoint(host: "127.0.0.1", port: 9_151)))
    #expect(try place("localhost:9151") == .loopback(ServiceEndpoint(host: "127.0.0.1", port: 9_151)))
    #expect(try place("[::1]:9151") == .loopback(ServiceEndpoint(host: "::1", port: 9_151)))
    #expect(try place("/run/metrics") == .unix(path: "/run/metrics"))
    for text in ["0.0.0.0:9151", "[::]:9151", "192.0.2.1:9151", "127.evil.example:9151", "example.org:9151"] {
      let error = #expect(throws: ConfigErrors.self) { try place(text) }
      #expect(error.map { "\($0)".contains("would show the figures to other machines") } == true)
    }
    for text in ["9151", "127.0.0.1", "127.0.0.1:0", "metrics"] {
      #expect(throws: ConfigErrors.self) { try place(text) }
    }
  }

  @Test("the archive's lowest bit rate is no more than the picture's")
  func lowBitrate() throws {
    let configuration = try read(minimum + "[video]\nbitrate = \"100kbit/s\"")
    #expect(configuration.archive.minimumBitrate == .kilobits(100))
  }

  @Test("what the sample file shows in comments can be used as it stands")
  func sampleComments() throws {
    let sample = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../etc/livesessions/device.toml")
    var section = ""
    for line in try String(contentsOf: sample, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("[") { section = String(line) }
      // What is in a table that is a comment itself may need others of its keys.
      if line.hasPrefix("#[") { section = "" }
      guard !section.isEmpty, let setting = line.wholeMatch(of: /#([a-z_]+ = .+)/)?.1 else { continue }
      // The minimum has tables of its own for these two.
      let text =
        ["[device]", "[hub]"].contains(section)
        ? minimum.replacing(section, with: "\(section)\n\(setting)") : minimum + "\(section)\n\(setting)"
      #expect(throws: Never.self, "\(section) \(setting)") { try read(text) }
    }
  }

  @Test("the actions that the sample file shows can be used as they stand")
  func sampleActions() throws {
    let sample = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../etc/livesessions/device.toml")
    let lines = try String(contentsOf: sample, encoding: .utf8).split(separator: "\n")
    let shown = lines.drop { $0 != "#[[action]]" }.filter { !$0.hasPrefix("# ") }.map { $0.dropFirst() }
    let actions = try read(minimum + shown.joined(separator: "\n")).actions
    #expect(actions.map(\.name) == ["open-door", "light", "leave"])
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
