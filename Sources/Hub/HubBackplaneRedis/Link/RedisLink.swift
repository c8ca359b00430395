internal import HubCore
internal import Logging
internal import RedisWire

/// Commands to Redis, whose failures are the hub's refusals.
struct RedisLink: Sendable {
  let client: RedisClient
  let logger: Logger

  /// Sends all in one go; returns a reply each, none of which is an error.
  @discardableResult
  func run(_ commands: [RedisCommand]) async throws(HubRefusal) -> [RedisValue] {
    guard !commands.isEmpty else { return [] }
    let replies: [RedisValue]
    do {
      replies = try await client.send(commands)
    } catch {
      throw Self.unreachable
    }
    for reply in replies {
      guard case .error(let error) = reply else { continue }
      logger.error("Redis refuses a command: \(error)")
      throw Self.unreachable
    }
    return replies
  }

  @discardableResult
  func run(_ command: RedisCommand) async throws(HubRefusal) -> RedisValue { try await run([command])[0] }

  static var unreachable: HubRefusal {
    .overloaded("what the hub's nodes know in common cannot be reached", retryAfter: Int.random(in: 1...5))
  }
}

extension RedisCommand {
  /// A function of ``FunctionLibrary``; all keys carry one hash tag.
  static func call(_ function: String, _ keys: [String], _ arguments: [String] = []) -> RedisCommand {
    RedisCommand("FCALL", ["ls1_\(function)", "\(keys.count)"] + keys + arguments)
  }
}

extension RedisValue {
  /// A member of an array; null where there is none.
  subscript(index: Int) -> RedisValue {
    guard case .array(let values) = self, values.indices.contains(index) else { return .null }
    return values[index]
  }

  var elements: [RedisValue] {
    if case .array(let values) = self { values } else { [] }
  }

  var texts: [String] { elements.compactMap(\.text) }

  /// Also of a number as text, as scripts return those that are no whole numbers.
  var number: Int64? {
    switch self {
    case .integer(let value): value
    default: text.flatMap { Int64($0) }
    }
  }

  /// Nil for an empty text as well.
  var nonEmptyText: String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
