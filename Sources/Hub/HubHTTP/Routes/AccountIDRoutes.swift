internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `POST /v1/account-ids`: a device asks whose accounts have titles, for the ids that its files name.
///
/// Only accounts have ids to be named: anonymous users and guests, who choose their titles themselves, are never found.
struct AccountIDRoutes {
  /// With as many titles as may be there.
  static let maximumBytes = 8 << 10

  let hub: Hub
  let store: any HubStore

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/account-ids") { request, context in
      let device = try context.principal
      guard device.kind == .device, device.role != .anonymous else {
        throw HubRefusal.notAllowed("only devices with an account ask for the ids of titles")
      }
      try await hub.backplane.admitToken(for: "account ids for \(device.userID)")
      let titles = try await request.decode(AccountIDsRequest.self, upTo: Self.maximumBytes).titles
      guard (1...AccountIDsRequest.maxTitles).contains(titles.count),
        titles.allSatisfy({ (1...Title.maximumBytes).contains($0.utf8.count) })
      else {
        throw HubRefusal.invalid(
          field: "titles",
          reason: "must be 1 to \(AccountIDsRequest.maxTitles) of at most \(Title.maximumBytes) bytes each")
      }
      return try Response.json(AccountIDs(items: try await accounts(titles, knownTo: device)))
    }
  }

  /// An account that shares no group with the device is as unknown as one that is not there.
  private func accounts(_ titles: [String], knownTo device: Principal) async throws -> [TitledAccount] {
    var items: [TitledAccount] = []
    for title in titles {
      guard let user = try await store.user(title: title), !user.groups.isDisjoint(with: device.groups) else {
        continue
      }
      items.append(TitledAccount(title: title, userID: user.id, userTitle: user.title))
    }
    return items
  }
}
