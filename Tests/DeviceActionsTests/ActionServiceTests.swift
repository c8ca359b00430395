import CallPolicy
import RealtimeRuntime
import DeviceConfiguration
import SystemSupport
import Logging
import MediaCore
import Testing

@testable import DeviceActions

/// Remembers what it was set to.
private final class FakeLine: OutputLine {
  struct Failure: Error {}

  let levels = Mutex<[Bool]>([])
  let failures = Mutex(0)

  func set(isActive: Bool) throws {
    let fails = failures.withLock { count in
      defer { count = max(count - 1, 0) }
      return count > 0
    }
    if fails { throw Failure() }
    levels.withLock { $0.append(isActive) }
  }
}

private let local = ActionRequest(action: "open-door", requester: .local)

@Suite("Actions", .timeLimit(.minutes(1))) struct ActionServiceTests {
  private let line = FakeLine()
  private let homes = Homes()
  private let images = Images()

  private final class Images: Sendable {
    let outcomes = Mutex<[ActionOutcome]>([])
  }

  private final class Homes: Sendable {
    let values = Mutex<[Bool]>([])
  }

  private func service(
    _ actions: String = "gpio = { chip = \"c\", line = 1, pulse = \"50ms\" }",
    rule: (inout ActionRule) -> Void = { _ in }
  ) throws -> ActionService {
    let text =
      "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"http://127.0.0.1:8080\"\n[[action]]\nname = \"open-door\"\n\(actions)\n"
    var allowing = ActionRule(name: "local", actions: ["open-door"])
    allowing.requesters = [.local]
    rule(&allowing)
    let (line, homes, images) = (line, homes, images)
    let environment = ActionService.Environment(
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { MonotonicInstant(nanoseconds: 1) },
      localTimes: { _ in [:] }, readPIN: { _ in "4711" }, openLine: { _ in line },
      keepImage: { _, outcome in images.outcomes.withLock { $0.append(outcome) } },
      setHome: { isHome in homes.values.withLock { $0.append(isHome) } }, setRecording: { _ in })
    return ActionService(
      try DeviceConfiguration(text: text, file: "d.toml").actions,
      policy: CallPolicy(rules: [], actions: ActionPolicy(rules: [allowing])), environment)
  }

  @Test func imagesAreOfWhatThePolicyHasDecided() async throws {
    let service = try service()
    let stranger = ActionRequest(action: "open-door", requester: .party(ActionParty(userID: "x")))
    await #expect(throws: ActionRefusal.notAllowed) { try await service.run(stranger, pin: nil) }
    try await service.run(local, pin: nil)
    await #expect(throws: ActionRefusal.busy) { try await service.run(local, pin: nil) }
    #expect(images.outcomes.withLock { $0 } == [.refused, .admitted, .admitted])
    await service.stop()
  }

  private func levels(atLeast count: Int) async throws -> [Bool] {
    for _ in 0..<500 where line.levels.withLock({ $0.count }) < count { try await Task.sleep(for: .milliseconds(10)) }
    return line.levels.withLock { $0 }
  }

  @Test func aLineIsActiveForItsPulse() async throws {
    let service = try service()
    await service.start()
    let begun = ContinuousClock.now
    try await service.run(local, pin: nil)
    #expect(line.levels.withLock { $0 } == [true])
    #expect(try await levels(atLeast: 2) == [true, false])
    #expect(ContinuousClock.now - begun >= .milliseconds(50))
  }

  @Test func anActionSaysWhoIsAtHome() async throws {
    let service = try service("home = true")
    try await service.run(local, pin: nil)
    #expect(homes.values.withLock { $0 } == [true])
  }

  @Test func aPulseIsNotPiledOnAnother() async throws {
    let service = try service("gpio = { chip = \"c\", line = 1, pulse = \"10m\" }")
    try await service.run(local, pin: nil)
    await #expect(throws: ActionRefusal.busy) { try await service.run(local, pin: nil) }
    await service.stop()
    #expect(line.levels.withLock { $0 } == [true, false])
  }

  @Test func aRefusalMovesNothing() async throws {
    let service = try service { $0.pin = .file(path: "/pin") }
    await #expect(throws: ActionRefusal.pinNeeded) { try await service.run(local, pin: nil) }
    await #expect(throws: ActionRefusal.wrongPIN) { try await service.run(local, pin: "1") }
    let party = ActionRequest(action: "open-door", requester: .party(ActionParty(userID: "u1")), isInCall: true)
    await #expect(throws: ActionRefusal.notAllowed) { try await service.run(party, pin: "4711") }
    let other = ActionRequest(action: "gate", requester: .local)
    await #expect(throws: ActionRefusal.unknownAction) { try await service.run(other, pin: "4711") }
    #expect(line.levels.withLock { $0 }.isEmpty)
    try await service.run(local, pin: "4711")
    #expect(line.levels.withLock { $0 } == [true])
  }

  @Test func eachUseIsTold() async throws {
    let service = try service()
    try await service.run(local, pin: nil, sessionID: nil)
    let party = ActionRequest(action: "open-door", requester: .party(ActionParty(userID: "u1")), isInCall: true)
    await #expect(throws: ActionRefusal.notAllowed) { try await service.run(party, pin: nil, sessionID: "s") }
    await #expect(throws: ActionRefusal.unknownAction) {
      try await service.run(ActionRequest(action: "what a caller wrote", requester: .local), pin: nil)
    }
    await service.stop()
    var uses: [ActionService.Use] = []
    for await use in service.uses { uses.append(use) }
    #expect(uses.map(\.request.action) == ["open-door", "open-door", "of another name"])
    #expect(uses.map(\.refusal) == [nil, .notAllowed, .unknownAction])
    #expect(uses.map(\.sessionID) == [nil, "s", nil])
  }

  @Test func aLineThatFailsIsTakenAnewAndEndsInactive() async throws {
    let service = try service()
    line.failures.withLock { $0 = 1 }
    try await service.run(local, pin: nil)
    #expect(try await levels(atLeast: 2) == [true, false])
    line.failures.withLock { $0 = 2 }
    await #expect(throws: ActionRefusal.self) { try await service.run(local, pin: nil) }
  }

  @Test func offersFollowThePolicy() async throws {
    let service = try service { $0.pin = .file(path: "/pin") }
    #expect(
      await service.offers(to: .local, isInCall: false) == [
        .init(name: "open-door", needsPIN: true, isProminent: false)
      ])
    #expect(await service.offers(to: .party(ActionParty(userID: "u")), isInCall: true).isEmpty)
  }

  @Test func aProgramSeesItsFewVariablesOnly() async throws {
    let run = ProgramRun(command: ["/usr/bin/env"], environment: ["A=1", "B=two"], timeout: .seconds(5))
    let result = try await run.run()
    #expect(result == ProgramRun.Result(outcome: .exited(status: 0), lines: ["A=1", "B=two"]))
  }

  @Test func aProgramThatFailsIsARefusal() async throws {
    let service = try service("run = [\"/bin/false\"]")
    await #expect(throws: ActionRefusal.failed("the program ended with status 1")) {
      try await service.run(local, pin: nil)
    }
    let missing = try self.service("run = [\"/no/such/program\"]")
    await #expect(throws: ActionRefusal.self) { try await missing.run(local, pin: nil) }
  }

  @Test func aProgramIsEndedWithAllThatItStarted() async throws {
    let command = ["/bin/sh", "-c", "trap '' TERM; sleep 60 & echo $!; sleep 60; sleep 60"]
    let begun = ContinuousClock.now
    let result = try await ProgramRun(command: command, environment: ["PATH=/usr/bin:/bin"], timeout: .seconds(1)).run()
    #expect(result.outcome == .timedOut)
    #expect(ContinuousClock.now - begun < .seconds(20))
    let child = try #require(result.lines.first.flatMap { Int32($0) })
    for _ in 0..<100 where isAlive(child) { try await Task.sleep(for: .milliseconds(20)) }
    #expect(!isAlive(child))
  }

  @Test func whatAProgramPrintsIsBounded() async throws {
    let command = ["/bin/sh", "-c", "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done"]
    let result = try await ProgramRun(command: command, environment: [], timeout: .seconds(10)).run()
    #expect(result.outcome == .exited(status: 0))
    #expect(result.lines.count == 21 && result.lines.first == "line 0")
  }
}
