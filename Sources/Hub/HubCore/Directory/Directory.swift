public import Signalling

/// What `GET /v1/users` asks for.
public struct NearbyQuery: Sendable {
  public static let maximumLimit = 1_000

  /// Where to measure from; without it the asker's own published position serves.
  public var origin: UserLocation?
  /// Metres.
  public var within: Double?
  public var limit: Int

  public init(origin: UserLocation? = nil, within: Double? = nil, limit: Int = 100) {
    self.origin = origin
    self.within = within
    self.limit = limit
  }
}

/// One user's presence as published.
public struct PresenceEntry: Sendable {
  public var principal: Principal
  public var location: UserLocation?
  /// When the user was there, where it is known.
  public var locatedAt: Instant?
  public var status: PresenceStatus
  public var isAudio: Bool
  public var isVideo: Bool
  /// See ``PresenceUpdate/permits``.
  public var permits: [String]?
  public var renewedAt: Instant
  /// Has an event stream, so that a call can reach it; others do not see it otherwise.
  public var isReachable: Bool

  /// Whole seconds since the user was at its position; nil where there is none, or its age is unknown.
  func positionAge(at now: Instant) -> Int? {
    guard location != nil, let locatedAt else { return nil }
    return max(0, Int(clamping: locatedAt.duration(to: now).components.seconds))
  }
}

/// Who is online and where.
///
/// Entries lie densely, with what a query reads apart from the rest. A query around a place reads those of a grid's
/// cells there; one that finds too few so, or has no place, reads all in sequence (O(n), about 2 ms for 100,000 users).
public struct Directory: Sendable {
  private struct SearchKey {
    var exact: UnitVector
    var rounded: UnitVector
    var groups: UInt64
    var isReachable: Bool
    var hasLocation: Bool
    var renewedAt: Instant
  }

  private var slots: [String: Int] = [:]
  private var entries: [PresenceEntry] = []
  private var keys: [SearchKey] = []
  private var masks = GroupMasks()
  private var grid = PlaceGrid()

  public init() {}

  public var count: Int { entries.count }

  /// Of users that a call can reach, in any order.
  public var reachableUserIDs: [String] { entries.lazy.filter(\.isReachable).map(\.principal.userID) }

  public subscript(userID: String) -> PresenceEntry? {
    slots[userID].map { entries[$0] }
  }

  public mutating func update(_ entry: PresenceEntry) {
    let key = searchKey(of: entry)
    let slot = slots[entry.principal.userID] ?? entries.count
    if slot < entries.count {
      entries[slot] = entry
      keys[slot] = key
    } else {
      slots[entry.principal.userID] = slot
      entries.append(entry)
      keys.append(key)
    }
    grid.place(slot, at: entry.location)
  }

  public mutating func setReachable(_ isReachable: Bool, userID: String) {
    guard let slot = slots[userID] else { return }
    entries[slot].isReachable = isReachable
    keys[slot].isReachable = isReachable
  }

  @discardableResult
  public mutating func remove(userID: String) -> PresenceEntry? {
    guard let slot = slots.removeValue(forKey: userID) else { return nil }
    let removed = entries[slot]
    let last = entries.count - 1
    grid.remove(slot)
    if slot != last {
      grid.renumber(last, as: slot)
      entries[slot] = entries[last]
      keys[slot] = keys[last]
      slots[entries[slot].principal.userID] = slot
    }
    entries.removeLast()
    keys.removeLast()
    return removed
  }

  public mutating func renew(userID: String, now: Instant) {
    guard let slot = slots[userID] else { return }
    entries[slot].renewedAt = now
    keys[slot].renewedAt = now
  }

  /// Users who were updated or renewed last before `oldest`.
  public func userIDs(renewedBefore oldest: Instant) -> [String] {
    keys.indices.filter { keys[$0].renewedAt < oldest }.map { entries[$0].principal.userID }
  }

