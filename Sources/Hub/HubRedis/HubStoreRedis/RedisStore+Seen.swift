internal import FoundationEssentials
public import HubStore
internal import RedisClient

extension RedisStore {
  public func noteSeen(_ seen: [SeenRecord]) async throws {
    for portion in Self.portions(of: seen) {
      let fields = portion.flatMap { [$0.userID, Self.text($0)] }
      _ = try await send(
        .functionCall(
          AccountFunctions.noteSeen, keys: [AccountKeys.accounts, AccountKeys.seen], arguments: fields))
    }
  }

  public func seen(_ userIDs: [String]) async throws -> [String: SeenRecord] {
    var found: [String: SeenRecord] = [:]
    for portion in Self.portions(of: userIDs) {
      let texts = try await send(RedisCommand("HMGET", [AccountKeys.seen] + portion)).elements ?? []
      for (id, text) in zip(portion, texts) { found[id] = text.text.flatMap(Self.seen) }
    }
    return found
  }

  public func noteReports(_ reports: [ReportRecord]) async throws {
    for portion in Self.portions(of: reports) {
      let fields = portion.flatMap { [$0.userID, Self.text(StoredReport($0))] }
      _ = try await send(RedisCommand("HSET", [AccountKeys.reports] + fields))
    }
  }

  public func reports(_ userIDs: [String]) async throws -> [String: ReportRecord] {
    var found: [String: ReportRecord] = [:]
    for portion in Self.portions(of: userIDs) {
      let texts = try await send(RedisCommand("HMGET", [AccountKeys.reports] + portion)).elements ?? []
      for (id, text) in zip(portion, texts) { found[id] = text.text.flatMap { Self.report($0, of: id) } }
    }
    return found
  }

  private static func portions<Element>(of all: [Element]) -> [[Element]] {
    stride(from: 0, to: all.count, by: 256).map { Array(all[$0..<min($0 + 256, all.count)]) }
  }

  private static func text(_ record: some Encodable) -> String {
    guard let data = try? JSONEncoder().encode(record) else { preconditionFailure("a record cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  /// Nil for what a newer version wrote: it is no account, and nothing depends on it.
  private static func seen(_ text: String) -> SeenRecord? {
    try? JSONDecoder().decode(SeenRecord.self, from: Data(text.utf8))
  }

  /// Likewise.
  private static func report(_ text: String, of userID: String) -> ReportRecord? {
    (try? JSONDecoder().decode(StoredReport.self, from: Data(text.utf8)))?.record(of: userID)
  }
}
