internal import HubCore
internal import RedisClient
internal import Signalling

/// The members of each group by place: the commands that keep it.
///
/// What is not updated in one step with the presence itself may be wrong for a while: readers of a member check its
/// presence too, and nodes gradually reinsert their own users.
enum GroupIndex {
  /// Puts a user who is shown where it belongs.
  static func insertion(_ principal: Principal, at location: UserLocation?) -> [RedisCommand] {
    principal.groups.sorted().flatMap { group in
      let (keys, name) = (GroupKeys(group), name(of: principal))
      guard let location else {
        return unplace(principal, keys) + [RedisCommand("ZADD", [keys.unplaced, "0", name])]
      }
      return place(principal, at: location, keys) + [RedisCommand("ZREM", [keys.unplaced, name])]
    }
  }

  static func removal(_ principal: Principal) -> [RedisCommand] {
    principal.groups.sorted().flatMap { group in
      let keys = GroupKeys(group)
      return unplace(principal, keys) + [RedisCommand("ZREM", [keys.unplaced, name(of: principal)])]
    }
  }

  static func userID(ofName name: String) -> String {
    String(name[(name.lastIndex(of: "\0").map { name.index(after: $0) } ?? name.startIndex)...])
  }

  private static func place(
    _ principal: Principal, at location: UserLocation, _ keys: GroupKeys
  ) -> [RedisCommand] {
    let userID = principal.userID
    guard let exact = GeoCoordinate(location), let rounded = GeoCoordinate(location.rounded) else {
      return [
        RedisCommand("ZREM", [keys.places(isExact: true), userID]),
        RedisCommand("ZREM", [keys.places(isExact: false), userID]), RedisCommand("SADD", [keys.polar, userID]),
      ]
    }
    return [
      RedisCommand("GEOADD", [keys.places(isExact: true), "\(exact.longitude)", "\(exact.latitude)", userID]),
      RedisCommand("GEOADD", [keys.places(isExact: false), "\(rounded.longitude)", "\(rounded.latitude)", userID]),
      RedisCommand("SREM", [keys.polar, userID]),
    ]
  }

  private static func unplace(_ principal: Principal, _ keys: GroupKeys) -> [RedisCommand] {
    [
      RedisCommand("ZREM", [keys.places(isExact: true), principal.userID]),
      RedisCommand("ZREM", [keys.places(isExact: false), principal.userID]),
      RedisCommand("SREM", [keys.polar, principal.userID]),
    ]
  }

  /// Sorts by title.
  private static func name(of principal: Principal) -> String { "\(principal.userTitle)\0\(principal.userID)" }
}
