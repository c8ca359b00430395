import Glibc
public import MediaCore
public import Signalling

/// Decides when the device's position is published, and how exactly.
///
/// Published are the first fix, and then each that is good enough, at least ``minimumMove`` from the published point
/// and not sooner than ``minimumInterval`` after it. A fix without an error estimate counts as good enough.
/// Does no I/O and reads no clock.
public struct LocationPublisher: Sendable {
  /// What the configuration says about the position.
  public struct Settings: Sendable, Equatable {
    public var isEnabled: Bool
    /// The place of a device that does not move; fixes are ignored then.
    public var fixed: UserLocation?
    /// Metres to which a position is rounded before it leaves the device.
    public var precision: Double?

    public init(isEnabled: Bool = true, fixed: UserLocation? = nil, precision: Double? = nil) {
      self.isEnabled = isEnabled
      self.fixed = fixed
      self.precision = precision
    }

    /// A place as exactly as others may know it.
    func published(_ location: UserLocation) -> UserLocation {
      precision.map { location.rounded(toMetres: $0) } ?? location
    }
  }

  /// Metres.
  public static let minimumMove = 50.0
  /// Metres.
  public static let maximumError = 100.0
  public static let minimumInterval = TimeSpan.seconds(10)

  private let settings: Settings
  private var published: (exact: UserLocation, sent: UserLocation)?
  private var publishedAt: MonotonicInstant?
  private var candidate: UserLocation?

  public init(_ settings: Settings) {
    self.settings = settings
    if settings.isEnabled { candidate = settings.fixed }
  }

  /// Takes a plausible fix.
  public mutating func receive(_ fix: PositionFix) {
    guard settings.isEnabled, settings.fixed == nil else { return }
    let location = UserLocation(fix)
    guard let published else {
      candidate = location
      return
    }
    guard (fix.horizontalError ?? 0) <= Self.maximumError else { return }
    candidate = published.exact.distance(to: location) >= Self.minimumMove ? location : nil
  }

  /// The position to publish now, as exactly as the settings permit; `nil` when there is nothing new or it is too soon.
  public func due(now: MonotonicInstant) -> UserLocation? {
    guard let rounded = pending, (publishedAt.map { now >= $0 + Self.minimumInterval }) ?? true else { return nil }
    return rounded
  }

  /// When ``due(now:)`` will have something; `nil` while there is nothing new.
  public var nextDue: MonotonicInstant? {
    guard pending != nil else { return nil }
    return publishedAt.map { $0 + Self.minimumInterval } ?? MonotonicInstant(nanoseconds: .min)
  }

  /// The hub has taken what ``due(now:)`` returned.
  public mutating func didPublish(_ location: UserLocation, now: MonotonicInstant) {
    guard let candidate else { return }
    published = (candidate, location)
    publishedAt = now
    self.candidate = nil
  }

  /// The hub may have forgotten the position: the last one is to be published again, without waiting.
  public mutating func republish() {
    candidate = candidate ?? published?.exact
    published = nil
    publishedAt = nil
  }

  /// Forgets the receiver's position; returns whether there was any.
  public mutating func forget() -> Bool {
    guard settings.fixed == nil, candidate != nil || published != nil else { return false }
    candidate = nil
    published = nil
    publishedAt = nil
    return true
  }

  /// What waits to be published, unless rounding makes it the same as what is published.
  private var pending: UserLocation? {
    guard let candidate else { return nil }
    let rounded = settings.published(candidate)
    guard let published, settings.precision != nil else { return rounded }
    let isSamePlace = rounded.latitude == published.sent.latitude && rounded.longitude == published.sent.longitude
    return isSamePlace ? nil : rounded
  }
}

extension UserLocation {
  private static let metresPerDegree = 111_195.0

  /// Great-circle distance in metres on a sphere of 6,371 km.
  func distance(to other: UserLocation) -> Double {
    let (lat1, lat2) = (latitude * .pi / 180, other.latitude * .pi / 180)
    let halfLatitude = (lat2 - lat1) / 2
    let halfLongitude = (other.longitude - longitude) * .pi / 360
    let a = sin(halfLatitude) * sin(halfLatitude) + cos(lat1) * cos(lat2) * sin(halfLongitude) * sin(halfLongitude)
    return 2 * 6_371_000 * asin(min(1, a.squareRoot()))
  }

  /// The nearest point of a grid of about this mesh; the accuracy becomes no better than the mesh.
  func rounded(toMetres precision: Double) -> UserLocation {
    guard precision > 0, precision.isFinite else { return self }
    let step = precision / Self.metresPerDegree
    let gridLatitude = max(-90, min(90, (latitude / step).rounded() * step))
    let circle = max(cos(gridLatitude * .pi / 180), 0.01)
    let longitudeStep = step / circle
    let gridLongitude = max(-180, min(180, (longitude / longitudeStep).rounded() * longitudeStep))
    return UserLocation(
      latitude: gridLatitude, longitude: gridLongitude, horizontalAccuracy: max(horizontalAccuracy ?? 0, precision))
  }
}
