public import Signalling

extension PresenceUpdate {
  /// Seconds.
  public static let longestPositionAge = 365 * 86_400

  /// Refuses what no state of the hub could allow.
  public func check(of principal: Principal) throws(HubRefusal) {
    if let location = userLocation, !location.isPlausible {
      throw .invalid(field: "userLocation", reason: "not a place on Earth")
    }
    if let age = positionAge, !(0...Self.longestPositionAge).contains(age) {
      throw .invalid(field: "positionAge", reason: "must be 0 to \(Self.longestPositionAge) seconds")
    }
    if let permits {
      guard permits.count <= DevicePermission.maximumCount else {
        throw .invalid(field: "permits", reason: "must be \(DevicePermission.maximumCount) words at most")
      }
      for word in permits { try MessageSizes.check(word: word, field: "permits") }
    }
    if let title = userTitle, !Title.isSame(title, as: principal.userTitle) {
      throw .notAllowed("userTitle: others see \"\(principal.userTitle)\"; livesessions-hub rename changes that")
    }
  }
}

extension NearbyQuery {
  public func check() throws(HubRefusal) {
    if let origin, !origin.isPlausible { throw .invalid(field: "latitude, longitude", reason: "not a place on Earth") }
    guard (1...Self.maximumLimit).contains(limit) else {
      throw .invalid(field: "limit", reason: "must be 1 to \(Self.maximumLimit)")
    }
  }
}
