import ControlMessages
import DeviceEvents
import EventDetection
import Foundation
import Logging
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import HostSystem
import Testing

/// Over files of its own, with the time of its own.
@Suite struct HardwareWatchTests {
  private let root = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
  private let steps = EventStepQueue()
  private let problems = SourceProblems(logger: Logger(label: "test")) { 1_000 }

  private func write(_ temperature: String?) throws {
    let folder = "\(root)/class/thermal/thermal_zone0"
    guard let temperature else { return try FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try temperature.write(toFile: "\(folder)/temp", atomically: false, encoding: .utf8)
    try "cpu-thermal".write(toFile: "\(folder)/type", atomically: false, encoding: .utf8)
  }

  @Test func sourcesThatComeLaterAreLookedAt() async throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try write("70000\n")
    let watch = HardwareWatch([], reader: HardwareReader(root: root), steps: steps, problems: problems)
    let work = Task { await watch.run() }
    let source = HardwareWatch.Source(
      id: 3, name: "cabinet", condition: .temperature(TemperatureLimit(threshold: 60, hysteresis: 3)),
      timing: EventTiming(minimumDuration: .zero, longest: .seconds(86_400)))
    await watch.apply([source])
    var found: [EventStep] = []
    for _ in 0..<2_000 where found.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
      found = steps.takeAll()
    }
    #expect(found.map(\.source) == [3])
    await watch.apply([])
    work.cancel()
    await work.value
    guard case .ended? = steps.takeAll().first?.step else { return #expect(Bool(false)) }
  }

  @Test func aSensorThatGoesIsToldAndComesBack() async throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let source = HardwareWatch.Source(
      id: 7, name: "cabinet", condition: .temperature(TemperatureLimit(threshold: 60, hysteresis: 3)),
      timing: EventTiming(minimumDuration: .zero, longest: .seconds(86_400)))
    let watch = HardwareWatch([source], reader: HardwareReader(root: root), steps: steps, problems: problems)
    var second: Int64 = 0
    func check(_ times: Int) async {
      for _ in 0..<times {
        second += 2
        await watch.check(at: MonotonicInstant(nanoseconds: 0) + .seconds(second))
      }
    }
    try write("70000\n")
    await check(2)
    let begun = steps.takeAll()
    #expect(begun.map(\.source) == [7])
    #expect(begun.map(\.detail) == ["70 °C"])
    #expect(problems.problem == nil)

    try write(nil)
    await check(2)
    #expect(problems.problem == nil, "one check that fails is nothing")
    await check(1)
    let problem = try #require(problems.problem)
    #expect(problem.part == .eventSources)
    #expect(problem.text.contains("\"cabinet\": no sensor reports"))
    #expect(problem.lasts)
    await check(40)
    guard case .ended? = steps.takeAll().first?.step else { return #expect(Bool(false)) }

    try write("40000")
    await check(1)
    #expect(problems.problem?.until == 1_000)
    #expect(steps.takeAll().isEmpty)
  }

  @Test func whatIsChangedEndsAndWhatStaysGoesOn() async throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    func source(_ id: Int, _ name: String, _ threshold: Double) -> HardwareWatch.Source {
      HardwareWatch.Source(
        id: id, name: name, condition: .temperature(TemperatureLimit(threshold: threshold, hysteresis: 3)),
        timing: EventTiming(minimumDuration: .zero, longest: .seconds(86_400)))
    }
    func taken() -> [String] {
      steps.takeAll().compactMap { step in
        switch step.step {
        case .began: "began \(step.source)"
        case .peaked: nil
        case .ended: "ended \(step.source)"
        }
      }
    }
    try write("70000")
    let watch = HardwareWatch(
      [source(1, "a", 60), source(2, "b", 60)], reader: HardwareReader(root: root), steps: steps, problems: problems)
    for second: Int64 in [2, 4] { await watch.check(at: MonotonicInstant(nanoseconds: 0) + .seconds(second)) }
    #expect(taken() == ["began 1", "began 2"])
    await watch.apply([source(3, "b", 65), source(1, "a", 60)])
    #expect(taken() == ["ended 2"])
    for second: Int64 in [6, 8] { await watch.check(at: MonotonicInstant(nanoseconds: 0) + .seconds(second)) }
    #expect(taken() == ["began 3"])
    try write(nil)
    for second: Int64 in [10, 12, 14] { await watch.check(at: MonotonicInstant(nanoseconds: 0) + .seconds(second)) }
    #expect(problems.problem?.lasts == true)
    await watch.apply([])
    #expect(taken() == ["ended 3", "ended 1"])
    #expect(problems.problem == nil, "nobody reads it any more")
  }

  @Test func problemsOfSeveralSourcesAreShownTogether() {
    problems.note("no sensor", of: "b")
    problems.note("no chip", of: "a")
    #expect(problems.problem?.text == "sources of events notice nothing: \"a\": no chip; \"b\": no sensor")
    problems.note(nil, of: "a")
    #expect(problems.problem?.lasts == true)
    problems.note(nil, of: "b")
    #expect(problems.problem?.lasts == false)
  }
}
