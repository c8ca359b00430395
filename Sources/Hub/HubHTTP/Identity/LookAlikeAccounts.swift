internal import HubCore
internal import HubStore
internal import Logging

/// Warns of accounts of earlier versions that people cannot distinguish; they keep working.
func warnOfLookAlikeAccounts(in store: any HubStore, logger: Logger) async throws {
  guard store.mayHoldLookAlikes else { return }
  let groups = Dictionary(grouping: try await store.users()) { UserRecord.titleKey($0.title) }
  for users in groups.values.filter({ $0.count > 1 }).sorted(by: { $0[0].id < $1[0].id }) {
    let accounts = users.map { "\(Title.escaped($0.title)) (\($0.id))" }.joined(separator: ", ")
    logger.warning("these accounts have titles that look the same; remove all but one: \(accounts)")
  }
}
