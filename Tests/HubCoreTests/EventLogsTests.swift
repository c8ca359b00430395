import Signalling
import Testing

@testable import HubCore

struct EventLogsTests {
  private let user = Principal.person("user")
  private let start = Instant.now
  private let event = EncodedEvent(.callRinging(SessionEvent(sessionID: "s")))

  private func logs(_ limits: HubLimits = HubLimits()) -> EventLogs { EventLogs(epoch: "e", limits: limits) }

  private func sessionIDs(_ logs: EventLogs, after cursor: UInt64) -> [String]? {
    logs.events(for: "user", after: cursor)?.events.map(\.data)
  }

  private func ringing(_ id: Int) -> EncodedEvent {
    EncodedEvent(.callRinging(SessionEvent(sessionID: SessionID("\(id)")!)))
  }

  @Test func aClientThatResumesMissesNothingAndGetsNothingTwice() throws {
    var logs = logs()
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    for id in 1...3 { #expect(logs.append(ringing(id), to: "user", now: start) == ["1"]) }
    let read = try #require(logs.events(for: "user", after: opening.cursor))
    #expect(read.events.count == 3)
    logs.close(streamID: "1", of: "user", now: start)
    #expect(logs.append(ringing(4), to: "user", now: start).isEmpty)

    let resumed = try logs.open(streamID: "2", for: user, lastEventID: read.events[1].id, now: start + .seconds(59))
    #expect(resumed.hello.data == #"{"eventStreamID":"2","heartbeatInterval":240,"isReset":false}"#)
    #expect(sessionIDs(logs, after: resumed.cursor) == [#"{"sessionID":"3"}"#, #"{"sessionID":"4"}"#])
  }

  @Test func theHelloCarriesTheIDToResumeFrom() throws {
    var logs = logs()
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    logs.close(streamID: "1", of: "user", now: start)
    _ = logs.append(ringing(1), to: "user", now: start)
    let resumed = try logs.open(streamID: "2", for: user, lastEventID: opening.hello.id, now: start)
    #expect(sessionIDs(logs, after: resumed.cursor)?.count == 1)
  }

  @Test(arguments: ["other-1", "e-99", "nonsense", "e-", "-1", "e-99999999999999999999999"])
  func anUnknownIDResets(lastEventID: String) throws {
    var logs = logs()
    let opening = try logs.open(streamID: "1", for: user, lastEventID: lastEventID, now: start)
    #expect(opening.hello.data.contains(#""isReset":true"#))
  }

  @Test func eventsOlderThanTheWindowAreLostAndThatIsSaid() throws {
    var logs = logs()
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    _ = logs.append(ringing(1), to: "user", now: start)
    logs.trim(now: start + .seconds(61))
    #expect(logs.events(for: "user", after: opening.cursor) == nil)
    let late = try logs.open(streamID: "2", for: user, lastEventID: opening.hello.id, now: start + .seconds(61))
    #expect(late.hello.data.contains(#""isReset":true"#))
  }

  @Test func aForgottenUsersIDsAreRecognisedAsLost() throws {
    var logs = logs()
    _ = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    _ = logs.append(ringing(1), to: "user", now: start)
    let opening = try logs.open(streamID: "2", for: user, lastEventID: nil, now: start)
    logs.close(streamID: "1", of: "user", now: start)
    logs.close(streamID: "2", of: "user", now: start)
    _ = logs.append(ringing(2), to: "user", now: start)
    logs.trim(now: start + .seconds(61))
    let late = try logs.open(streamID: "3", for: user, lastEventID: opening.hello.id, now: start + .seconds(62))
    #expect(late.hello.data.contains(#""isReset":true"#))
  }

  @Test func aLogIsBoundedByCountAndASlowStreamOverruns() throws {
    var limits = HubLimits()
    limits.eventsPerUser = 3
    var logs = logs(limits)
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    for id in 1...3 { _ = logs.append(ringing(id), to: "user", now: start) }
    #expect(sessionIDs(logs, after: opening.cursor)?.count == 3)
    _ = logs.append(ringing(4), to: "user", now: start)
    #expect(logs.events(for: "user", after: opening.cursor) == nil)
  }

  @Test func aLogIsBoundedByBytes() throws {
    var limits = HubLimits()
    limits.eventBytesPerUser = 1_000
    var logs = logs(limits)
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    let sdp = String(repeating: "x", count: 600)
    let large = EncodedEvent(.callAnswered(DescriptionEvent(sessionID: "s", sdp: sdp)))
    _ = logs.append(large, to: "user", now: start)
    #expect(sessionIDs(logs, after: opening.cursor)?.count == 1)
    _ = logs.append(large, to: "user", now: start)
    #expect(logs.events(for: "user", after: opening.cursor) == nil)
  }

  @Test func streamsOfOneUserAreLimited() throws {
    var limits = HubLimits()
    limits.streamsPerUser = 2
    var logs = logs(limits)
    for id in ["1", "2"] { _ = try logs.open(streamID: id, for: user, lastEventID: nil, now: start) }
    #expect(throws: HubRefusal.self) { try logs.open(streamID: "3", for: user, lastEventID: nil, now: start) }
    logs.close(streamID: "1", of: "user", now: start)
    _ = try logs.open(streamID: "3", for: user, lastEventID: nil, now: start)
  }

  @Test func aPayloadIsOneLine() throws {
    var logs = logs()
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    let hostile = SignalEvent(sessionID: "s", userID: "u", type: "chat", data: "a\r\n\ndata: forged\u{2028}")
    _ = logs.append(EncodedEvent(.signal(hostile)), to: "user", now: start)
    let data = try #require(logs.events(for: "user", after: opening.cursor)?.events.first?.data)
    #expect(!data.contains { $0.isNewline && $0 != "\u{2028}" })
  }

  @Test func whoHasNoLogHearsNothing() {
    var logs = logs()
    #expect(logs.append(event, to: "nobody", now: start).isEmpty)
    #expect(logs.events(for: "nobody", after: 0) == nil)
  }
}
