import EventDetection
import DeviceActions
import DeviceConfiguration
import SystemSupport
import Logging
import MediaCore
import Testing

@Suite("Buttons' devices that are not there", .timeLimit(.minutes(1)))
struct ButtonPanelTests {
  private func settings(_ place: String) throws -> [ButtonSettings] {
    try DeviceConfiguration(
      text: """
        [device]
        title = "Gate"
        [hub]
        url = "http://127.0.0.1:1"
        [[button]]
        name = "Bell"
        \(place)
        press = "answer"
        """, file: "device.toml"
    ).buttons
  }

  /// What is logged until a line holds `word`.
  private func warning(_ place: String, holding word: String) async throws {
    let (lines, sink) = AsyncStream.makeStream(of: String.self)
    let logger = Logger(label: "test") { _ in LineHandler(sink: sink) }
    let panel = ButtonPanel(try settings(place), logger: logger) { _ in Issue.record("nobody pressed") }
    let task = Task { await panel.run() }
    for await line in lines where line.contains(word) { break }
    task.cancel()
    await task.value
  }

  @Test func aKeyboardThatIsAbsentIsNamed() async throws {
    try await warning("key = { device = \"/dev/input/none\", code = 1 }", holding: "/dev/input/none cannot be opened")
  }

  @Test func aNameThatNoDeviceHasIsNamed() async throws {
    try await warning("key = { device = \"No such keys\", code = \"KEY_F1\" }", holding: "No such keys")
  }

  @Test func aFileThatIsNoInputDeviceIsNamed() async throws {
    try await warning("key = { device = \"/dev/null\", code = 1 }", holding: "it is no input device")
  }

  @Test func aChipThatIsAbsentIsNamed() async throws {
    try await warning("gpio = { chip = \"/dev/gpiochip-none\", line = 1 }", holding: "/dev/gpiochip-none")
  }
}

private struct LineHandler: LogHandler {
  let sink: AsyncStream<String>.Continuation
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { sink.yield("\(event.message)") }
}
