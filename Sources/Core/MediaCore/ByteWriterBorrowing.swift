extension ByteWriter {
  /// Writes to the front of `span`, which stays the caller's and shows the bytes afterwards.
  @inlinable
  @_lifetime(&span)
  public init(overwriting span: inout MutableRawSpan) {
    self.init(span._mutatingExtracting(0..<span.byteCount))
  }
}
