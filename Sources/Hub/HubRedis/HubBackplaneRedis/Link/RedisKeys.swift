internal import Signalling

/// Names of keys: what is decided together carries one hash tag, so that it lies on one node of a Redis Cluster.
enum RedisKeys {
  static let epoch = "ls:epoch"
  static let nodes = "ls:nodes"
  /// A hash: what each node says of itself.
  static let nodeFigures = "ls:nodes:figures"
  /// The number of sorted sets that hold what is swept in turns.
  static let shardCount: UInt64 = 16

  static func session(_ id: SessionID) -> String { "ls:{s:\(id)}" }

  /// Of two users, regardless of the caller.
  static func pair(_ one: String, _ other: String) -> String { "ls:{p:\(min(one, other)),\(max(one, other))}" }

  static func upload(_ id: String) -> String { "ls:{x:\(id)}" }

  static func limit(_ name: String, _ key: String) -> String { "ls:{r:\(name):\(tag(key))}" }

  /// The users with event streams on a node.
  static func users(ofNode node: String) -> String { "ls:{n:\(tag(node))}:users" }

  static func dueSessions(shard: UInt64) -> String { "ls:{d:\(shard)}:sessions" }

  static func dueSessions(_ id: SessionID) -> String { dueSessions(shard: shard(of: id.text)) }

  /// Sorted sets: the sessions that have not ended by their beginning, for the count that operators see.
  static func liveSessions(shard: UInt64) -> String { "ls:{l:\(shard)}:sessions" }

  static func liveSessions(_ id: SessionID) -> String { liveSessions(shard: shard(of: id.text)) }

  static func goneUsers(shard: UInt64) -> String { "ls:{d:\(shard)}:users" }

  static func goneUsers(_ userID: String) -> String { goneUsers(shard: shard(of: userID)) }

  private static func shard(of text: String) -> UInt64 { hash(text) % shardCount }

  /// The same on every node, unlike `Hasher` (FNV-1a).
  static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The inverse of ``tag(_:)``.
  fileprivate static func untagged(_ name: String, between prefix: String, and suffix: String) -> String? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let tag = String(name.dropFirst(prefix.count).dropLast(suffix.count))
    return tag.replacing("%7B", with: "{").replacing("%7D", with: "}").replacing("%25", with: "%")
  }

  /// A brace within would end the hash tag early.
  static func tag(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "%") })
    else { return text }
    return text.replacing("%", with: "%25").replacing("{", with: "%7B").replacing("}", with: "%7D")
  }
}

/// What is known of one user.
struct UserKeys {
  /// A hash: the open event streams, with the node of each and the last report of its client.
  let clients: String
  /// A hash: the presence, when the last stream closed, where the event log begins.
  let user: String
  /// A stream: the event log.
  let events: String
  /// A sorted set: the live sessions by their beginning.
  let sessions: String
  /// Where the nodes learn that the log has grown.
  let channel: String

  init(_ userID: String) {
    let tag = "ls:{u:\(RedisKeys.tag(userID))}"
    (clients, user, events) = (tag + ":clients", tag, tag + ":events")
    (sessions, channel) = (tag + ":sessions", tag + ":wake")
  }

  /// Nil for another kind of channel.
  static func userID(ofChannel channel: String) -> String? {
    RedisKeys.untagged(channel, between: "ls:{u:", and: "}:wake")
  }
}

/// What is known of one group.
struct GroupKeys {
  /// A GEO set: who is shown and has a position, where it is.
  private let exact: String
  /// A GEO set: the same at rounded positions.
  private let rounded: String
  /// A set: those too near to a pole for a GEO set.
  let polar: String
  /// A sorted set of `title`, 0, `userID`: who is shown and has no position.
  let unplaced: String
  /// A stream: the last announcements.
  let news: String
  let channel: String

  init(_ group: String) {
    let tag = "ls:{g:\(RedisKeys.tag(group))}"
    (exact, rounded) = (tag + ":exact", tag + ":rounded")
    (polar, unplaced) = (tag + ":polar", tag + ":unplaced")
    (news, channel) = (tag + ":news", tag + ":news!")
  }

  func places(isExact: Bool) -> String { isExact ? exact : rounded }

  /// Nil for another kind of channel.
  static func group(ofChannel channel: String) -> String? {
    RedisKeys.untagged(channel, between: "ls:{g:", and: "}:news!")
  }
}
