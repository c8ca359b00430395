internal import MediaCore

/// The places of several cameras in one frame: two side by side, three and four in two rows of two.
struct MosaicLayout: Hashable {
  static let maxCount = 4

  /// Of the whole frame, in samples; a multiple of four, so that all fields are even and begin at even places.
  let width: Int
  /// See ``width``.
  let height: Int
  /// In the order of the cameras, from the upper left on.
  let fields: [FrameArea]

  /// - Parameters:
  ///   - width: brought down to a multiple of four; at least 16.
  ///   - height: likewise.
  ///   - count: of cameras; no more than ``maxCount`` have a field.
  init(width: Int, height: Int, count: Int) {
    let (width, height) = (max(width, 16) & ~3, max(height, 16) & ~3)
    (self.width, self.height) = (width, height)
    let count = min(count, Self.maxCount)
    let (columns, rows) = (count > 1 ? 2 : 1, count > 2 ? 2 : 1)
    let field = (width: width / columns, height: height / rows)
    fields = (0..<count).map { index in
      FrameArea(
        x: index % columns * field.width, y: index / columns * field.height, width: field.width, height: field.height)
    }
  }

  /// The largest part of a field that has the aspect ratio of a frame, in its middle; even, and at even places.
  static func fit(width: Int, height: Int, into field: FrameArea) -> FrameArea {
    var (fitWidth, fitHeight) = (field.width, field.height)
    if width * field.height >= height * field.width {
      fitHeight = max(field.width * height / width & ~1, 2)
    } else {
      fitWidth = max(field.height * width / height & ~1, 2)
    }
    return FrameArea(
      x: field.x + (field.width - fitWidth) / 2 & ~1, y: field.y + (field.height - fitHeight) / 2 & ~1,
      width: fitWidth, height: fitHeight)
  }
}
