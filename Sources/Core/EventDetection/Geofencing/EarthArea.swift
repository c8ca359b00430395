/// A part of the earth's surface: circles and polygons, of which one is enough.
public struct EarthArea: Hashable, Sendable {
  /// Metres: no corner may be farther from the middle of its polygon.
  public static let farthestCorner = 500_000.0

  /// A polygon whose sides are the shortest ways between its corners.
  public struct Polygon: Hashable, Sendable {
    private let corners: [EarthPoint]
    private let middle: EarthPoint
    /// Metres from the middle to the farthest corner.
    private let reach: Double

    /// Nil with fewer than three corners, and where one is too far from the middle.
    public init?(corners: [EarthPoint]) {
      guard corners.count >= 3, let middle = EarthPoint.middle(of: corners) else { return nil }
      let reach = corners.reduce(0) { max($0, $1.distance(to: middle)) }
      guard reach <= EarthArea.farthestCorner else { return nil }
      (self.corners, self.middle, self.reach) = (corners, middle, reach)
    }
  }

  /// A circle's middle and its radius in metres.
  public struct Circle: Hashable, Sendable {
    public var center: EarthPoint
    public var radius: Double

    public init(center: EarthPoint, radius: Double) {
      self.center = center
      self.radius = radius
    }
  }

  public var circle: Circle?
  public var polygon: Polygon?

  public init(circle: Circle? = nil, polygon: Polygon? = nil) {
    self.circle = circle
    self.polygon = polygon
  }

  /// Metres from the border: negative inside, infinite where there is no area. O(corners).
  public func distance(of point: EarthPoint) -> Double {
    let fromCircle = circle.map { point.distance(to: $0.center) - $0.radius } ?? .infinity
    return min(fromCircle, polygon?.distance(of: point) ?? .infinity)
  }
}

extension EarthArea.Polygon {
  /// Metres from the border: negative inside.
  ///
  /// Seen from the point, by the gnomonic projection, the shortest ways are straight lines, and what is nearest in the
  /// projection is nearest on the earth. It shows half the earth; of what lies far away the distance to the middle
  /// suffices.
  func distance(of point: EarthPoint) -> Double {
    let away = point.distance(to: middle) - reach
    guard away < 4 * EarthArea.farthestCorner else { return away }
    let projection = Projection(center: point)
    var nearest = Double.infinity
    var isInside = false
    var previous = projection.place(of: corners[corners.count - 1])
    for corner in corners {
      let next = projection.place(of: corner)
      nearest = min(nearest, distance(previous, next))
      if crosses(previous, next) { isInside.toggle() }
      previous = next
    }
    let metres = EarthPoint.earthRadius * arcsine(nearest / (1 + nearest * nearest).squareRoot())
    return isInside ? -metres : metres
  }

  /// From the origin to the nearest point of a side.
  private func distance(_ start: Projection.Place, _ end: Projection.Place) -> Double {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let square = dx * dx + dy * dy
    let part = square > 0 ? min(max(-(start.x * dx + start.y * dy) / square, 0), 1) : 0
    let (x, y) = (start.x + part * dx, start.y + part * dy)
    return (x * x + y * y).squareRoot()
  }

  /// Whether a side crosses the ray from the origin along the first direction.
  private func crosses(_ start: Projection.Place, _ end: Projection.Place) -> Bool {
    guard (start.y > 0) != (end.y > 0) else { return false }
    return start.x - start.y * (end.x - start.x) / (end.y - start.y) > 0
  }
}

/// The gnomonic projection: what is less than a quarter of the earth away, on the plane that touches it at the center.
private struct Projection {
  struct Place {
    var x: Double
    var y: Double
  }

  private let center: EarthPoint
  private let first: EarthPoint
  private let second: EarthPoint

  init(center: EarthPoint) {
    self.center = center
    (first, second) = center.tangents
  }

  func place(of point: EarthPoint) -> Place {
    let height = point.dot(center)
    return Place(x: point.dot(first) / height, y: point.dot(second) / height)
  }
}
