import ALSAAudio
import ArgumentParser
import DeviceConfiguration
import V4L2Capture

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "Lists cameras and sound cards, and what would be used of them.",
    discussion: """
      Inspects this machine without the daemon and disturbs no stream. The requested frame size and rate are those of \
      device.toml; without one they are 640x480 at 30 frames a second.
      """)

  @Option(help: ArgumentHelp("Request this frame size.", valueName: "WxH")) var size: FrameSize?
  @Option(help: "Request this frame rate.") var rate: Int?
  @Option(help: "Ask for this pixel format alone, for example YUYV.") var format: String?
  @OptionGroup var instance: InstanceOption
  @OptionGroup var file: ConfigurationOption
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if let rate, !(1...1_000).contains(rate) { throw ValidationError("a rate is between 1 and 1000") }
  }

  func run() throws {
    let report = DevicesReport(request)
    if json { return try Output.printJSON(report) }
    report.show()
  }

  private var request: CaptureRequest {
    // A file with mistakes is what `livesessions config check` is for.
    let video = try? DeviceConfiguration(path: file.path(instance.named)).video
    return CaptureRequest(
      width: size?.width ?? video?.width ?? 640, height: size?.height ?? video?.height ?? 480,
      frameRate: rate ?? video?.frameRate ?? 30, format: format)
  }
}

/// A size as `640x480`.
struct FrameSize: ExpressibleByArgument {
  var width: Int
  var height: Int

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      (1...16_384).contains(width), (1...16_384).contains(height)
    else { return nil }
    self.width = width
    self.height = height
  }
}
