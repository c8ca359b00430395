internal import HubStore
internal import Signalling
internal import Testing

extension HubStoreConformance {
  func keepsTheAuditLogInOrder() async throws {
    let store = try await makeStore()
    #expect(try await store.audit(before: nil, limit: 10).isEmpty)
    let records = (0..<6).map { makeRecord("\($0)", isRoutine: $0.isMultiple(of: 2)) }
    try await store.appendAudit(Array(records[..<3]), keeping: wide)
    try await store.appendAudit(Array(records[3...]), keeping: wide)
    let found = try await store.audit(before: nil, limit: 10)
    #expect(found.map(\.withoutID) == records.reversed())
    #expect(Set(found.map(\.entry.id)).count == 6)
    // Pages follow each other without a gap, and what is no id finds nothing.
    let page = try await store.audit(before: found[1].entry.id, limit: 2)
    #expect(page == Array(found[2..<4]))
    #expect(try await store.audit(before: found[5].entry.id, limit: 10).isEmpty)
    for cursor in ["", "x", "1-2-3", "-", "0-0", "18446744073709551616-0", "9999999999999999999999"] {
      #expect(try await store.audit(before: cursor, limit: 10).isEmpty, "\(cursor)")
    }
  }

  func boundsTheAuditLog() async throws {
    let store = try await makeStore()
    try await store.appendAudit([makeRecord("change", isRoutine: false)], keeping: wide)
    var bounds = wide
    bounds.maximumOfEach = 3
    for number in 0..<8 {
      try await store.appendAudit([makeRecord("login \(number)", isRoutine: true)], keeping: bounds)
    }
    // What anybody can cause pushes out nothing else.
    let titles = try await store.audit(before: nil, limit: 10).map(\.entry.actor.title)
    #expect(titles == ["login 7", "login 6", "login 5", "change"])
  }

  private var wide: AuditBounds { AuditBounds(oldest: 0, maximumOfEach: 1_000) }

  private func makeRecord(_ title: String, isRoutine: Bool) -> AuditRecord {
    AuditRecord(
      entry: AuditEntry(
        at: 1_800_000_000_000, kind: AuditKind.login.rawValue,
        actor: AuditActor(.account, id: "1", title: title, address: "192.0.2.1", loginID: "login"),
        subject: AuditSubject(.device, id: "2", title: "Door\n\"}'; DROP TABLE audit"), outcome: .done,
        changes: [AuditChange(.groups, from: "a", to: nil)], count: 2, lastAt: 1_800_000_000_001),
      groups: ["default", "b"], isRoutine: isRoutine)
  }
}

extension AuditRecord {
  fileprivate var withoutID: AuditRecord {
    var copy = self
    copy.entry.id = ""
    return copy
  }
}
