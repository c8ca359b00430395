internal import HubCore
internal import RedisClient
internal import Signalling

/// Who is nearby, out of the groups' indices and the users' presences.
///
/// For those who are not operators everything, also order and selection, follows the rounded positions: otherwise a few
/// queries from different origins would find the exact ones.
struct NearbySearch: Sendable {
  private struct Candidate {
    var userID: String
    /// Metres; infinite where there is no position.
    var distance: Double
  }

  /// The maximum number of members that one search of one group returns, as a multiple of those wanted.
  private static let surplus = 4
  let link: RedisLink
  let clock: SharedClock

  func nearby(_ query: NearbyQuery, asker: Principal) async throws(HubRefusal) -> [NearbyUser] {
    var origin = query.origin
    if origin == nil { origin = try await location(of: asker.userID) }
    var candidates: [Candidate] = []
    if let origin { candidates = try await placed(around: origin, query, asker) }
    if query.within == nil, candidates.count < query.limit {
      candidates += try await unranked(query, asker, isPlacedToo: origin == nil)
    }
    return try await items(candidates, query, origin: origin, asker: asker)
  }

  // MARK: Candidates

  /// Those with a position, the nearest first; somewhat more than are wanted, since some may be gone.
  private func placed(
    around origin: UserLocation, _ query: NearbyQuery, _ asker: Principal
  ) async throws(HubRefusal) -> [Candidate] {
    var radii = NearbyRadii(maximum: query.within)
    var found: [Candidate] = []
    var isCut = false
    while !isCut, let radius = radii.next(foundSoFar: found.count, wanted: query.limit) {
      (found, isCut) = try await search(around: origin, radius: radius, query, asker)
    }
    return Array(found.prefix(query.limit + query.limit / 8 + 8))
  }

  private func search(
    around origin: UserLocation, radius: Double, _ query: NearbyQuery, _ asker: Principal
  ) async throws(HubRefusal) -> (found: [Candidate], isCut: Bool) {
    let plan = GeoSearchPlan(origin: origin, radius: radius)
    let count = max(100, query.limit * Self.surplus)
    let commands = asker.groups.sorted().flatMap { group in
      plan.circles.map { Self.command($0, in: GroupKeys(group).places(isExact: asker.role == .operator), count: count) }
    }
    let replies = try await link.run(commands)
    var distances: [String: Double] = [:]
    for entry in replies.flatMap(\.members) {
      guard let userID = entry[0].text, let place = Self.place(entry[1]) else { continue }
      distances[userID] = origin.distance(to: place)
    }
    if plan.readsPolarSet {
      distances.merge(try await polar(around: origin, asker)) { first, _ in first }
    }
    distances[asker.userID] = nil
    let found = distances.filter { $0.value <= radius }.map { Candidate(userID: $0.key, distance: $0.value) }
    let sorted = found.sorted { ($0.distance, $0.userID) < ($1.distance, $1.userID) }
    return (sorted, replies.contains { $0.members.count == count })
  }

  private static func command(_ circle: GeoCircle, in key: String, count: Int) -> RedisCommand {
    RedisCommand(
      "GEOSEARCH",
      [
        key, "FROMLONLAT", "\(circle.center.longitude)", "\(circle.center.latitude)", "BYRADIUS", "\(circle.radius)",
        "m", "ASC", "COUNT", "\(count)", "WITHCOORD",
      ])
  }

  private static func place(_ coordinates: RedisValue) -> UserLocation? {
    guard let longitude = coordinates[0].text.flatMap({ Double($0) }),
      let latitude = coordinates[1].text.flatMap({ Double($0) })
    else { return nil }
    return UserLocation(latitude: latitude, longitude: longitude)
  }

  /// The distances of those near to a pole.
  private func polar(around origin: UserLocation, _ asker: Principal) async throws(HubRefusal) -> [String: Double] {
    let members = try await link.run(
      asker.groups.map { RedisCommand("SRANDMEMBER", [GroupKeys($0).polar, "\(NearbyQuery.maximumLimit)"]) })
    let userIDs = Set(members.flatMap(\.texts))
    let places = try await link.run(userIDs.map { RedisCommand("HGET", [UserKeys($0).user, "location"]) })
    var distances: [String: Double] = [:]
    for (userID, reply) in zip(userIDs, places) {
      guard let place: UserLocation = decode(reply) else { continue }
      distances[userID] = origin.distance(to: asker.role == .operator ? place : place.rounded)
    }
    return distances
  }

  /// Those without a position, or, where there is no origin, all.
  private func unranked(
    _ query: NearbyQuery, _ asker: Principal, isPlacedToo: Bool
  ) async throws(HubRefusal) -> [Candidate] {
    let count = query.limit + 1
    var found: Set<String> = []
    for group in asker.groups {
      let keys = GroupKeys(group)
      var commands = [RedisCommand("ZRANGE", [keys.unplaced, "-", "+", "BYLEX", "LIMIT", "0", "\(count)"])]
      if isPlacedToo {
        commands.append(RedisCommand("ZRANGE", [keys.places(isExact: false), "0", "\(count)"]))
        commands.append(RedisCommand("SRANDMEMBER", [keys.polar, "\(count)"]))
      }
      let replies = try await link.run(commands)
      found.formUnion(replies[0].texts.map(GroupIndex.userID(ofName:)))
      found.formUnion(replies.dropFirst().flatMap(\.texts))
    }
    found.remove(asker.userID)
    return found.map { Candidate(userID: $0, distance: .infinity) }
  }

  // MARK: Their entries

  private func items(
    _ candidates: [Candidate], _ query: NearbyQuery, origin: UserLocation?, asker: Principal
  ) async throws(HubRefusal) -> [NearbyUser] {
    var seen: Set<String> = []
    let chosen = candidates.filter { seen.insert($0.userID).inserted }
    let fields = ["principal", "status", "location", "shown", "located", "audio", "video", "permits"]
    let replies = try await link.run(chosen.map { RedisCommand("HMGET", [UserKeys($0.userID).user] + fields) })
    let users = replies.compactMap { item($0, origin: origin, asker: asker) }
    let placed = users.filter { $0.distance != nil }.sorted { ($0.distance ?? 0) < ($1.distance ?? 0) }
    let others = query.within == nil ? users.filter { $0.distance == nil }.sorted { $0.userTitle < $1.userTitle } : []
    let near = placed.filter { user in query.within.map { (user.distance ?? 0) <= $0 } ?? true }
    return Array((near + others).prefix(query.limit))
  }

  /// Nil for one who is gone, or in none of the asker's groups any longer.
  private func item(_ fields: RedisValue, origin: UserLocation?, asker: Principal) -> NearbyUser? {
    guard let presence = StoredPresence(fields), presence.isShown, presence.principal.sharesGroup(with: asker)
    else { return nil }
    let location = asker.role == .operator ? presence.location : presence.location?.rounded
    var user = NearbyUser(
      userID: presence.principal.userID, userTitle: presence.principal.userTitle, userLocation: location,
      distance: origin.flatMap { origin in location.map { origin.distance(to: $0) } }, status: presence.status,
      kind: presence.principal.kind, isAudio: fields[5].integer == 1, isVideo: fields[6].integer == 1)
    user.permits = decode(fields[7])
    if location != nil, let located = fields[4].integer {
      user.positionAge = Int(clamping: max(0, clock.milliseconds(at: .now) - located) / 1_000)
    }
    return user
  }

  private func location(of userID: String) async throws(HubRefusal) -> UserLocation? {
    decode(try await link.run(RedisCommand("HGET", [UserKeys(userID).user, "location"])))
  }
}