  /// Who `asker` may call, nearest first; those without a position come last, by title.
  ///
  /// For those who are not operators everything, also order and selection, follows the rounded positions: otherwise
  /// a few queries from different origins would find the exact ones.
  public mutating func nearby(_ query: NearbyQuery, asker: Principal) -> [NearbyUser] {
    let isExact = asker.role == .operator
    let origin = query.origin ?? self[asker.userID]?.location
    let chosen = select(query, origin: origin, asker: asker, isExact: isExact)
    let items = chosen.map { item(at: $0, isExact: isExact) }
    let unplaced = items.firstIndex { $0.distance == nil } ?? items.endIndex
    return items[..<unplaced] + items[unplaced...].sorted { $0.userTitle < $1.userTitle }
  }

  private mutating func select(
    _ query: NearbyQuery, origin: UserLocation?, asker: Principal, isExact: Bool
  ) -> [NearestSelection.Candidate] {
    let limit = max(0, min(query.limit, NearbyQuery.maximumLimit))
    let sieve = Sieve(
      asker: asker, groups: masks.mask(of: asker.groups), ownSlot: slots[asker.userID],
      origin: origin.map(UnitVector.init), isExact: isExact,
      farthest: query.within.map(UnitVector.squaredChord(distance:)) ?? .infinity)
    if let origin, let near = selectNear(origin, query.within, sieve, limit: limit) { return near }
    var selection = NearestSelection(limit: limit)
    for slot in keys.indices { consider(slot, sieve, &selection) }
    return selection.sorted
  }

  /// Searches growing circles; nil when all have to be scanned.
  private func selectNear(
    _ origin: UserLocation, _ within: Double?, _ sieve: Sieve, limit: Int
  ) -> [NearestSelection.Candidate]? {
    for radius in [5_000, 20_000, 80_000, 320_000].filter({ $0 < within ?? .infinity }) + [within].compactMap(\.self) {
      var selection = NearestSelection(limit: limit)
      guard grid.forEach(around: origin, within: radius, { consider($0, sieve, &selection) }) else { return nil }
      if radius == within || selection.isFull(upTo: UnitVector.squaredChord(distance: radius)) {
        return selection.sorted
      }
    }
    return nil
  }

  /// What decides whether a query includes a user, and how far away.
  private struct Sieve {
    var asker: Principal
    var groups: UInt64
    var ownSlot: Int?
    var origin: UnitVector?
    var isExact: Bool
    /// A squared chord.
    var farthest: Double
  }

  private func consider(_ slot: Int, _ sieve: Sieve, _ selection: inout NearestSelection) {
    let key = keys[slot]
    let hit = key.groups & sieve.groups
    guard key.isReachable, hit != 0, slot != sieve.ownSlot else { return }
    if GroupMasks.isAmbiguous(hit), !entries[slot].principal.sharesGroup(with: sieve.asker) { return }
    var rank = Double.infinity
    if let origin = sieve.origin, key.hasLocation {
      rank = (sieve.isExact ? key.exact : key.rounded).squaredChord(to: origin)
    }
    if rank <= sieve.farthest { selection.offer(.init(rank: rank, slot: slot)) }
  }

  private func item(at candidate: NearestSelection.Candidate, isExact: Bool) -> NearbyUser {
    let entry = entries[candidate.slot]
    var user = NearbyUser(
      userID: entry.principal.userID, userTitle: entry.principal.userTitle,
      userLocation: isExact ? entry.location : entry.location?.rounded,
      distance: candidate.rank.isFinite ? UnitVector.distance(squaredChord: candidate.rank) : nil,
      status: entry.status, kind: entry.principal.kind, isAudio: entry.isAudio, isVideo: entry.isVideo)
    user.permits = entry.permits
    return user
  }

  private mutating func searchKey(of entry: PresenceEntry) -> SearchKey {
    let location = entry.location ?? UserLocation(latitude: 0, longitude: 0)
    return SearchKey(
      exact: UnitVector(location), rounded: UnitVector(location.rounded),
      groups: masks.mask(of: entry.principal.groups), isReachable: entry.isReachable,
      hasLocation: entry.location != nil, renewedAt: entry.renewedAt)
  }
}
