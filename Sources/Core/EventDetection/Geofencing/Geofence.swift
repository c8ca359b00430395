public import MediaCore

/// An area, and which crossings of its border are events.
public struct Geofence: Hashable, Sendable {
  /// What an event is.
  public enum Occasion: String, Hashable, Sendable, CaseIterable {
    /// From the moment the device has entered until it has left.
    case enter
    /// From the moment the device has left until it is back.
    case leave
    /// Each crossing, which is over as soon as it is sure.
    case both
  }

  public var area: EarthArea
  public var occasion: Occasion
  /// How long the device has to be on the other side.
  public var stay: TimeSpan

  public init(area: EarthArea, occasion: Occasion = .leave, stay: TimeSpan = .seconds(10)) {
    self.area = area
    self.occasion = occasion
    self.stay = stay
  }
}

/// On which side of a border the device is, as far as its positions show.
///
/// The device is outside when it is farther from the border than the position may be wrong by, and inside again when its position
/// is: what lies between changes nothing. Each has to hold for the fence's ``Geofence/stay``, over two fixes at least. Without
/// positions it is where it was.
struct SideOfBorder: Hashable, Sendable {
  enum Side: Hashable, Sendable { case inside, outside }

  /// A change of sides that is sure.
  struct Change: Hashable, Sendable {
    /// Nil at the first position.
    var from: Side?
    var to: Side
    /// The time of the first fix on this side.
    var since: MonotonicInstant
  }

  private struct Candidate: Hashable, Sendable {
    var side: Side
    var since: MonotonicInstant
  }

  private(set) var side: Side?
  private var candidate: Candidate?

  /// Metres: what a receiver that does not report its error may be wrong by, and the least that one is believed to be.
  private static let (usualError, leastError) = (30.0, 10.0)
  /// Metres: positions that may be wrong by more have to be inside by what exceeds this.
  private static let coarse = 100.0

  /// - Parameters:
  ///   - distance: metres from the border, negative inside.
  ///   - error: metres that it may be wrong by; nil where unknown.
  mutating func take(
    distance: Double, error: Double?, stay: TimeSpan, at time: MonotonicInstant
  ) -> Change? {
    guard let seen = Self.side(distance: distance, error: error), seen != side else {
      candidate = nil
      return nil
    }
    guard let known = candidate, known.side == seen else {
      candidate = Candidate(side: seen, since: time)
      return nil
    }
    guard time - known.since >= stay else { return nil }
    defer { (side, candidate) = (seen, nil) }
    return Change(from: side, to: seen, since: known.since)
  }

  /// Nil where it may be either.
  private static func side(distance: Double, error: Double?) -> Side? {
    let error = max(error ?? usualError, leastError)
    if distance > error { return .outside }
    return distance <= -max(error - coarse, 0) ? .inside : nil
  }
}
