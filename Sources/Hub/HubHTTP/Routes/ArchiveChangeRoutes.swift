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
  /// What the hub's audit log calls it; a name is in the device's log alone.
  fileprivate var auditKind: AuditKind? {
    switch self {
    case .lock: .archiveLocked
    case .unlock: .archiveUnlocked
    case .delete: .archiveDeleted
    case .rename: nil
    }
  }
}

extension ArchiveRoutes {
  func addChanges(to router: some RouterMethods<HubRequestContext>) {
    let archive = router.group("/v1/users/:userID/archives/:archiveID")
    archive.patch { request, context in
      try await change(try await request.decode(ArchiveWish.self, upTo: ArchiveWish.maximumBytes).change, context)
    }
    archive.delete { _, context in try await change(.delete, context) }
    archive.get("thumbnail") { _, context in try await fetch(.thumbnail(try archiveID(context)), context) }
  }

  private func change(_ change: ArchiveChange, _ context: HubRequestContext) async throws -> Response {
    let archiveID = try archiveID(context)
    let response = try await fetch(by: context) { token in .change(archiveID, change, requesterToken: token) }
    guard let kind = change.auditKind else { return response }
    let requester = try context.principal
    audit.record(
      AuditEvent(
        kind,
        by: AuditActor(
          .account, id: requester.userID, title: requester.userTitle, address: context.clientNetwork,
          loginID: try context.claims.loginID), on: AuditSubject(.archive, id: archiveID.text),
        changes: [AuditChange(.device, to: context.parameters.get("userID"))], groups: requester.groups))
    return response
  }

  private func archiveID(_ context: HubRequestContext) throws(HubRefusal) -> ArchiveID {
    guard let id = context.parameters.get("archiveID").flatMap({ ArchiveID($0) }) else {
      throw .invalid(field: "archiveID", reason: "not an archive's id")
    }
    return id
  }
}
