internal import HubCore
internal import HubStore
internal import Signalling
internal import Testing

extension HubStoreConformance {
  func updatesWhatIsStillSo() async throws {
    let store = try await makeStore()
    let first = makeUser("1", "Door")
    try await store.insert(first)
    var second = first
    second.isDisabled = true
    second.credential = .password("another")
    #expect(try await store.update(second, ifStill: first))
    let stored = try #require(try await store.user(id: "1"))
    #expect(stored.isDisabled && stored.credentialGeneration == first.credentialGeneration + 1)
    // What was read before that change is out of date.
    var late = first
    late.title = "Gate"
    #expect(try await !store.update(late, ifStill: first))
    #expect(try await store.user(id: "1") == stored)
    #expect(try await !store.update(makeUser("9", "Nine"), ifStill: makeUser("9", "Nine")))
    try await store.insert(makeUser("2", "Gate"))
    var taken = stored
    taken.title = "GATE"
    await #expect(throws: HubStoreError.titleTaken) { _ = try await store.update(taken, ifStill: stored) }
  }

  func notesWhenUsersWereSeen() async throws {
    let store = try await makeStore()
    for id in ["1", "2"] { try await store.insert(makeUser(id, "user \(id)")) }
    let revision = try await store.accountRevision()
    #expect(try await store.seen(["1", "2"]).isEmpty)
    try await store.noteSeen([])
    let (early, late) = (
      SeenRecord(userID: "1", at: 1_800_000_000_000, client: "livesessionsd/1.0"),
      SeenRecord(userID: "1", at: 1_800_000_300_000, client: "Firefox \"ö\"")
    )
    let other = SeenRecord(userID: "2", at: 1_800_000_000_001, client: "")
    try await store.noteSeen([early, other])
    try await store.noteSeen([late])
    #expect(try await store.seen(["1", "2", "3"]) == ["1": late, "2": other])
    #expect(try await store.accountRevision() == revision)
    try await store.removeUser(id: "1")
    #expect(try await store.seen(["1"]).isEmpty)
    let many = (0..<1_200).map { "\($0)" }
    #expect(try await store.seen(many) == ["2": other])
    // What was removed meanwhile stays so.
    try await store.noteSeen([late, SeenRecord(userID: "2", at: 1_800_000_600_000, client: "")])
    #expect(try await store.seen(["1", "2"]).mapValues(\.at) == ["2": 1_800_000_600_000])
  }

  func leavesSomeoneInCharge() async throws {
    let store = try await makeStore()
    let (anna, ben) = (makeAdministrator("1"), makeAdministrator("2"))
    try await store.insert(anna)
    try await store.insert(makeUser("3", "operator", role: .operator))
    await #expect(throws: HubStoreError.lastInCharge) { try await store.removeUser(id: "1", leaving: .someoneInCharge) }
    await #expect(throws: HubStoreError.lastInCharge) { try await disable(anna, in: store) }
    try await store.insert(ben)
    #expect(try await disable(anna, in: store))
    await #expect(throws: HubStoreError.lastInCharge) { try await disable(ben, in: store) }
    #expect(try await store.removeUser(id: "1", leaving: .someoneInCharge))
    #expect(try await store.removeUser(id: "3", leaving: .someoneInCharge))
    // The owner of the store may.
    #expect(try await store.removeUser(id: "2"))
  }

  /// All administrators go at the same moment, each because of the others: one stays.
  func oneOfManyStaysInCharge() async throws {
    let store = try await makeStore()
    let chiefs = (0..<8).map { makeAdministrator("\($0)") }
    for chief in chiefs { try await store.insert(chief) }
    await withTaskGroup(of: Void.self) { group in
      for (index, chief) in chiefs.enumerated() {
        group.addTask {
          // Where others are quicker, a store may say so: the change is tried again.
          for _ in 0..<100 {
            do {
              if index.isMultiple(of: 2) {
                try await store.removeUser(id: chief.id, leaving: .someoneInCharge)
                return
              }
              if try await disable(chief, in: store) { return }
            } catch HubStoreError.lastInCharge {
              return
            } catch {}
          }
        }
      }
    }
    #expect(try await store.users().count { $0.standing.isInCharge } == 1)
  }

  func keepsWhatDevicesReport() async throws {
    let store = try await makeStore()
    for id in ["1", "2"] { try await store.insert(makeUser(id, "user \(id)")) }
    let revision = try await store.accountRevision()
    #expect(try await store.reports(["1", "2"]).isEmpty)
    try await store.noteReports([])
    var report = DeviceReport(version: "1.2.3", uptime: 86_400, cameras: 2, isClockSynchronized: true)
    let plain = ReportRecord(userID: "1", at: 1_800_000_000_000, report: report)
    (report.problems, report.problem) = (["camera yard", "archives"], "\"/dev/video2\": kein Gerät")
    (report.diskFree, report.diskCapacity, report.temperature) = (0, 64_000_000_000, 48.5)
    (report.lastEvent, report.lastEventAt, report.permits) = ("motion", 1_800_000_000_001, ["call", "watch"])
    let full = ReportRecord(userID: "1", at: 1_800_000_300_000, report: report)
    let other = ReportRecord(userID: "2", at: 1_800_000_000_002, report: plain.report)
    try await store.noteReports([plain, other])
    #expect(try await store.reports(["1", "2", "3"]) == ["1": plain, "2": other])
    try await store.noteReports([full])
    try await store.noteSeen([SeenRecord(userID: "1", at: 1_800_000_400_000, client: "livesessionsd/1.2.3")])
    #expect(try await store.reports(["1"]) == ["1": full])
    #expect(try await store.accountRevision() == revision)
    try await store.removeUser(id: "1")
    #expect(try await store.reports((0..<1_200).map { "\($0)" }) == ["2": other])
  }
}

private func makeAdministrator(_ id: String) -> UserRecord {
  var user = makeUser(id, "chief \(id)", role: .operator)
  user.isAdministrator = true
  return user
}

private func disable(_ user: UserRecord, in store: any HubStore) async throws -> Bool {
  var disabled = user
  disabled.isDisabled = true
  return try await store.update(disabled, ifStill: user, leaving: .someoneInCharge)
}
