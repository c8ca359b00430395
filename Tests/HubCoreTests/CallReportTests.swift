import Signalling
import Testing

@testable import HubCore

/// What the call history learns of calls that are over.
struct CallReportTests {
  private let anna = Principal.person("anna")
  private let door = Principal.device("door")

  /// The door calls Anna 10 s after the hub's start.
  private func makeHub() throws -> VirtualHub {
    var hub = VirtualHub()
    try hub.goOnline(anna)
    try hub.goOnline(door)
    try hub.call("s", from: door, .call("anna", isVideo: false))
    _ = hub.state.drainActions()
    return hub
  }

  private func end(_ hub: inout VirtualHub, by userID: String, _ reason: String) throws -> [CallReport] {
    try hub.state.hangUp("s", by: userID, reason: reason, now: hub.now)
    return hub.state.drainActions().calls
  }

  @Test func anAnsweredCallHasItsTimes() throws {
    var hub = try makeHub()
    let start = hub.now
    hub.wait(.seconds(2))
    try hub.state.ring("s", by: "anna", now: hub.now)
    hub.wait(.seconds(3))
    try hub.state.answer("s", by: "anna", sdp: "answer", now: hub.now)
    hub.wait(.seconds(60))
    #expect(hub.state.drainActions().calls.isEmpty)
    let call = try #require(try end(&hub, by: "door", "max-duration").first)
    #expect(call.sessionID == "s" && call.caller == door && call.receiver == anna && call.media == .audio)
    #expect(call.outcome == .answered && call.reason == "max-duration" && call.archiveID == nil)
    #expect(call.startedAt == start && call.ringingAt == start + .seconds(2))
    #expect(call.answeredAt == start + .seconds(5) && call.endedAt == start + .seconds(65))
  }

  @Test func eachCallIsReportedOnce() throws {
    var hub = try makeHub()
    #expect(try end(&hub, by: "door", "hangup").count == 1)
    #expect(try end(&hub, by: "anna", "hangup").isEmpty)
    let archive = ArchiveAnnouncement(sessionID: "s", archiveID: "a", status: .stopped)
    try hub.state.announceArchive(archive, by: door, now: hub.now)
    #expect(hub.state.drainActions().calls.isEmpty)
  }

  @Test(arguments: [
    ("door", "hangup", CallEntry.Outcome.cancelled), ("door", "unanswered", .unanswered),
    ("door", "answered-elsewhere", .answeredElsewhere), ("door", "shutdown", .failed), ("door", "own-code", .cancelled),
    ("anna", "hangup", .declined),
  ])
  func theCallersEndTells(_ party: String, _ reason: String, _ outcome: CallEntry.Outcome) throws {
    var hub = try makeHub()
    #expect(try end(&hub, by: party, reason).map(\.outcome) == [outcome])
  }

  @Test(arguments: [
    ("busy", CallEntry.Outcome.busy), ("declined", .declined), ("unanswered", .unanswered), ("not-allowed", .declined),
    ("not-acceptable", .failed), ("own-code", .declined),
  ])
  func theReceiversRejectionTells(_ reason: String, _ outcome: CallEntry.Outcome) throws {
    var hub = try makeHub()
    try hub.state.reject("s", by: "anna", reason: reason, now: hub.now)
    #expect(hub.state.drainActions().calls.map(\.outcome) == [outcome])
  }

  @Test func theHubsEndsTell() throws {
    var hub = try makeHub()
    hub.advance(seconds: 61)
    #expect(hub.state.drainActions().calls.map(\.outcome) == [.unanswered])
    hub = try makeHub()
    hub.disconnect(door)
    hub.advance(seconds: 1)
    hub.state.withdrawPresence(userID: "door", now: hub.now)
    #expect(hub.state.drainActions().calls.map(\.outcome) == [.failed])
  }

  @Test func aCallThatGivesWayIsNone() throws {
    var hub = try makeHub()
    // Of two calls that cross, that of the lower user id continues.
    try hub.call("t", from: anna, .call("door"))
    #expect(hub.state.drainActions().calls.isEmpty)
  }

  @Test func theFirstRecordingIsNoted() throws {
    var hub = try makeHub()
    try hub.state.answer("s", by: "anna", sdp: "answer", now: hub.now)
    for archiveID in ["a", "b"] as [ArchiveID] {
      let archive = ArchiveAnnouncement(sessionID: "s", archiveID: archiveID, status: .started)
      try hub.state.announceArchive(archive, by: door, now: hub.now)
    }
    #expect(try end(&hub, by: "anna", "hangup").map(\.archiveID) == ["a"])
  }

  @Test func anOfferThatOnlyReceivesIsAWatch() {
    func media(_ lines: [String], isVideo: Bool = true) -> CallEntry.Media {
      CallEntry.Media(
        SessionRequest(
          receiverID: "r", isAudio: true, isVideo: isVideo, offer: lines.map { $0 + "\r\n" }.joined()))
    }
    #expect(media(["v=0", "m=audio 9 X", "a=recvonly", "m=video 9 X", "a=recvonly"]) == .watch)
    #expect(media(["v=0", "m=audio 9 X", "a=sendrecv", "m=video 9 X", "a=recvonly"]) == .video)
    #expect(media(["v=0", "m=audio 9 X", "a=sendrecv"], isVideo: false) == .audio)
    #expect(media([]) == .video)
    #expect(CallEntry.Media(.call("r", isAudio: false, isVideo: false)) == .watch)
  }

  @Test func aStoredSessionKeepsItsProgress() throws {
    let context = CallContext(.call("anna"), from: (door, nil), to: (anna, nil), known: nil)
    let start = Instant.now
    let placement = CallPlacement(
      sessionID: "s", caller: door, request: .call("anna"), context: context,
      tokens: PartyTokens(caller: "c", receiver: "r"), receiverICEServers: [])
    var session = CallSession(placement, now: start)
    _ = try session.receive(.ringing, from: "anna", now: start + .seconds(1))
    let record = session.record { start.duration(to: $0).wholeMilliseconds }
    session = CallSession(record) { start + .milliseconds($0) }
    let before = session
    _ = session.end(reason: .unanswered, now: start + .seconds(60))
    let report = try #require(session.callReport(since: before))
    #expect(report.ringingAt == start + .seconds(1) && report.endedAt == start + .seconds(60))
    #expect(session.callReport(since: session) == nil)
  }
}
