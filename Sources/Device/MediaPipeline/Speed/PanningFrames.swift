internal import MediaCore
internal import PixelConversion

/// Some frames of `test:street` as a camera would take them that pans and whose sensor is noisy: much of each differs from
/// the one before, so that encoding them takes as long as it usually does at most.
final class PanningFrames {
  let width: Int
  let height: Int
  private let frames: [PannedFrame]

  private static let count = 6
  /// Samples that the camera turns between two frames.
  private static let step = (x: 4, y: 2)

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    let (outerWidth, outerHeight) = (width + Self.step.x * Self.count, height + Self.step.y * Self.count)
    var street = TestStreet(width: outerWidth, height: outerHeight, frameRate: 30)
    var outer = I420Buffer(width: outerWidth, height: outerHeight)
    frames = (0..<Self.count).map { index in
      street.drawNext(into: &outer, at: MonotonicInstant(nanoseconds: 0))
      return PannedFrame(outer, left: index * Self.step.x, top: index * Self.step.y, width: width, height: height)
    }
  }

  /// The camera turns there and back again.
  subscript(index: Int) -> PannedFrame {
    let place = index % (2 * Self.count - 2)
    return frames[min(place, 2 * Self.count - 2 - place)]
  }
}

/// A part of a larger frame.
final class PannedFrame {
  let image: I420Buffer

  /// - Parameters:
  ///   - left: even.
  ///   - top: even.
  init(_ outer: borrowing I420Buffer, left: Int, top: Int, width: Int, height: Int) {
    var image = I420Buffer(width: width, height: height)
    let view = outer.view
    let luma = top * view.yStride + left
    let chroma = top / 2 * view.chromaStride + left / 2
    let part = I420View(
      width: width, height: height, y: view.y.extracting(droppingFirst: luma),
      u: view.u.extracting(droppingFirst: chroma), v: view.v.extracting(droppingFirst: chroma),
      yStride: view.yStride, chromaStride: view.chromaStride)
    FrameScaler.scale(part, to: FrameArea(x: 0, y: 0, width: width, height: height), of: &image)
    self.image = image
  }
}
