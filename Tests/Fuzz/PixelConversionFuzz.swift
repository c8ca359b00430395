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
private let formats = PixelFormat.allCases.filter { $0 != .mjpeg }

/// Converts a frame whose format, size and row length are the first bytes; a camera's frame may have any content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count >= 4, count - 4 <= size else { return 0 }
  let format = formats[Int(data[0]) % formats.count]
  var picture = I420Buffer(width: Int(data[1] % 96) + 1, height: Int(data[2] % 96) + 1)
  let frame = UnsafeRawBufferPointer(start: guarded + (size - (count - 4)), count: count - 4)
  UnsafeMutableRawBufferPointer(mutating: frame).copyMemory(
    from: UnsafeRawBufferPointer(start: data + 4, count: count - 4))
  try? PixelConverter.convert(
    frame.bytes, format: format, bytesPerLine: Int(data[3]) * 2 - 1, isFullRange: data[2] >= 128, into: &picture)
  return 0
}
