/// What happens to a server's contents when it ends, and when its memory is full.
public struct RedisDurability: Sendable, Equatable {
  public var server: String
  /// Whether the contents are written to disk, by `appendonly` or `save`; nil where the user may not ask.
  public var isPersistent: Bool?
  /// `maxmemory-policy`; nil where the user may not ask.
  public var evictionPolicy: String?

  /// Reads replies to `INFO persistence`, `INFO memory` and `CONFIG GET save`.
  init(server: String, _ replies: [RedisValue]) {
    self.server = server
    evictionPolicy = Self.field("maxmemory_policy", of: replies[1])
    let save = replies[2].elements.map { $0.count >= 2 && $0[1].text?.isEmpty == false }
    isPersistent = Self.field("aof_enabled", of: replies[0]) == "1" ? true : save
  }

  private static func field(_ name: String, of info: RedisValue) -> String? {
    let lines = info.text?.split(whereSeparator: \.isNewline) ?? []
    return lines.first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 1)) }
  }
}

extension RedisClient {
  /// Asks each server that takes writes. A user without the commands `INFO` and `CONFIG GET` learns nothing.
  public func durability() async throws(RedisFailure) -> [RedisDurability] {
    let questions = [
      RedisCommand("INFO", "persistence", keyPosition: nil), RedisCommand("INFO", "memory", keyPosition: nil),
      RedisCommand("CONFIG", "GET", "save", keyPosition: nil),
    ]
    return try await broadcast(questions).map { RedisDurability(server: $0.server, $0.replies) }
  }
}
