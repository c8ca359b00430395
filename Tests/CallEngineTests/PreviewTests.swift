import CallPolicy
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("Those who are called see the device before they answer", .timeLimit(.minutes(1)))
struct PreviewTests {
  private func bench(_ change: (inout OutgoingSettings) -> Void = { _ in }) throws -> EngineBench {
    var outgoing = OutgoingSettings()
    outgoing.showsPreview = true
    change(&outgoing)
    return try EngineBench(policy: CallPolicy(rules: [], outgoing: outgoing))
  }

  /// It rings at Anna, whom the hub has signed unless `role` is nil.
  private func rings(_ bench: EngineBench, role: SessionRole? = .publisher) async {
    let token = role.map { EngineBench.token(of: "anna", $0) }
    await bench.engine.handle(
      .callRinging(SessionEvent(sessionID: "s", token: token, receiverRole: "user", receiverGroups: ["residents"])))
    await bench.engine.keyFetch?.value
  }

  private func signal(_ bench: EngineBench, _ type: String, _ data: String, by userID: String = "anna") async {
    await bench.engine.handle(.signal(SignalEvent(sessionID: "s", userID: userID, type: type, data: data)))
  }

  private func begin(_ bench: EngineBench, _ id: String = "p", by userID: String = "anna") async {
    await signal(bench, "preview.begin", #"{"id":"\#(id)"}"#, by: userID)
  }

  /// A preview that a page sees.
  private func shown(_ bench: EngineBench, _ id: String = "p") async {
    await begin(bench, id)
    await bench.log.wait(for: "media servers \(id) 1")
    await signal(bench, "preview.answer", #"{"id":"\#(id)","sdp":"answer-\#(id)"}"#)
    await bench.log.wait(for: "media accept \(id) answer-\(id)")
    await bench.engine.handle(.connected(sessionID: SessionID(id)!))
  }

  private static func end(_ reason: String, _ id: String = "p") -> String {
    #"hub signal s preview.end {"id":"\#(id)","reason":"\#(reason)"}"#
  }

  @Test func aPreviewIsSentAndTakesNothing() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    await begin(bench)
    await bench.log.wait(for: #"hub signal s preview.offer {"id":"p","sdp":"offer-p"}"#)
    let request = try #require(bench.media.lastRequest.withLock { $0 })
    #expect((request.publish, request.subscribe, request.mayTalk) == ([.video], [], false))
    await bench.log.wait(for: "media servers p 1")
    await signal(bench, "preview.answer", #"{"id":"p","sdp":"answer"}"#)
    await bench.log.wait(for: "media accept p answer")
    await bench.engine.handle(.connected(sessionID: "p"))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.alerting])
    #expect(await bench.engine.currentCalls.map(\.previews) == [1])
  }

  @Test func thePolicySaysWhetherItHasSoundAndWhatItShows() async throws {
    let bench = try bench {
      $0.previewsAudio = true
      $0.camera = "yard"
    }
    try await bench.placedCall()
    await rings(bench)
    await begin(bench)
    await bench.log.wait(for: "media offer p")
    let request = try #require(bench.media.lastRequest.withLock { $0 })
    #expect((request.publish, request.view) == ([.audio, .video], .camera("yard")))
  }

  @Test func candidatesWaitForTheDescriptions() async throws {
    let bench = try bench()
    let gate = Gate()
    try await bench.placedCall()
    await rings(bench)
    bench.media.offerGate.withLock { $0 = gate }
    await begin(bench)
    await bench.log.wait(for: "media offer p")
    await bench.engine.handle(.localCandidates(sessionID: "p", candidates: ["here"]))
    await signal(bench, "preview.candidates", #"{"id":"p","candidates":[{"candidate":"there"}]}"#)
    gate.open()
    await bench.log.wait(
      for: #"hub signal s preview.candidates {"candidates":[{"candidate":"here","sdpMLineIndex":0}],"id":"p"}"#)
    await signal(bench, "preview.answer", #"{"id":"p","sdp":"answer"}"#)
    await bench.log.wait(for: "media candidates p there")
    let lines = await bench.lines.filter { $0.contains("preview.") }
    #expect(lines.map { $0.split(separator: " ")[3] } == ["preview.offer", "preview.candidates"])
  }

  @Test(
    "Nothing is shown but to whom the hub has signed, where the policy shows it",
    arguments: [(false, .publisher), (true, nil), (true, .subscriber)] as [(Bool, SessionRole?)])
  func whatIsNotOffered(showsPreview: Bool, role: SessionRole?) async throws {
    let bench = try bench { $0.showsPreview = showsPreview }
    try await bench.placedCall()
    await rings(bench, role: role)
    await begin(bench)
    await bench.log.wait(for: Self.end("not-offered"))
    #expect(await !bench.lines.contains("media offer p"))
  }

  @Test func nobodyElseIsShownAnything() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    await begin(bench, by: "berta")
    await signal(bench, "preview.begin", #"{"id":""}"#)
    await signal(bench, "preview.begin", "p")
    await signal(bench, "preview.answer", #"{"id":"p","sdp":"answer"}"#)
    #expect(await !bench.lines.contains { $0.contains("preview") || $0.contains("offer p") })
  }

  @Test func severalPagesSeeItToABound() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    for number in 1...CallPreviews.perCall { await shown(bench, "p\(number)") }
    await begin(bench, "late")
    await bench.log.wait(for: Self.end("too-many", "late"))
    #expect(await bench.engine.currentCalls.map(\.previews) == [CallPreviews.perCall])
    await signal(bench, "preview.end", #"{"id":"p1"}"#)
    await bench.log.wait(for: "media hangup p1")
    await shown(bench, "next")
    #expect(await bench.engine.currentCalls.map(\.previews) == [CallPreviews.perCall])
  }

  @Test func aPageThatAsksAgainAndAgainIsIgnored() async throws {
    let bench = try bench { $0.showsPreview = false }
    try await bench.placedCall()
    await rings(bench)
    for number in 0..<50 { await begin(bench, "p\(number)") }
    #expect(await bench.lines.count { $0.contains("preview.end") } == CallPreviews.requestsPerCall)
  }

  @Test func itContinuesUntilTheCallsOwnMediaFlow() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    await shown(bench)
    await bench.answered()
    await bench.log.wait(for: "media accept s answer")
    #expect(await !bench.lines.contains("media hangup p"))
    await bench.engine.handle(.connected(sessionID: "s"))
    await bench.log.wait(for: "media hangup p")
    await bench.log.wait(for: Self.end("over"))
    #expect(await bench.engine.currentCalls.map(\.previews) == [0])
    await begin(bench, "q")
    await bench.log.wait(for: Self.end("not-offered", "q"))
  }

  @Test func itEndsWithTheCall() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    await shown(bench)
    await bench.hubEnds(reason: "declined")
    await bench.log.wait(for: "media hangup p")
  }

  @Test func aPageThatVanishesLeavesNoCameraOpen() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    await begin(bench)
    await bench.log.wait(for: "media servers p 1")
    await bench.advance(CallPreview.setUp)
    await bench.log.wait(for: "media hangup p")
    await shown(bench, "q")
    await bench.engine.handle(.ended(sessionID: "q", reason: .connectionLost))
    await bench.log.wait(for: Self.end("connection-lost", "q"))
    #expect(await bench.engine.currentCalls.map(\.previews) == [0])
    #expect(await bench.engine.currentCalls.map(\.phase) == [.alerting])
  }

  @Test func aPreviewThatCannotBeMadeIsOver() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    bench.media.refusesOffers.withLock { $0 = true }
    await begin(bench)
    await bench.log.wait(for: Self.end("failed"))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.alerting])
  }

  /// Whatever the page, or who is called, has the ids be: no connection is left without someone who ends it.
  @Test func anIDIsUsedForOneThing() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await rings(bench)
    await shown(bench)
    await bench.call("p", callerID: "anna", token: EngineBench.token(of: "anna", in: "p"))
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["s"])
    // What the media plane reports of an earlier one ends what there is now.
    await bench.engine.handle(.ended(sessionID: "p", reason: .connectionLost))
    await bench.log.wait(for: "media hangup p")
  }

  // MARK: Actions

  @Test func whomItRingsAtIsOfferedActionsAndUsesThem() async throws {
    let bench = try bench { $0.showsPreview = false }
    bench.actions.offered.withLock { $0 = ["open-door"] }
    try await bench.placedCall()
    await rings(bench)
    await bench.log.wait(for: #"hub signal s actions {"actions":[{"name":"open-door","needsPIN":true}]}"#)
    await signal(bench, "action", #"{"name":"open-door","pin":"1"}"#)
    await bench.log.wait(for: #"hub signal s action.result {"isDone":true,"name":"open-door"}"#)
    #expect(bench.actions.wishes.withLock { $0 } == [#"open-door 1 anna user ["residents"] rings"#])
    #expect(await bench.engine.currentCalls.map(\.phase) == [.alerting])
  }

  @Test(
    "Whom an older hub does not name uses none, nor who could not answer",
    arguments: [nil, .subscriber] as [SessionRole?])
  func whomAnOlderHubDoesNotNameUsesNone(role: SessionRole?) async throws {
    let bench = try bench()
    bench.actions.offered.withLock { $0 = ["open-door"] }
    try await bench.placedCall()
    await rings(bench, role: role)
    await signal(bench, "action", #"{"name":"open-door"}"#)
    #expect(await !bench.lines.contains { $0.contains("signal s action") })
    #expect(bench.actions.wishes.withLock { $0.isEmpty })
  }
}
