import Archive

/// Finds how much of a track is whole; what is kept has to be whole, too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  let whole = GPXTrack.wholeByteCount(bytes)
  precondition(whole <= size)
  precondition(GPXTrack.wholeByteCount(Array(bytes[..<whole])) == whole)
  precondition(whole == 0 || bytes[whole - 1] == UInt8(ascii: "\n"))
  return 0
}
