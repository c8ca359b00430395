import HubCore

/// The first bytes of what a device sends as an image: whatever they are, more of them change no decision, and none says more
/// pixels than a camera has.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  let part = header(of: Array(bytes.prefix(size / 2)))
  let whole = header(of: bytes)
  if let part { precondition(whole == part, "further bytes change the header") }
  if case .success(let header)? = whole {
    precondition(header.width > 0 && header.height > 0 && header.width * header.height <= 36_000_000)
  }
  return 0
}

/// Nil where more bytes are needed.
private func header(of bytes: [UInt8]) -> Result<JPEGHeader, JPEGHeader.Fault>? {
  do throws(JPEGHeader.Fault) {
    return try JPEGHeader(bytes).map { .success($0) }
  } catch {
    return .failure(error)
  }
}
