/// Which master of a cluster has which slots.
struct SlotMap: Sendable {
  typealias Address = RedisConnectionSettings.Address
  /// A cluster has no more (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec); each costs connections.
  static let maximumMasters = 1_000

  private(set) var masters: [Address] = []
  /// Indices of ``masters`` by slot; -1 where it has no owner.
  private var owners = [Int](repeating: -1, count: HashSlot.count)

  init() {}

  /// Reads the reply to `CLUSTER SLOTS`: ranges, each with its master and replicas. Nil where slots have several owners, or
  /// there are more masters than a cluster can have.
  ///
  /// - Parameter asked: the server that answered, which may not know its own address.
  init?(_ reply: RedisValue, from asked: Address) {
    guard let ranges = reply.elements, ranges.count <= HashSlot.count else { return nil }
    var indices: [Address: Int] = [:]
    for range in ranges {
      guard let parts = range.elements, parts.count >= 3, let first = parts[0].integer, let last = parts[1].integer,
        first <= last, let slots = Self.slots(first, last), let master = Self.address(parts[2], asked)
      else { continue }
      if indices[master] == nil {
        guard masters.count < Self.maximumMasters else { return nil }
        indices[master] = masters.count
        masters.append(master)
      }
      for slot in slots {
        guard owners[slot] < 0, let index = indices[master] else { return nil }
        owners[slot] = index
      }
    }
  }

  var isComplete: Bool { !owners.contains(-1) }

  subscript(slot: Int) -> Address? { owners[slot] >= 0 ? masters[owners[slot]] : nil }

  /// A server has named another owner of a slot; believed up to the maximum number of masters.
  mutating func note(_ master: Address, has slot: Int) {
    if let index = masters.firstIndex(of: master) { return owners[slot] = index }
    guard masters.count < Self.maximumMasters else { return }
    masters.append(master)
    owners[slot] = masters.count - 1
  }

  private static func slots(_ first: Int64, _ last: Int64) -> ClosedRange<Int>? {
    first >= 0 && last < Int64(HashSlot.count) ? Int(first)...Int(last) : nil
  }

  private static func address(_ value: RedisValue, _ asked: Address) -> Address? {
    guard let parts = value.elements, parts.count >= 2 else { return nil }
    let host = parts[0].text ?? ""
    guard host != "?" else { return nil }
    return Address(namedHost: host.isEmpty ? asked.host : host, port: parts[1].integer)
  }
}

/// What a server of a cluster says instead of executing a command.
enum Redirection: Equatable {
  /// Another server has the slot.
  case moved(slot: Int, to: RedisConnectionSettings.Address)
  /// The slot is on its way to another server, which has this key already.
  case ask(RedisConnectionSettings.Address)
  /// The slot is migrating, or has no owner at the moment.
  case wait

  /// Nil for other errors.
  ///
  /// - Parameter asked: the server that answered; a redirection without host stays at its host.
  init?(_ error: RedisError, from asked: RedisConnectionSettings.Address) {
    let words = error.message.split(separator: " ")
    switch error.code {
    case "MOVED" where words.count >= 3:
      guard let slot = Int(words[1]), (0..<HashSlot.count).contains(slot), let address = Self.address(words[2], asked)
      else { return nil }
      self = .moved(slot: slot, to: address)
    case "ASK" where words.count >= 3:
      guard let address = Self.address(words[2], asked) else { return nil }
      self = .ask(address)
    case "TRYAGAIN", "CLUSTERDOWN": self = .wait
    default: return nil
    }
  }

  private static func address(
    _ text: Substring, _ asked: RedisConnectionSettings.Address
  ) -> RedisConnectionSettings.Address? {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let host = String(text[..<colon])
    return RedisConnectionSettings.Address(
      namedHost: host.isEmpty ? asked.host : host, port: Int64(text[text.index(after: colon)...]))
  }
}
