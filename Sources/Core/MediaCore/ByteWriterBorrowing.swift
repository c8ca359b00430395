extension ByteWriter {
  /// Writes to the front of `span`, which stays the caller's and shows the bytes afterwards.
  @inlinable
  @_lifetime(&span)
  public init(overwriting span: inout MutableRawSpan) {
    self.init(span._mutatingExtracting(0..<span.byteCount))
  }

  /// Writes to the octets of `span` from `start` to at most `end`; ``count`` counts from there.
  @inlinable
  @_lifetime(&span)
  public init(overwriting span: inout MutableRawSpan, from start: Int, upTo end: Int) {
    self.init(span._mutatingExtracting(start..<max(start, min(end, span.byteCount))))
  }
}
