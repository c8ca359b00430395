import CallPolicy
import EventDetection
import HubClient
import SystemSupport
import MediaCore
import MediaPlaneAPI
import Signalling
import TestSupport
import Testing

@testable import CallEngine

/// What somebody at the hub has recorded by hand.
@Suite(.timeLimit(.minutes(1))) struct HandRecordingTests {
  private static let plan = RecordingPlan(name: "by hand", occasion: .manual(.seconds(60)))
  private static let anna = ContentRequester(userID: "anna", role: "operator", groups: ["family"], token: "")

  private func bench(
    _ allowed: [CallerPattern] = [.user("anna")], plans: [RecordingPlan] = []
  ) async throws -> EngineBench {
    let bench = try EngineBench()
    await set(allowed, plans, bench)
    return bench
  }

  private func set(_ allowed: [CallerPattern], _ plans: [RecordingPlan], _ bench: EngineBench) async {
    var settings = await bench.engine.settings
    settings.policy.recording = RecordingPermissions(allowed: allowed)
    settings.plans = plans + [Self.plan]
    await bench.engine.apply(settings)
  }

  @discardableResult
  private func ask(
    _ bench: EngineBench, _ isWanted: Bool? = nil, by requester: ContentRequester? = Self.anna
  ) async throws -> RecordingState {
    try await HubRecording(engine: bench.engine).setRecording(isWanted, for: requester)
  }

  private func begun(_ bench: EngineBench) async -> Int {
    await bench.lines.filter { $0 == "media archive   -" }.count
  }

  // MARK: Who may

  @Test func nobodyMayUnlessThePolicySaysSo() async throws {
    let bench = try await bench([])
    let refusal = RequestRefusal.notAllowed("its policy does not let you have it record")
    await #expect(throws: refusal) { try await ask(bench, true) }
    await #expect(throws: refusal) { try await ask(bench, false) }
    await #expect(throws: refusal) { try await ask(bench) }
    #expect(await bench.engine.runningArchives.isEmpty)
  }

  @Test func nobodyIsBelievedWhomTheHubHasNotSigned() async throws {
    let bench = try await bench()
    let refusal = RequestRefusal.notAllowed("it cannot identify the requester; its log says why")
    await #expect(throws: refusal) { try await ask(bench, true, by: nil) }
  }

  @Test(arguments: [
    (CallerPattern.user("anna"), true), (.user("bert"), false), (.group("family"), true), (.group("friends"), false),
    (.role(.operator), true), (.role(.user), false),
  ])
  func thePolicyNamesPersonsGroupsAndRoles(_ pattern: CallerPattern, _ isPermitted: Bool) {
    let permissions = RecordingPermissions(allowed: [pattern])
    #expect(permissions.permits("anna", .operator, ["family"]) == isPermitted)
    // Who may have it record may not change what it has recorded.
    #expect(!permissions.permitsChanges("anna", .operator, ["family"]))
    #expect(
      RecordingPermissions(managers: [pattern]).permitsChanges("anna", .operator, ["family"]) == isPermitted)
  }

  @Test func requestersAreThoseOfTheirOwnRequestsTokens() async throws {
    let bench = try await bench()
    await bench.goOnline()
    await bench.engine.keyFetch?.value
    let token = EngineBench.token(of: "anna", in: "upload-1")
    func verified(_ uploadID: String, _ token: String, of userID: String = "anna") async -> ContentRequester? {
      var request = RequestEvent(uploadID: uploadID, path: "recording/start", range: nil, maximumBytes: 100)
      request.requester = ContentRequester(userID: userID, role: "operator", groups: [], token: token)
      return await bench.engine.parties.verified(request, bench.engine.environment).requester
    }
    #expect(await verified("upload-1", token)?.userID == "anna")
    #expect(await verified("upload-2", token) == nil)
    #expect(await verified("upload-1", token, of: "bert") == nil)
    #expect(await verified("upload-1", "no.token.x") == nil)
    #expect(await verified("../1", token) == nil)
  }

  // MARK: What is recorded

  @Test func oneArchiveIsRecordedHoweverManyAskAndEndsByItself() async throws {
    let bench = try await bench()
    let work = Task { await bench.engine.recorder.run() }
    defer { work.cancel() }
    #expect(try await ask(bench) == RecordingState(isRecording: false))
    async let first = ask(bench, true)
    async let second = ask(bench, true)
    #expect(try await [first, second].allSatisfy(\.isRecording))
    await bench.advance(.seconds(20))
    try await ask(bench, true)
    #expect(await begun(bench) == 1)
    #expect(try await ask(bench) == RecordingState(isRecording: true, secondsLeft: 40))
    #expect(await bench.engine.status().plans.map(\.text) == ["recording"])
    #expect(bench.media.lastArchive.withLock { $0?.preRoll } == .configured)
    await bench.advance(.seconds(39))
    #expect(await bench.engine.runningArchives == ["archive-"])
    await bench.advance(.seconds(1))
    await bench.log.wait(for: "media stop archive-")
    #expect(try await ask(bench) == RecordingState(isRecording: false))
    #expect(await bench.engine.status().plans.isEmpty)
  }

  @Test func aReloadLeavesItAsItIsButForWhoMayStopIt() async throws {
    let bench = try await bench()
    try await ask(bench, true)
    await set([.user("bert")], [], bench)
    #expect(await bench.engine.runningArchives == ["archive-"])
    await #expect(throws: RequestRefusal.self) { try await ask(bench, false) }
  }

  @Test func anotherOneWhoMayStopsIt() async throws {
    let bench = try await bench([.user("anna"), .user("bert")])
    try await ask(bench, true)
    let bert = ContentRequester(userID: "bert", role: "operator", groups: [], token: "")
    try await ask(bench, false, by: bert)
    await bench.log.wait(for: "media stop archive-")
    #expect(await bench.engine.runningArchives.isEmpty)
    try await ask(bench, false, by: bert)
  }

  @Test func whatAPlanRecordsIsNotWrittenTwice() async throws {
    let bench = try await bench(plans: [.always])
    try await eventually { await !bench.engine.runningArchives.isEmpty }
    bench.media.numbersArchives.withLock { $0 = true }
    try await ask(bench, true)
    #expect(bench.media.lastArchive.withLock { $0?.plans } == ["always", "by hand"])
    #expect(bench.media.lastArchive.withLock { $0?.preRoll } == PreRollExtent.none)
    await bench.advance(.seconds(3))
    #expect(await bench.engine.runningArchives.count == 1, "the plan's own archive has ended")
    try await ask(bench, false)
    try await eventually { bench.media.lastArchive.withLock { $0?.plans } == ["always"] }
    await bench.advance(.seconds(3))
    #expect(await bench.engine.status().plans.map(\.text) == ["recording"], "the plan goes on")
  }

  @Test func whatCannotBeRecordedIsToldAndNotTriedAgain() async throws {
    let bench = try await bench()
    bench.media.refusesArchives.withLock { $0 = true }
    await #expect(throws: RequestRefusal.self) { try await ask(bench, true) }
    #expect(try await ask(bench) == RecordingState(isRecording: false))
    await #expect(throws: RequestRefusal.self) { try await ask(bench, true) }
    bench.media.refusesArchives.withLock { $0 = false }
    await bench.advance(.seconds(10))
    #expect(await begun(bench) == 0)
    try await ask(bench, true)
    #expect(await begun(bench) == 1)
  }

  @Test func whatSomebodyRecordsAtTheDeviceIsTheOneThatGoesOn() async throws {
    let bench = try await bench()
    _ = try await bench.engine.startDeviceArchive()
    #expect(try await ask(bench) == RecordingState(isRecording: true))
    try await ask(bench, true)
    #expect(await begun(bench) == 1)
    try await ask(bench, false)
    #expect(await bench.engine.runningArchives.isEmpty)
  }

  @Test func anArchiveThatIsStoppedAtTheDeviceIsNotBegunAnew() async throws {
    let bench = try await bench()
    try await ask(bench, true)
    try await bench.engine.stopArchive("archive-")
    await bench.advance(.seconds(11))
    #expect(await bench.engine.runningArchives.isEmpty)
    #expect(try await ask(bench) == RecordingState(isRecording: false))
  }
}
