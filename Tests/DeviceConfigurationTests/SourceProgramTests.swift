import ConfigFile
import Testing

@testable import DeviceConfiguration

private let minimum = "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"https://hub.example\"\n"

private func read(_ text: String) throws(ConfigErrors) -> DeviceConfiguration {
  try DeviceConfiguration(text: minimum + text, file: "d.toml")
}

private func errors(_ text: String) -> String {
  do {
    _ = try read(text)
    return ""
  } catch {
    return error.description
  }
}

@Suite("Programs as camera and microphone") struct SourceProgramTests {
  @Test func eachOfThemIsRead() throws {
    let configuration = try read(
      """
      [video]
      camera = { exec = ["rpicam-vid", "-t", "0"], format = "yuv420p", width = 640, height = 480, frame_rate = 15 }
      [[camera]]
      name = "yard"
      path = { exec = ["/usr/bin/ffmpeg"], format = "mjpeg" }
      [audio]
      microphone = { exec = ["arecord"], format = "s16le", rate = 44100, channels = 2 }
      """)
    let camera = CameraProgram(
      command: ["rpicam-vid", "-t", "0"], format: .yuv420p, width: 640, height: 480, frameRate: 15)
    #expect(configuration.video.cameras == [.program(camera)])
    #expect(configuration.cameras[0].source == .program(CameraProgram(command: ["/usr/bin/ffmpeg"], format: .mjpeg)))
    #expect(
      configuration.audio.microphone
        == .program(MicrophoneProgram(command: ["arecord"], format: .s16le, rate: 44_100, channels: 2)))
  }

  @Test func aListMayHaveThemBesideOthers() throws {
    let cameras = try read(
      "[video]\ncamera = [\"/dev/video0\", { exec = [\"x\"], format = \"y4m\" }, \"test:bars\"]"
    ).video.cameras
    #expect(
      cameras == [
        .device(path: "/dev/video0"), .program(CameraProgram(command: ["x"], format: .y4m)), .testBars,
      ])
  }

  @Test func aMaskNamesThemByTheirProgram() throws {
    let text = """
      [video]
      camera = ["test:bars", { exec = ["/usr/bin/x", "1"], format = "y4m" }]
      [[privacy_mask]]
      zone = [[0.0, 0.0], [0.4, 0.0], [0.4, 0.3]]
      camera = "exec:x"
      """
    let program = CameraSource.program(CameraProgram(command: ["/usr/bin/x", "1"], format: .y4m))
    #expect(try read(text).privacyMasks.map(\.camera) == [.main(program)])
    // Which of two is meant cannot be said.
    let two = text.replacing("\"test:bars\"", with: "{ exec = [\"x\"], format = \"y4m\" }")
    #expect(errors(two).contains("\"exec:x\" is none of the cameras in [video]"))
  }

  @Test(arguments: [
    ("exec = [\"x\"]", "6:1: format is missing in [video.camera]; write for example format = \"y4m\""),
    (
      "format = \"y4m\"",
      "6:1: exec is missing in [video.camera]; write for example exec = [\"ffmpeg\", \"-i\", \"…\"], a program and its"
        + " arguments"
    ),
    ("exec = [\"x\"], format = \"h264\"", "6:35: format cannot be \"h264\"; it is one of y4m, yuv420p, nv12, mjpeg"),
    (
      "exec = [\"x\"], format = \"nv12\", width = 640",
      "6:1: height is missing in [video.camera]; write for example height = 480, as the program sends nv12, which does"
        + " not say it"
    ),
    ("exec = [\"x\"], format = \"y4m\", width = 641", "6:50: width must be even"),
    ("exec = [\"x\"], format = \"y4m\", frame_rate = 0", "6:55: frame_rate is 0, outside 1 to 60"),
    (
      "exec = [\"x\"], format = \"y4m\", with = 640",
      "6:42: unknown key \"with\" in [video.camera]; did you mean \"width\"?"
    ),
    (
      "exec = [\"bin/x\"], format = \"y4m\"",
      "6:19: exec must be the path or the name of a program and at most 63 arguments; write for example"
        + " exec = [\"/usr/bin/ffmpeg\", \"-i\", \"…\"]; there is no shell"
    ),
    (
      "exec = \"x -y\", format = \"y4m\"",
      "6:19: exec must be an array of strings, not a string; write for example exec = [\"…\"]"
    ),
  ])
  func mistakesAreNamed(keys: String, error: String) {
    #expect(errors("[video]\ncamera = { \(keys) }") == "d.toml:\(error)")
  }

  @Test func aMicrophoneSaysWhatItSends() {
    #expect(
      errors("[audio]\nmicrophone = { exec = [\"x\"], format = \"s16le\" }") == """
        d.toml:6:1: rate is missing in [audio.microphone]; write for example rate = 48000
        d.toml:6:1: channels is missing in [audio.microphone]; write for example channels = 1
        """)
  }
}
