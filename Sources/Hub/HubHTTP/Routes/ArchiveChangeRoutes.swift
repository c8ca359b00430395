internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// The body of `PATCH …/archives/{archiveID}`: one of the two.
struct ArchiveWish: Decodable {
  static let maximumBytes = 1_024
  var isLocked: Bool?
  var name: String?

  var change: ArchiveChange {
    get throws(HubRefusal) {
      switch (isLocked, name) {
      case (true?, nil): return .lock
      case (false?, nil): return .unlock
      case (nil, let name?):
        guard name.utf8.count <= ArchiveChange.longestName else {
          throw .invalid(field: "name", reason: "has more than \(ArchiveChange.longestName) bytes")
        }
        return .rename(name)
      case (nil, nil), (_?, _?): throw .invalid(field: "isLocked, name", reason: "give one of them")
      }
    }
  }
}

extension ArchiveChange {
  /// What the hub's audit log calls it.
  fileprivate var auditKind: AuditKind {
    switch self {
    case .lock: .archiveLocked
    case .unlock: .archiveUnlocked
    case .delete: .archiveDeleted
    case .rename: .archiveRenamed
    }
  }

  /// The name that was given.
  fileprivate var name: String? {
    switch self {
    case .rename(let name): name
    case .lock, .unlock, .delete: nil
    }
  }
}

extension ArchiveRoutes {
  func addChanges(to router: some RouterMethods<HubRequestContext>) {
    let archive = router.group("/v1/users/:userID/archives/:archiveID")
    archive.patch { request, context in
      try checkRights(.change, context)
      let wish = try await request.decode(ArchiveWish.self, upTo: ArchiveWish.maximumBytes)
      return try await change(try wish.change, request, context)
    }
    archive.delete { request, context in try await change(.delete, request, context) }
    archive.get("thumbnail") { _, context in try await fetch(.thumbnail(try archiveID(context)), context) }
  }

  private func change(
    _ change: ArchiveChange, _ request: Request, _ context: HubRequestContext
  ) async throws -> Response {
    let archiveID = try archiveID(context)
    let origin = LoginRecord.Origin(request, context)
    do {
      let response = try await fetch(by: context) { token in .change(archiveID, change, requesterToken: token) }
      try await note(change, archiveID, .done, from: origin, context)
      return response
    } catch let refusal as HubRefusal {
      if let outcome = Self.outcomes[refusal.problem.status] {
        try await note(change, archiveID, outcome, from: origin, context)
      }
      throw refusal
    }
  }

  /// Of a change that the device was asked for, by the status of what became of it: one that does not answer in time may yet
  /// have done it.
  private static let outcomes: [Int: AuditOutcome] = [403: .refused, 409: .failed, 502: .failed, 504: .failed]

  /// What an operator did to a device's archive, or may not do by the device's policy.
  private func note(
    _ change: ArchiveChange, _ archiveID: ArchiveID, _ outcome: AuditOutcome, from origin: LoginRecord.Origin,
    _ context: HubRequestContext
  ) async throws {
    let identity = Identity(principal: try context.principal, claims: try context.claims)
    guard identity.principal.role == .operator else { return }
    let device = try? await store.user(id: try context.parameters.require("userID"))
    let name = change.name.map { AuditChange(.title, to: $0) }
    audit.record(
      AuditEvent(
        change.auditKind, by: AuditActor(identity, from: origin), on: AuditSubject(.archive, id: archiveID.text),
        outcome: outcome, changes: [AuditChange(.device, to: device?.title)] + (name.map { [$0] } ?? []),
        groups: identity.principal.groups.union(device?.groups ?? [])))
  }

  private func archiveID(_ context: HubRequestContext) throws(HubRefusal) -> ArchiveID {
    guard let id = context.parameters.get("archiveID").flatMap({ ArchiveID($0) }) else {
      throw .invalid(field: "archiveID", reason: "not an archive's id")
    }
    return id
  }
}
