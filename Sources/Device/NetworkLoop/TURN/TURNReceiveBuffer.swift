/// Memory for what comes from TURN servers, shared by all links of a thread.
final class TURNReceiveBuffer {
  /// As it comes from a socket.
  let octets = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 8)
  /// What was in it, after TLS.
  let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 8)

  deinit {
    octets.deallocate()
    plaintext.deallocate()
  }
}
