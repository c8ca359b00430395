import MediaCore

/// Memory for one received frame, allocated once a session.
@safe
final class FrameBuffer {
  /// A key frame of a 1080p camera at high quality stays below this.
  static let capacity = 512 * 1024
  private let memory: UnsafeMutableRawPointer

  init() { unsafe memory = .allocate(byteCount: Self.capacity, alignment: 16) }

  deinit { unsafe memory.deallocate() }

  /// Lends the memory; returns the result of `body`.
  func withBytes<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    return body(&bytes)
  }
}
