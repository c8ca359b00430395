internal import CPixels
public import MediaCore

/// Scales frames with libyuv. By quarters, for which it has vector code, it allocates nothing.
public enum FrameScaler {
  /// The size of a frame scaled to `quarters` of its width and height.
  ///
  /// Scaled frames first lose up to seven columns and rows at their edges, so that the ratio is exact for chroma too.
  public static func size(width: Int, height: Int, quarters: Int) -> (width: Int, height: Int) {
    quarters == 4 ? (width, height) : (trimmed(width) * quarters / 4, trimmed(height) * quarters / 4)
  }

  private static func trimmed(_ length: Int) -> Int { length & ~7 }

  /// Scales `source` into the whole of `target`, which has the size given by ``size(width:height:quarters:)``.
  ///
  /// - Parameter quarters: 2 or 3. The frame is at least 8×8.
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

  fileprivate static func pixels(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
    bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
  }
}

extension FrameScaler {
  /// Scales the whole of `source` into a part of `target`, at any ratio; where both have the same size it is copied.
  ///
  /// Allocates nothing for halves, quarters, three quarters and copies; else libyuv makes a row for the time of the call.
  ///
  /// - Parameter area: inside of `target`, and beginning at even places.
  public static func scale(_ source: borrowing I420Buffer, to area: FrameArea, of target: inout I420Buffer) {
    scale(source.view, to: area, of: &target)
  }

  /// The same of an image that was lent.
  public static func scale(_ view: borrowing I420View, to area: FrameArea, of target: inout I420Buffer) {
    precondition(area.x >= 0 && area.y >= 0 && area.x % 2 == 0 && area.y % 2 == 0 && area.width > 0 && area.height > 0)
    precondition(area.x + area.width <= target.width && area.y + area.height <= target.height)
    let strides = (luma: target.yStride, chroma: target.chromaStride)
    let lumaOffset = area.y * strides.luma + area.x
    let chromaOffset = area.y / 2 * strides.chroma + area.x / 2
    view.y.withUnsafeBytes { luma in
      view.u.withUnsafeBytes { first in
        view.v.withUnsafeBytes { second in
          target.withUnsafeMutablePlanes { y, u, v in
            _ = I420Scale(
              pixels(luma), Int32(view.yStride), pixels(first), Int32(view.chromaStride), pixels(second),
              Int32(view.chromaStride), Int32(view.width), Int32(view.height), y + lumaOffset, Int32(strides.luma),
              u + chromaOffset, Int32(strides.chroma), v + chromaOffset, Int32(strides.chroma), Int32(area.width),
              Int32(area.height), kFilterBox)
          }
        }
      }
    }
  }
}
