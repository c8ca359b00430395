/// Which connections the hub keeps when more come than it has room for.
///
/// A connection counts as authenticated once a request on it has shown an account's token; until then it is anonymous.
/// Where there is no room, a new connection replaces the oldest anonymous one: of those from its own address when that
/// one has as many as it may, else of the address with most of them. So a flood displaces its own, authenticated
/// connections stay, and a new client gets in and has time to log in. Only where authenticated connections fill
/// everything is a new one refused.
///
/// What anonymous connections hold in memory is bounded in all: where they hold more, the addresses that hold most lose
/// their heaviest connections.
///
/// The limit per address does not hold for trusted proxies, whose connections are many clients'.
public struct ConnectionTable: Sendable {
  public enum Admission: Equatable, Sendable {
    case admitted(UInt64, evicting: UInt64?)
    case refused
  }

  private struct Connection {
    var origin: AddressRange?
    var isAuthenticated = false
    /// What it holds of requests and responses.
    var byteCount = 0
  }

  private let limits: ConnectionLimits
  private let trustedProxies: [AddressRange]
  private var connections: [UInt64: Connection] = [:]
  private var countByOrigin: [AddressRange?: Int] = [:]
  private var anonymousQueues = EvictionQueues<AddressRange?>()
  private var lastID: UInt64 = 0
  public private(set) var authenticatedCount = 0
  /// What anonymous connections hold together.
  public private(set) var anonymousBytes = 0
  public var count: Int { connections.count }

  public init(limits: ConnectionLimits, trustedProxies: [AddressRange]) {
    self.limits = limits
    self.trustedProxies = trustedProxies
  }

  /// Makes room for a connection from `address` (nil: not from the network), if that is possible.
  public mutating func admit(from address: IPAddress?) -> Admission {
    let origin = address?.network
    var victim: UInt64?
    if isFull(origin, address) {
      guard let oldest = anonymousQueues.oldest(from: origin) else { return .refused }
      victim = oldest
    } else if connections.count >= limits.total {
      guard let oldest = anonymousQueues.oldestOfGreatest else { return .refused }
      victim = oldest
    }
    if let victim { close(victim) }
    lastID += 1
    connections[lastID] = Connection(origin: origin)
    countByOrigin[origin, default: 0] += 1
    anonymousQueues.append(lastID, from: origin)
    return .admitted(lastID, evicting: victim)
  }

  /// A request on the connection has shown an account's token.
  public mutating func noteAuthenticated(_ id: UInt64) {
    guard let connection = connections[id], !connection.isAuthenticated else { return }
    connections[id]?.isAuthenticated = true
    authenticatedCount += 1
    anonymousBytes -= connection.byteCount
    anonymousQueues.remove(id, from: connection.origin)
  }

  /// Does nothing for a connection that was evicted.
  public mutating func close(_ id: UInt64) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    let left = (countByOrigin[connection.origin] ?? 0) - 1
    countByOrigin[connection.origin] = left > 0 ? left : nil
    if connection.isAuthenticated {
      authenticatedCount -= 1
    } else {
      anonymousBytes -= connection.byteCount
      anonymousQueues.remove(id, from: connection.origin)
    }
  }

  /// Notes the bytes that the connection holds now; returns the anonymous connections that are given up for it.
  public mutating func note(byteCount: Int, of id: UInt64) -> [UInt64] {
    guard let connection = connections[id] else { return [] }
    connections[id]?.byteCount = byteCount
    guard !connection.isAuthenticated else { return [] }
    anonymousBytes += byteCount - connection.byteCount
    guard anonymousBytes > limits.anonymousMemory else { return [] }
    let victims = heaviestAnonymous()
    for victim in victims { close(victim) }
    return victims
  }

  /// Those of the origins that hold more than an equal share of three quarters of the limit, their heaviest first, until
  /// each has its share: seldom, since a quarter has to fill up again before it is needed again.
  private func heaviestAnonymous() -> [UInt64] {
    let holders = Dictionary(
      grouping: connections.filter { !$0.value.isAuthenticated && $0.value.byteCount > 0 }, by: \.value.origin)
    let share = limits.anonymousMemory * 3 / 4 / max(holders.count, 1)
    return holders.values.flatMap { holder in
      var held = holder.reduce(0) { $0 + $1.value.byteCount }
      return holder.sorted { $0.value.byteCount > $1.value.byteCount }.prefix { _, connection in
        defer { held -= connection.byteCount }
        return held > share
      }.map(\.key)
    }
  }

  private func isFull(_ origin: AddressRange?, _ address: IPAddress?) -> Bool {
    guard let address, let count = countByOrigin[origin], count >= limits.perAddress else { return false }
    return !trustedProxies.contains { $0.contains(address) }
  }
}

extension IPAddress {
  /// What one customer has: an IPv4 address, or an IPv6 network.
  fileprivate var network: AddressRange { AddressRange(around: self, prefixLength: isIPv4 ? 128 : 64) }
}
