/// Which master of a cluster has which slots.
struct SlotMap: Sendable {
  typealias Address = RedisConnectionSettings.Address

  private(set) var masters: [Address] = []
  /// Indices of ``masters`` by slot; -1 where nobody has it.
  private var owners = [Int](repeating: -1, count: HashSlot.count)

  init() {}

  /// Reads the reply to `CLUSTER SLOTS`: ranges, each with its master and replicas.
  ///
  /// - Parameter asked: the server that answered, which may not know its own address.
  init?(_ reply: RedisValue, from asked: Address) {
    guard let ranges = reply.elements else { return nil }
    for range in ranges {
      guard let parts = range.elements, parts.count >= 3, let first = parts[0].integer, let last = parts[1].integer,
        first <= last, let slots = Self.slots(first, last), let master = Self.address(parts[2], asked)
      else { continue }
      let index = index(of: master)
      for slot in slots { owners[slot] = index }
    }
  }

  var isComplete: Bool { !owners.contains(-1) }

  subscript(slot: Int) -> Address? { owners[slot] >= 0 ? masters[owners[slot]] : nil }

  /// A server has told that another has a slot.
  mutating func note(_ master: Address, has slot: Int) { owners[slot] = index(of: master) }

  private mutating func index(of master: Address) -> Int {
    if let index = masters.firstIndex(of: master) { return index }
    masters.append(master)
    return masters.count - 1
  }

  private static func slots(_ first: Int64, _ last: Int64) -> ClosedRange<Int>? {
    first >= 0 && last < Int64(HashSlot.count) ? Int(first)...Int(last) : nil
  }

  private static func address(_ value: RedisValue, _ asked: Address) -> Address? {
    guard let parts = value.elements, parts.count >= 2, let port = parts[1].integer.flatMap({ UInt16(exactly: $0) }),
      port > 0
    else { return nil }
    let host = parts[0].text ?? ""
    guard host != "?" else { return nil }
    return Address(host: host.isEmpty ? asked.host : host, port: Int(port))
  }
}

/// What a server of a cluster says instead of executing a command.
enum Redirection: Equatable {
  /// Another server has the slot.
  case moved(slot: Int, to: RedisConnectionSettings.Address)
  /// The slot is on its way to another server, which has this key already.
  case ask(RedisConnectionSettings.Address)
  /// The slot is on its way, or nobody has it at the moment.
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
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    let host = String(text[..<colon])
    return RedisConnectionSettings.Address(host: host.isEmpty ? asked.host : host, port: Int(port))
  }
}
