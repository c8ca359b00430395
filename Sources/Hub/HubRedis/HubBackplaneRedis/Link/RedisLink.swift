internal import HubCore
internal import SystemSupport
internal import Logging
internal import RedisClient

/// Commands to Redis, whose failures are the hub's refusals.
final class RedisLink: Sendable {
  /// Sends commands in stages and returns a reply each.
  typealias Sender = @Sendable ([[RedisCommand]]) async throws(RedisFailure) -> [RedisValue]

  let gauge: RedisGauge
  let logger: Logger
  private let send: Sender
  /// What Redis refused last, and when that was said.
  private let refusal = Mutex<(message: String, saidAt: Instant)?>(nil)

  /// - Parameter send: such as ``RedisClient/RedisClient/send(stages:)``.
  init(logger: Logger, gauge: RedisGauge = RedisGauge(), send: @escaping Sender) {
    (self.send, self.gauge, self.logger) = (send, gauge, logger)
  }

  /// Sends all in one go; returns a reply each, none of which is an error.
  @discardableResult
  func run(_ commands: [RedisCommand]) async throws(HubRefusal) -> [RedisValue] {
    guard !commands.isEmpty else { return [] }
    return try await run(stages: [commands])
  }

  /// Sends all in one go, but where that is more than one server each stage only after the one before has succeeded.
  @discardableResult
  func run(stages: [[RedisCommand]]) async throws(HubRefusal) -> [RedisValue] {
    let start = Instant.now
    let replies: [RedisValue]
    do {
      replies = try await send(stages)
    } catch {
      gauge.failed()
      throw Self.unreachable
    }
    gauge.answered(after: start.duration(to: .now))
    if let error = replies.lazy.compactMap(\.error).first {
      gauge.failed()
      report(error)
      throw Self.unreachable
    }
    return replies
  }

  @discardableResult
  func run(_ command: RedisCommand) async throws(HubRefusal) -> RedisValue { try await run([command])[0] }

  static var unreachable: HubRefusal {
    .overloaded("what the hub's nodes know in common cannot be reached", retryAfter: Int.random(in: 1...5))
  }

  /// A full Redis refuses each write: the same is said once a minute.
  private func report(_ error: RedisError) {
    let isNew = refusal.withLock { refusal in
      if let refusal, refusal.message == error.message, refusal.saidAt + .seconds(60) > .now { return false }
      refusal = (error.message, .now)
      return true
    }
    if isNew { logger.error("Redis refuses a command, and clients are asked to wait: \(error)") }
  }
}

extension RedisCommand {
  /// A function of ``FunctionLibrary``; all keys carry one hash tag.
  static func call(_ function: String, _ keys: [String], _ arguments: [String] = []) -> RedisCommand {
    functionCall(FunctionLibrary.prefix + function, keys: keys, arguments: arguments)
  }
}

extension RedisValue {
  /// A member of an array; null where there is none.
  subscript(index: Int) -> RedisValue {
    guard let elements, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  /// None for what is no array.
  var members: [RedisValue] { elements ?? [] }

  var texts: [String] { members.compactMap(\.text) }

  /// Nil for an empty text as well.
  var nonEmptyText: String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
