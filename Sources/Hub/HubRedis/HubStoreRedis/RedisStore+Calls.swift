internal import FoundationEssentials
public import HubStore
internal import RedisClient
internal import Signalling

extension RedisStore {
  /// Calls that one step forgets.
  private static let callPortion = 500

  public func insertCalls(_ records: [CallRecord]) async throws -> Set<String> {
    let arguments = records.flatMap { record in
      [
        record.ownerID, Self.digits(record.call.endedAt), record.call.sessionID.text, record.isMissed ? "1" : "",
        encodedText(of: record),
      ]
    }
    let reply = try await send(
      .functionCall(
        CallFunctions.insert, keys: CallKeys.history, arguments: ["\(CallRecord.maximumPerUser)"] + arguments))
    return Set(reply.elements?.compactMap(\.text) ?? [])
  }

  public func calls(ofUser userID: String?, before place: CallPlace?, limit: Int) async throws -> [CallRecord] {
    let fields: [String]
    if let userID {
      let start = place.map { "(\(userID)\0\(Self.text($0))" } ?? "(\(userID)\u{1}"
      let places = try await newest(CallKeys.order, from: start, to: "[\(userID)\0", limit)
      fields = places.compactMap { $0.last.map { "\(userID)\0\($0)" } }
    } else {
      let start = place.map { "(\(Self.text($0))" } ?? "+"
      let places = try await newest(CallKeys.times, from: start, to: "-", limit)
      fields = places.compactMap { $0.count == 3 ? "\($0[2])\0\($0[1])" : nil }
    }
    guard !fields.isEmpty else { return [] }
    let texts = try await send(RedisCommand("HMGET", [CallKeys.calls] + fields)).elements ?? []
    return texts.compactMap(\.text).compactMap { try? JSONDecoder().decode(CallRecord.self, from: Data($0.utf8)) }
  }

  public func missedCallCount(ofUser userID: String) async throws -> Int {
    let seen = try await send(RedisCommand("HGET", CallKeys.seen, userID)).text ?? ""
    // Bounded by what a user may have; ZLEXCOUNT is none of the commands that Redis' administrators have allowed so far.
    let range = [CallKeys.missed, "(\(userID)\0\(seen)\u{1}", "(\(userID)\u{1}", "BYLEX"]
    return try await send(RedisCommand("ZRANGE", range)).elements?.count ?? 0
  }

  public func noteCallsSeen(until time: Int64, byUser userID: String) async throws {
    _ = try await send(
      .functionCall(CallFunctions.see, keys: [CallKeys.seen], arguments: [userID, Self.digits(time)]))
  }

  public func trimCalls(endedBefore time: Int64, maximum: Int) async throws {
    let arguments = [Self.digits(time), "\(maximum)", "\(Self.callPortion)"]
    try await repeating(CallFunctions.trim, keys: CallKeys.history, arguments)
  }

  func removeCalls(ofUser userID: String) async throws {
    try await repeating(
      CallFunctions.remove, keys: CallKeys.history + [CallKeys.seen], [userID, "\(Self.callPortion)"])
  }

  /// Calls a function that forgets a portion until nothing is left to forget; others' requests come in between.
  private func repeating(_ function: String, keys: [String], _ arguments: [String]) async throws {
    while try await send(.functionCall(function, keys: keys, arguments: arguments)).integer ?? 0 >= Self.callPortion {}
  }

  /// The members of a sorted set in parts, the last first.
  private func newest(_ key: String, from start: String, to end: String, _ limit: Int) async throws -> [[String]] {
    let reply = try await send(RedisCommand("ZRANGE", [key, start, end, "BYLEX", "REV", "LIMIT", "0", "\(limit)"]))
    return (reply.elements ?? []).compactMap(\.text).map { $0.split(separator: "\0").map(String.init) }
  }

  private static func text(_ place: CallPlace) -> String { "\(digits(place.endedAt))\0\(place.sessionID)" }

  private static func digits(_ time: Int64) -> String {
    let text = "\(max(0, time))"
    return String(repeating: "0", count: max(0, 19 - text.utf8.count)) + text
  }
}
