// modules: MediaCore WebM
import WebM

/// A file in memory.
private struct FuzzSource: WebMSource {
  var bytes: UnsafeBufferPointer<UInt8>

  var byteCount: UInt64 { UInt64(bytes.count) }

  mutating func read(at offset: UInt64, count: Int, into target: inout [UInt8]) throws(Never) -> Int {
    let start = min(Int(offset), bytes.count)
    let count = min(count, bytes.count - start)
    for index in 0..<count { target[index] = bytes[start + index] }
    return count
  }
}

/// Scans and repairs; what comes out has to be a file that needs no repair.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  var source = FuzzSource(bytes: UnsafeBufferPointer(start: data, count: size))
  _ = WebMScanner.scan(&source, depth: .full)
  let scan = WebMScanner.scan(&source, depth: .quick)
  precondition(scan.validByteCount <= UInt64(size))
  var repaired = Array(source.bytes.prefix(Int(scan.validByteCount)))
  for patch in scan.repairs() {
    let start = Int(patch.offset)
    repaired.replaceSubrange(start..<start + patch.bytes.count, with: patch.bytes)
  }
  guard scan.header != nil, !scan.isEmpty else { return 0 }
  repaired.withUnsafeBufferPointer { bytes in
    var again = FuzzSource(bytes: bytes)
    let second = WebMScanner.scan(&again, depth: .quick)
    precondition(second.validByteCount == UInt64(bytes.count))
    precondition(!second.findings.contains(.unfinished))
  }
  return 0
}
