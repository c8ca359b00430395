internal import FoundationEssentials
internal import HubCore
internal import RedisClient
internal import Signalling

/// A user's presence as the functions return it: principal, status, location, whether it is shown.
struct StoredPresence: Sendable {
  let principal: Principal
  let status: PresenceStatus
  let location: UserLocation?
  /// Has an event stream, so that a call can reach it; others do not see it otherwise.
  let isShown: Bool

  /// Nil where there is none.
  init?(_ fields: RedisValue) {
    guard let principal: Principal = decode(fields[0]), let status = fields[1].text.flatMap(PresenceStatus.init)
    else { return nil }
    self.principal = principal
    self.status = status
    location = decode(fields[2])
    isShown = fields[3].integer == 1
  }

  func announcement(isOnline: Bool) -> PresenceAnnouncement {
    PresenceAnnouncement(principal: principal, isOnline: isOnline, status: status)
  }
}

/// Nil for what is empty, or no such record.
func decode<Record: Decodable>(_ value: RedisValue) -> Record? {
  value.nonEmptyText.flatMap { try? JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
}

/// Records are plain values, so encoding cannot fail. All nodes write the same text for the same record: changes are
/// detected by comparing texts.
func encode(_ record: some Encodable) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  guard let data = try? encoder.encode(record) else { preconditionFailure("a record cannot be encoded") }
  return String(decoding: data, as: UTF8.self)
}
