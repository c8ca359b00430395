/// Parts of a packet, without copying it.
extension UnsafeMutableRawBufferPointer {
  subscript(rebasing range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[range])
  }

  func write(_ octets: InlineArray<4, UInt8>, at start: Int) {
    for position in octets.indices { self[start + position] = octets[position] }
  }
}
