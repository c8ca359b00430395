import Signalling
import TestSupport
import Testing

@testable import HubCore

/// Events that must arrive beside those of which the newest counts, in one log.
struct EventClassesTests {
  private let user = Principal.person("user")
  private let start = Instant.now

  private func ringing(_ id: Int) -> EncodedEvent {
    EncodedEvent(.callRinging(SessionEvent(sessionID: SessionID("\(id)")!)))
  }

  private func presence(_ userID: String, _ version: Int) -> EncodedEvent {
    EncodedEvent(
      .presence(
        PresenceEvent(
          userID: userID, userTitle: "\(version)", isOnline: true, status: .available, kind: .person)))
  }

  private func read(_ logs: EventLogs, after cursor: UInt64) throws -> [LoggedEvent] {
    try #require(logs.events(for: "user", after: cursor)).events
  }

  @Test func aNewerPresenceTakesTheOldersPlaceAndOrderStays() throws {
    var logs = EventLogs(epoch: "e", limits: HubLimits())
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    for event in [presence("a", 1), ringing(1), presence("b", 1), presence("a", 2), ringing(2)] {
      #expect(logs.append(event, to: "user", now: start) == ["1"])
    }
    let events = try read(logs, after: opening.cursor)
    #expect(events.map(\.name) == [.callRinging, .presence, .presence, .callRinging])
    #expect(events.map(\.id) == ["e-2", "e-3", "e-4", "e-5"])
    #expect(events[2].data.contains(#""userTitle":"2""#))
  }

  @Test func aReaderOfTheOlderGetsTheNewerToo() throws {
    var logs = EventLogs(epoch: "e", limits: HubLimits())
    _ = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    _ = logs.append(presence("a", 1), to: "user", now: start)
    logs.close(streamID: "1", of: "user", now: start)
    _ = logs.append(presence("a", 2), to: "user", now: start)
    let resumed = try logs.open(streamID: "2", for: user, lastEventID: "e-1", now: start)
    #expect(resumed.hello.data.contains(#""isReset":false"#))
    #expect(try read(logs, after: resumed.cursor).map(\.id) == ["e-2"])
  }

  @Test func presenceBeyondItsBoundsOverrunsNobody() throws {
    var limits = HubLimits()
    limits.presenceEventsPerUser = 10
    limits.eventsPerUser = 3
    var logs = EventLogs(epoch: "e", limits: limits)
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    _ = logs.append(ringing(1), to: "user", now: start)
    for id in 0..<1_000 { _ = logs.append(presence("\(id)", 1), to: "user", now: start) }
    var events = try read(logs, after: opening.cursor)
    #expect(events.first?.name == .callRinging && events.count == 11)
    #expect(events.last?.data.contains(#""userID":"999""#) == true)

    limits.presenceEventBytesPerUser = 500
    logs = EventLogs(epoch: "e", limits: limits)
    _ = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    for id in 0..<1_000 { _ = logs.append(presence("\(id)", 1), to: "user", now: start) }
    events = try read(logs, after: 0)
    #expect(events.reduce(0) { $0 + $1.data.utf8.count } <= 500 && events.count >= 2)
  }

  @Test func whoHasLostEventsIsToldAndGetsTheRest() throws {
    var limits = HubLimits()
    limits.eventsPerUser = 3
    var logs = EventLogs(epoch: "e", limits: limits)
    let opening = try logs.open(streamID: "1", for: user, lastEventID: nil, now: start)
    for id in 1...5 { _ = logs.append(ringing(id), to: "user", now: start) }
    #expect(logs.events(for: "user", after: opening.cursor) == nil)
    let resumed = try logs.open(streamID: "2", for: user, lastEventID: opening.hello.id, now: start)
    #expect(resumed.hello.data.contains(#""isReset":true"#) && resumed.hello.id == "e-2")
    #expect(try read(logs, after: resumed.cursor).map(\.id) == ["e-3", "e-4", "e-5"])
  }

  /// A reader that sleeps, reconnects and resumes at random, under tight bounds and a storm of presence.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func aReaderMissesNothingUnlessItIsTold(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var limits = HubLimits()
    limits.eventsPerUser = 8
    var reader = try Reader(limits: limits)
    for step in 1...600 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<3: reader.append(ringing(step), mustArrive: step)
      case 3..<16: reader.append(presence("\(Int.random(in: 0..<6, using: &random))", step))
      case 16, 17: try reader.read()
      case 18: try reader.reconnect()
      default: reader.wait(seconds: Int.random(in: 0...5, using: &random))
      }
    }
    try reader.read()
    #expect(reader.newestPresence == reader.knownPresence)
  }
}

/// One client of a log, which checks what it reads against what was logged.
private struct Reader {
  private let user = Principal.person("user")
  private var logs: EventLogs
  private var now = Instant.now
  private var streams = 0
  private var cursor: UInt64 = 0
  private var lastEventID: String? = ""
  /// What had to arrive and has not been read.
  private var awaited: [String] = []
  private(set) var newestPresence: [Substring: String] = [:]
  private(set) var knownPresence: [Substring: String] = [:]

  init(limits: HubLimits) throws {
    logs = EventLogs(epoch: "e", limits: limits)
    try open()
  }

  mutating func append(_ event: EncodedEvent, mustArrive number: Int? = nil) {
    _ = logs.append(event, to: "user", now: now)
    if number != nil { awaited.append(event.data) } else { newestPresence[subject(event.data)] = event.data }
  }

  mutating func wait(seconds: Int) {
    now += .seconds(seconds)
  }

  mutating func read() throws {
    guard let read = logs.events(for: "user", after: cursor) else { return try reconnect() }
    let sequences = read.events.compactMap { $0.id.flatMap(EventID.init)?.sequence }
    #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
    #expect(sequences.allSatisfy { $0 > cursor })
    cursor = read.cursor
    for event in read.events { take(event) }
    #expect(awaited.isEmpty)
  }

  mutating func reconnect() throws {
    logs.close(streamID: "\(streams)", of: "user", now: now)
    try open()
    try read()
  }

  private mutating func open() throws {
    streams += 1
    let opening = try logs.open(streamID: "\(streams)", for: user, lastEventID: lastEventID, now: now)
    cursor = opening.cursor
    if opening.hello.data.contains(#""isReset":true"#) {
      // The oldest are lost, and it is told; the rest comes all the same.
      #expect(awaited.count > 8)
      awaited.removeFirst(awaited.count - 8)
    }
    lastEventID = opening.hello.id
  }

  private mutating func take(_ event: LoggedEvent) {
    lastEventID = event.id
    if event.name == .presence {
      knownPresence[subject(event.data)] = event.data
    } else if event.data == awaited.first {
      awaited.removeFirst()
    } else {
      Issue.record("unexpected \(event.data), awaited \(awaited)")
    }
  }

  private func subject(_ data: String) -> Substring { data.split(separator: ",")[3] }
}
