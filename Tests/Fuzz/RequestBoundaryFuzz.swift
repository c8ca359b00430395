import HubCore

/// The bytes of a connection: in whatever pieces they come, they are cut at the same places.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let bytes = UnsafeBufferPointer(start: data + 1, count: size - 1)
  precondition(cuts(in: bytes, step: size) == cuts(in: bytes, step: Int(data[0] % 16) + 1))
  return 0
}

/// How many bytes there are up to each boundary.
private func cuts(in bytes: UnsafeBufferPointer<UInt8>, step: Int) -> [Int] {
  var boundary = RequestBoundary()
  var (cuts, position): ([Int], Int) = ([], 0)
  while position < bytes.count {
    let piece = bytes[position..<min(position + step, bytes.count)]
    let count = boundary.length(in: piece)
    precondition(count.map { (1...piece.count).contains($0) } ?? true)
    position += count ?? piece.count
    if count != nil { cuts.append(position) }
  }
  return cuts
}
