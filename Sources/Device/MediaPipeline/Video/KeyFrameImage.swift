internal import MediaCore
internal import PixelConversion
internal import MediaCodecs
internal import WebM

/// Images of single key frames of recordings.
public enum KeyFrameImage {
  /// 8K video has 33 million.
  private static let maximumPixels = 36_000_000

  /// A JPEG of a VP8 key frame, scaled down to a width; nil for what is no key frame, or cannot be decoded. Takes as long as
  /// one frame: not for media threads.
  public static func jpeg(of frame: [UInt8], width: Int) -> [UInt8]? {
    guard let size = VP8KeyFrame.size(frame.span.bytes), size.width > 0, size.height > 0,
      Int(size.width) * Int(size.height) <= maximumPixels, var decoder = try? VP8Decoder()
    else { return nil }
    var image: [UInt8]?
    _ = try? decoder.decode(frame.span.bytes) { view in
      let scaled = min(view.width, width) & ~1
      let height = max(2, view.height * scaled / view.width & ~1)
      guard scaled > 0 else { return }
      var buffer = I420Buffer(width: scaled, height: height)
      FrameScaler.scale(view, to: FrameArea(x: 0, y: 0, width: scaled, height: height), of: &buffer)
      image = JPEGEncoder.encode(buffer, quality: 75)
    }
    return image
  }
}
