internal import MediaCore

/// The still frame that is sent while there is no camera frame: a crossed-out camera on dark grey.
enum PlaceholderFrame {
  /// Frames a second.
  static let interval = TimeSpan.seconds(1)

  static func draw(into image: inout I420Buffer) {
    let (width, height) = (image.width, image.height)
    image.fill(FrameArea(x: 0, y: 0, width: width, height: height), with: YUVColour(y: 40))
    let unit = max(2, min(width, height) / 20)
    let (left, top) = (width / 2 - 4 * unit, height / 2 - 2 * unit)
    let body = (width: 6 * unit, height: 4 * unit)
    image.fill(FrameArea(x: left, y: top, width: body.width, height: body.height), with: YUVColour(y: 110))
    image.fill(
      FrameArea(x: left + body.width, y: top + unit, width: 2 * unit, height: 2 * unit), with: YUVColour(y: 110))
    drawStroke(into: &image, left: left - unit, top: top - 2 * unit, size: 8 * unit, thickness: max(2, unit / 2))
  }

  /// A diagonal from the lower left to the upper right.
  private static func drawStroke(
    into image: inout I420Buffer, left: Int, top: Int, size: Int, thickness: Int
  ) {
    for step in stride(from: 0, to: size, by: 2) {
      image.fill(
        FrameArea(x: left + step, y: top + size - step, width: thickness, height: thickness),
        with: YUVColour(y: 90, u: 100, v: 190))
    }
  }
}
