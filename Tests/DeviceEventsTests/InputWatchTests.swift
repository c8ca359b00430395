import EventDetection
import ControlMessages
import DeviceConfiguration
import DeviceEvents
import DeviceActions
import Logging
import MediaCore
import MediaPipeline
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct InputWatchTests {
  private let steps = EventStepQueue()
  private let problems = SourceProblems(logger: Logger(label: "test")) { 1_000 }

  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

  private func level(_ isActive: Bool, _ seconds: Int64, _ origin: LevelOrigin = .edge) -> InputLevel {
    InputLevel(isActive: isActive, time: at(seconds), origin: origin)
  }

  private func watch(_ place: String) throws -> InputWatch {
    InputWatch([try source(0, place)], steps: steps, problems: problems)
  }

  private func taken() -> [String] {
    steps.takeAll().map { step in
      switch step.step {
      case .began: "began"
      case .peaked: "peaked"
      case .ended: "ended"
      }
    }
  }

  @Test func aDoorThatOpensAndCloses() throws {
    let watch = try watch("gpio = { chip = \"gpiochip0\", line = 17 }")
    watch.take(level(false, 0, .found), of: 0)
    watch.tick(now: at(1))
    #expect(taken().isEmpty)
    watch.take(level(true, 2), of: 0)
    #expect(taken() == ["began"])
    watch.take(level(false, 10), of: 0)
    for second in 11...14 { watch.tick(now: at(Int64(second))) }
    #expect(taken().isEmpty)
    watch.tick(now: at(15))
    #expect(taken() == ["ended"])
  }

  private func source(_ id: Int, _ place: String) throws -> InputWatch.Source {
    let events = try DeviceConfiguration(
      text: """
        [device]
        title = "Gate"
        [hub]
        url = "http://127.0.0.1:1"
        [[event]]
        name = "door"
        kind = "input"
        \(place)
        """, file: "device.toml"
    ).events
    let settings = try #require(events.sources.first)
    guard case .input(let place) = settings.watching else { throw NoInput() }
    return InputWatch.Source(id: id, name: settings.name, place: place, timing: settings.timing)
  }

  private struct NoInput: Error {}

  @Test func whatIsChangedEndsAndWhatStaysGoesOn() throws {
    let (door, other) = try (
      source(0, "gpio = { chip = \"gpiochip0\", line = 17 }"), source(1, "gpio = { chip = \"gpiochip0\", line = 18 }")
    )
    let watch = InputWatch([door, other], steps: steps, problems: problems)
    for id in [0, 1] { watch.take(level(true, 0, .found), of: id) }
    #expect(taken() == ["began", "began"])
    watch.apply([door])
    #expect(taken() == ["ended"])
    watch.take(level(true, 1), of: 1)
    watch.take(level(true, 1), of: 0)
    watch.tick(now: at(2))
    #expect(taken().isEmpty, "one goes on, and the other one is unknown")
    watch.apply([])
    #expect(taken() == ["ended"])
  }

  @Test func whatIsNotFollowedAnyMoreIsNoProblem() async throws {
    let missing = try source(0, "key = { device = \"/dev/input/none\", code = \"SW_LID\" }")
    let watch = InputWatch([], steps: steps, problems: problems)
    let work = Task { await watch.run() }
    watch.apply([missing])
    try await eventually { problems.problem != nil }
    watch.apply([])
    #expect(problems.problem == nil)
    let again = try source(1, "key = { device = \"/dev/input/nobody\", code = \"SW_LID\" }")
    watch.apply([again])
    try await eventually { problems.problem?.text.contains("nobody") == true }
    work.cancel()
    await work.value
  }

  @Test func aDoorThatWasOpenIsTold() throws {
    let watch = try watch("gpio = { chip = \"gpiochip0\", line = 17 }")
    watch.take(level(true, 0, .found), of: 0)
    #expect(taken() == ["began"])
  }

  @Test func aChipThatIsGoneClosesNoDoorForAMinute() throws {
    let watch = try watch("gpio = { chip = \"gpiochip0\", line = 17 }")
    watch.take(level(true, 0, .found), of: 0)
    _ = taken()
    for second in 10...40 { watch.take(level(false, Int64(second), .lost), of: 0) }
    watch.take(level(true, 41, .found), of: 0)
    #expect(taken().isEmpty)
    for second in 50...120 { watch.take(level(false, Int64(second), .lost), of: 0) }
    #expect(taken() == ["ended"])
  }

  @Test(
    "what is not there is shown, and named",
    arguments: [
      ("key = { device = \"/dev/input/none\", code = \"SW_LID\" }", "/dev/input/none cannot be opened"),
      ("gpio = { chip = \"/dev/gpiochip-none\", line = 1 }", "/dev/gpiochip-none"),
    ])
  func absence(place: String, text: String) async throws {
    let watch = try watch(place)
    let task = Task { await watch.run() }
    try await eventually { problems.problem != nil }
    task.cancel()
    await task.value
    let problem = try #require(problems.problem)
    #expect(problem.text.contains("\"door\""))
    #expect(problem.text.contains(text))
    #expect(taken().isEmpty)
  }
}
