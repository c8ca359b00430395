/// A rectangle of the frame, in thousandths of its width and height, from the upper left.
public struct FrameRegion: Codable, Hashable, Sendable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  /// Takes the values unchecked.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The smallest rectangle around both.
  public func union(_ other: FrameRegion) -> FrameRegion {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return FrameRegion(
      x: left, y: top, width: max(x + width, other.x + other.width) - left,
      height: max(y + height, other.y + other.height) - top)
  }

  var isWithinFrame: Bool { [x, y, width, height].allSatisfy { (0...1_000).contains($0) } }
}
