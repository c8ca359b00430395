/// A rectangle of the picture, in thousandths of its width and height, from the upper left.
public struct PictureRegion: Hashable, Sendable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  /// Takes all as it is.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The smallest rectangle around both.
  public func union(_ other: PictureRegion) -> PictureRegion {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return PictureRegion(
      x: left, y: top, width: max(x + width, other.x + other.width) - left,
      height: max(y + height, other.y + other.height) - top)
  }
}
