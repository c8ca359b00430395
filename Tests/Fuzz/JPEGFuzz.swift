// link: -lyuv -ljpeg
import Glibc
import MediaCore
import PixelConversion

/// Pages that end in one which nobody may touch, so that a read beyond a frame ends the program at once.
nonisolated(unsafe) private let guarded: UnsafeMutableRawPointer = {
  let pages = mmap(nil, pageSize + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
  mprotect(pages + size, pageSize, PROT_NONE)
  return pages
}()
private let pageSize = 4_096
private let size = 64 * pageSize

/// Decodes a JPEG, behind the width and the height that are expected, by a decoder that has just decoded it and by a new
/// one. Both must do the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count >= 2, count - 2 <= size else { return 0 }
  let (width, height) = (Int(data[0] % 96) + 1, Int(data[1] % 96) + 1)
  let frame = UnsafeRawBufferPointer(start: guarded + (size - (count - 2)), count: count - 2)
  UnsafeMutableRawBufferPointer(mutating: frame).copyMemory(
    from: UnsafeRawBufferPointer(start: data + 2, count: count - 2))
  var used = JPEGDecoder(width: width, height: height)!
  var new = JPEGDecoder(width: width, height: height)!
  _ = decode(frame.bytes, with: &used)
  guard decode(frame.bytes, with: &used) == decode(frame.bytes, with: &new) else { fatalError("pictures differ") }
  return 0
}

/// A sum over the picture's samples, or 0 when there is none.
private func decode(_ frame: RawSpan, with decoder: inout JPEGDecoder) -> Int {
  var picture = I420Buffer(width: decoder.width, height: decoder.height)
  guard (try? decoder.decode(frame, into: &picture)) != nil else { return 0 }
  let view = picture.view
  return sum(view.y, view.width, view.height, view.yStride)
    &* 31 &+ sum(view.u, (view.width + 1) / 2, (view.height + 1) / 2, view.chromaStride)
    &* 31 &+ sum(view.v, (view.width + 1) / 2, (view.height + 1) / 2, view.chromaStride)
}

private func sum(_ plane: RawSpan, _ width: Int, _ height: Int, _ stride: Int) -> Int {
  var sum = 17
  for row in 0..<height {
    for column in 0..<width {
      sum = sum &* 31 &+ Int(plane.unsafeLoad(fromByteOffset: row * stride + column, as: UInt8.self))
    }
  }
  return sum
}
