/// A part of the frame, independent of its resolution: a polygon whose corners are fractions of width and height.
public struct FramePolygon: Hashable, Sendable {
  /// A corner: (0, 0) is the upper left of the frame, (1, 1) the lower right.
  public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    /// Takes the values unchecked.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// Minimum and maximum number of corners.
  public static let cornerCounts = 3...32

  public let corners: [Point]

  /// Nil with too few or too many corners, or with one outside of the frame.
  public init?(corners: [Point]) {
    guard Self.cornerCounts.contains(corners.count) else { return nil }
    for corner in corners {
      guard 0...1 ~= corner.x, 0...1 ~= corner.y else { return nil }
    }
    self.corners = corners
  }

  /// Whether a point lies inside; by the even-odd rule where edges cross.
  public func contains(_ point: Point) -> Bool {
    var isInside = false
    var previous = corners[corners.count - 1]
    for corner in corners {
      defer { previous = corner }
      guard (corner.y > point.y) != (previous.y > point.y) else { continue }
      let crossing = corner.x + (point.y - corner.y) / (previous.y - corner.y) * (previous.x - corner.x)
      if point.x < crossing { isInside.toggle() }
    }
    return isInside
  }
}
