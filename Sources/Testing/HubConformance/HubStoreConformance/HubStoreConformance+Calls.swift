internal import HubCore
internal import HubStore
internal import Signalling
internal import Testing

extension HubStoreConformance {
  func keepsCalls() async throws {
    let store = try await makeStore()
    #expect(try await store.calls(ofUser: "anna", before: nil, limit: 10).isEmpty)
    let first = makeCall("s-1", from: "door", to: "anna", at: 1, title: "Door \"x\" \u{1F600}")
    let second = makeCall("s-2", from: "anna", to: "ben", at: 2, outcome: .answered)
    #expect(try await store.insertCalls(second) == ["anna", "ben"])
    #expect(try await store.insertCalls(first) == ["door", "anna"])
    #expect(try await store.insertCalls(first).isEmpty)
    #expect(try await store.insertCalls([]).isEmpty)
    #expect(try await store.calls(ofUser: "anna", before: nil, limit: 10) == [second[0], first[1]])
    #expect(try await store.calls(ofUser: "ben", before: nil, limit: 10) == [second[1]])
    #expect(try await store.calls(ofUser: "ann", before: nil, limit: 10).isEmpty)
    #expect(
      try await store.calls(ofUser: nil, before: nil, limit: 10).map(\.ownerID) == ["ben", "anna", "door", "anna"])
  }

  /// Also calls that ended at one moment, and those of both parties.
  func listsCallsInPages() async throws {
    let store = try await makeStore()
    for number in 1...6 {
      _ = try await store.insertCalls(makeCall(session(number), from: "door", to: "anna", at: Int64(number / 3)))
    }
    var (seen, place): ([SessionID], CallPlace?) = ([], nil)
    while let last = try await store.calls(ofUser: "anna", before: place, limit: 2).last {
      seen += try await store.calls(ofUser: "anna", before: place, limit: 2).map(\.call.sessionID)
      place = last.place
    }
    #expect(seen == ["s-6", "s-5", "s-4", "s-3", "s-2", "s-1"])
    let third = CallPlace(endedAt: makeCall("s-4", from: "door", to: "anna", at: 1)[0].call.endedAt, sessionID: "s-4")
    #expect(try await store.calls(ofUser: nil, before: third, limit: 3).map(\.call.sessionID) == ["s-3", "s-3", "s-2"])
    #expect(CallPlace(third.text) == third)
  }

  func countsMissedCalls() async throws {
    let store = try await makeStore()
    #expect(try await store.missedCallCount(ofUser: "anna") == 0)
    for (number, outcome) in CallEntry.Outcome.allCases.enumerated() {
      _ = try await store.insertCalls(
        makeCall(session(number), from: "door", to: "anna", at: Int64(number), outcome: outcome))
    }
    let missed = CallEntry.Outcome.allCases.indices.filter { CallEntry.Outcome.allCases[$0].isMissed }
    #expect(try await store.missedCallCount(ofUser: "anna") == missed.count)
    #expect(try await store.missedCallCount(ofUser: "door") == 0)
    let last = makeCall("s", from: "door", to: "anna", at: Int64(try #require(missed.last)))[0].call.endedAt
    try await store.noteCallsSeen(until: last - 1, byUser: "anna")
    #expect(try await store.missedCallCount(ofUser: "anna") == 1)
    try await store.noteCallsSeen(until: last, byUser: "anna")
    try await store.noteCallsSeen(until: 5, byUser: "anna")
    #expect(try await store.missedCallCount(ofUser: "anna") == 0)
  }

  func forgetsOldCalls() async throws {
    let store = try await makeStore()
    for number in 1...6 {
      _ = try await store.insertCalls(makeCall(session(number), from: "door", to: "anna", at: Int64(number)))
    }
    let third = makeCall("s-3", from: "door", to: "anna", at: 3)[0].call.endedAt
    try await store.trimCalls(endedBefore: third, maximum: 100)
    #expect(try await store.calls(ofUser: "door", before: nil, limit: 10).count == 4)
    #expect(try await store.missedCallCount(ofUser: "anna") == 4)
    try await store.trimCalls(endedBefore: 0, maximum: 2)
    #expect(try await store.calls(ofUser: nil, before: nil, limit: 10).map(\.call.sessionID) == ["s-6", "s-6"])
    try await store.trimCalls(endedBefore: .max, maximum: 2)
    #expect(try await store.calls(ofUser: nil, before: nil, limit: 10).isEmpty)
    #expect(try await store.missedCallCount(ofUser: "anna") == 0)
  }

  func forgetsCallsWithTheirUser() async throws {
    let store = try await makeStore()
    try await store.insert(
      UserRecord(
        id: "anna", title: "Anna", role: .user, kind: .person, groups: ["default"], credential: .password("hash"),
        createdAt: 1))
    let call = makeCall("s", from: "door", to: "anna", at: 1)
    _ = try await store.insertCalls(call)
    try await store.noteCallsSeen(until: call[0].call.endedAt, byUser: "anna")
    try await store.removeUser(id: "anna")
    #expect(try await store.calls(ofUser: "anna", before: nil, limit: 10).isEmpty)
    #expect(try await store.calls(ofUser: "door", before: nil, limit: 10) == [call[0]])
    _ = try await store.insertCalls(call)
    #expect(try await store.missedCallCount(ofUser: "anna") == 1)
  }

  func boundsAUsersCalls() async throws {
    let store = try await makeStore()
    for number in 0..<CallRecord.maximumPerUser + 2 {
      let peer = number.isMultiple(of: 2) ? "door" : "gate"
      _ = try await store.insertCalls(makeCall(session(number), from: peer, to: "anna", at: Int64(number)))
    }
    let left = try await store.calls(ofUser: "anna", before: nil, limit: 2 * CallRecord.maximumPerUser)
    #expect(left.count == CallRecord.maximumPerUser && left.last?.call.sessionID == "s-2")
    #expect(try await store.missedCallCount(ofUser: "anna") == CallRecord.maximumPerUser)
    #expect(try await store.calls(ofUser: "gate", before: nil, limit: 1_000).count == left.count / 2 + 1)
  }
}

private func session(_ number: Int) -> SessionID { SessionID("s-\(number)")! }

/// The records of both parties, the caller's first.
private func makeCall(
  _ id: SessionID, from callerID: String, to receiverID: String, at time: Int64, title: String = "Title",
  outcome: CallEntry.Outcome = .unanswered
) -> [CallRecord] {
  let end = 1_800_000_000_000 + time
  let call = CallEntry(
    sessionID: id, caller: SessionParty(userID: callerID, userTitle: title, kind: .device),
    receiver: SessionParty(userID: receiverID, userTitle: receiverID, kind: .person), media: .video, outcome: outcome,
    reason: "hangup", startedAt: end - 10, ringingAt: end - 5, answeredAt: nil, endedAt: end, archiveID: "a-1")
  return [callerID, receiverID].map {
    CallRecord(ownerID: $0, call: call, callerGroups: ["b", "a"], receiverGroups: ["default"])
  }
}
