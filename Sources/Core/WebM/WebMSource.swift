/// A file to be scanned, or anything that can be read at any offset.
public protocol WebMSource: ~Copyable {
  associatedtype Failure: Error

  var byteCount: UInt64 { get }

  /// Reads up to `count` bytes from `offset` on into the front of `target` (which is at least that long) and returns
  /// how many; fewer only at the end of the file.
  mutating func read(at offset: UInt64, count: Int, into target: inout [UInt8]) throws(Failure) -> Int
}

/// The current window of a source's bytes, in reused memory.
struct ScanWindow {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// Reads `byteCount` bytes or as many as there are.
  mutating func load<Source: WebMSource & ~Copyable>(
    _ source: inout Source, at offset: UInt64, byteCount: Int
  ) throws(Source.Failure) {
    if bytes.count < byteCount { bytes = [UInt8](repeating: 0, count: byteCount) }
    let got = try source.read(at: offset, count: byteCount, into: &bytes)
    count = min(max(0, got), byteCount)
  }

  func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    unsafe body(bytes.span.bytes.extracting(0..<count))
  }
}
