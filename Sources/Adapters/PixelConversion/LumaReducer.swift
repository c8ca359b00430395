internal import CPixels
public import MediaCore

/// Averages the luma of a frame over squares, with libyuv's vector code, for coarse analysis.
public enum LumaReducer {
  /// Fills `cells`, one byte for each square of `side` by `side` samples, row by row; the remainder at the right and at
  /// the bottom is dropped.
  ///
  /// A `side` of 1, 2 or 4 allocates nothing; else libyuv allocates a row during the call.
  public static func reduce(_ frame: borrowing I420Buffer, side: Int, into cells: inout MutableSpan<UInt8>) {
    precondition(side > 0 && side <= min(frame.width, frame.height))
    let (width, height) = (frame.width / side, frame.height / side)
    precondition(cells.count == width * height)
    let view = frame.view
    view.y.withUnsafeBytes { luma in
      cells.withUnsafeMutableBufferPointer { cells in
        ScalePlane(
          luma.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(view.yStride), Int32(width * side),
          Int32(height * side), cells.baseAddress!, Int32(width), Int32(width), Int32(height), kFilterBox)
      }
    }
  }
}
