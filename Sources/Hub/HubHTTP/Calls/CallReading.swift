internal import HubCore
internal import HubStore
internal import Signalling

/// What a person asks of the call history.
struct CallQuery {
  static let maximumLimit = 200
  /// What JSON's numbers hold exactly.
  static let times: ClosedRange<Int64> = 0...Int64(1) << 53

  var before: CallPlace?
  var limit = 50
  /// Only calls with this user.
  var userID: String?
}

/// Which calls a person may see: the own ones, an operator those of devices in the operator's groups, an administrator
/// those of all devices; what people say to each other is theirs.
///
/// To an operator a device's calls are shown if it shared a group with the operator when the call was placed, and shares one now: neither
/// does a device that moves take what others have done along, nor does one that left a group stay open to it.
struct CallReading {
  private static let portion = 200
  /// Records that one request looks at; what follows is the next page's.
  private static let maximumScanned = 2_000

  let store: any HubStore
  let principals: PrincipalCache

  /// The newest first, with where the next page begins.
  func page(_ query: CallQuery, for asker: Principal) async throws -> (calls: [CallEntry], next: CallPlace?) {
    let isOperator = asker.role == .operator
    let seesAllDevices = try await isAdministrator(asker)
    let owner = isOperator ? query.userID : asker.userID
    var (calls, devices, place): ([CallEntry], [String: Principal?], CallPlace?) = ([], [:], query.before)
    for _ in 0..<Self.maximumScanned / Self.portion {
      let records = try await store.calls(ofUser: owner, before: place, limit: Self.portion)
      for record in records {
        // The other party's record of the call that comes first.
        let isRepeated = record.place == place
        place = record.place
        guard !isRepeated, query.userID.map(record.hasParty) ?? true,
          try await isShown(record, to: asker, seesAllDevices, &devices)
        else { continue }
        calls.append(record.call.shown(to: asker))
        if calls.count == query.limit { return (calls, place) }
      }
      if records.count < Self.portion { return (calls, nil) }
    }
    return (calls, place)
  }

  /// As the account is now.
  private func isAdministrator(_ asker: Principal) async throws -> Bool {
    guard asker.role == .operator, let account = try await store.user(id: asker.userID)?.standing else { return false }
    return account.role == .administrator && account.isInCharge
  }

  private func isShown(
    _ record: CallRecord, to asker: Principal, _ seesAllDevices: Bool, _ devices: inout [String: Principal?]
  ) async throws -> Bool {
    if record.hasParty(asker.userID) || seesAllDevices && record.hasDevice { return true }
    guard asker.role == .operator else { return false }
    for (party, groups) in record.parties
    where party.kind == .device && !groups.isDisjoint(with: asker.groups) {
      let known = devices[party.userID]
      let device = if let known { known } else { try await principals.principal(ofAccount: party.userID) }
      devices[party.userID] = .some(device)
      if device?.sharesGroup(with: asker) ?? false { return true }
    }
    return false
  }
}

extension CallRecord {
  var parties: [(party: SessionParty, groups: Set<String>)] {
    [(call.caller, callerGroups), (call.receiver, receiverGroups)]
  }

  var owner: SessionParty { call.caller.userID == ownerID ? call.caller : call.receiver }

  fileprivate var hasDevice: Bool { parties.contains { $0.party.kind == .device } }

  func hasParty(_ userID: String) -> Bool { parties.contains { $0.party.userID == userID } }
}

extension CallEntry {
  /// Recordings are operators' to fetch.
  fileprivate func shown(to asker: Principal) -> CallEntry {
    var call = self
    if asker.role != .operator { call.archiveID = nil }
    return call
  }
}
