internal import CYUV
public import MediaCore

/// Makes pictures smaller by quarters, with libyuv's vector code for exactly these ratios, which allocates nothing.
public enum PictureScaler {
  /// The size of a picture that was scaled to `quarters` of its width and height.
  ///
  /// Scaled pictures first lose up to seven columns and rows at their edges, so that the ratio is exact for chroma too.
  public static func size(width: Int, height: Int, quarters: Int) -> (width: Int, height: Int) {
    quarters == 4 ? (width, height) : (trimmed(width) * quarters / 4, trimmed(height) * quarters / 4)
  }

  private static func trimmed(_ length: Int) -> Int { length & ~7 }

  /// Scales `source` into the whole of `target`, which has the size that ``size(width:height:quarters:)`` tells.
  ///
  /// - Parameter quarters: 2 or 3. The picture is at least 8×8.
  public static func scale(_ source: borrowing I420Buffer, quarters: Int, into target: inout I420Buffer) {
    let expected = size(width: source.width, height: source.height, quarters: quarters)
    precondition((2...3).contains(quarters) && (target.width, target.height) == expected)
    let width = trimmed(source.width)
    let height = trimmed(source.height)
    // Even, so that chroma is cut at the same place.
    let left = (source.width - width) / 2 & ~1
    let top = (source.height - height) / 2 & ~1
    let strides = (luma: Int32(target.yStride), chroma: Int32(target.chromaStride))
    let view = source.view
    let chromaOffset = top / 2 * view.chromaStride + left / 2
    let luma = view.y
    let first = view.u
    let second = view.v
    luma.withUnsafeBytes { luma in
      first.withUnsafeBytes { first in
        second.withUnsafeBytes { second in
          target.withUnsafeMutablePlanes { y, u, v in
            _ = I420Scale(
              pixels(luma) + top * view.yStride + left, Int32(view.yStride), pixels(first) + chromaOffset,
              Int32(view.chromaStride), pixels(second) + chromaOffset, Int32(view.chromaStride), Int32(width),
              Int32(height), y, strides.luma, u, strides.chroma, v, strides.chroma, Int32(expected.width),
              Int32(expected.height), kFilterBox)
          }
        }
      }
    }
  }

  private static func pixels(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
    bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
  }
}
