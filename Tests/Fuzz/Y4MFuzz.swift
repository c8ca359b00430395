import MediaCore
import MediaFiles

/// Reads the first line and then every picture's line, as the file source does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let file = UnsafeRawBufferPointer(start: data, count: size)
  guard let header = try? Y4MHeader(parsing: file.bytes) else { return 0 }
  precondition(header.byteCount <= min(size, Y4MHeader.maximumByteCount))
  let largest = 3 * Y4MHeader.maximumSize * Y4MHeader.maximumSize / 2
  precondition((1...largest).contains(header.frameByteCount))
  if let rate = header.frameRate { precondition(rate.numerator > 0 && rate.denominator > 0) }
  var offset = header.byteCount
  while offset < size {
    let rest = UnsafeRawBufferPointer(rebasing: file[offset...])
    guard let line = try? Y4MFrameHeader.byteCount(parsing: rest.bytes, at: offset) else { break }
    precondition(line <= min(rest.count, Y4MFrameHeader.maximumByteCount))
    offset += line + header.frameByteCount
  }
  return 0
}
