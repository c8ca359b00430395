import TestSupport
import WebM

/// Scans and repairs; what comes out has to be a file that needs no repair.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  var source = MemorySource(Array(UnsafeBufferPointer(start: data, count: size)))
  _ = WebMScanner.scan(&source, depth: .full)
  let scan = WebMScanner.scan(&source, depth: .quick)
  precondition(scan.validByteCount <= UInt64(size))
  var repaired = Array(source.bytes.prefix(Int(scan.validByteCount)))
  for patch in scan.repairs() {
    let start = Int(patch.offset)
    repaired.replaceSubrange(start..<start + patch.bytes.count, with: patch.bytes)
  }
  guard scan.header != nil, !scan.isEmpty else { return 0 }
  var again = MemorySource(repaired)
  let second = WebMScanner.scan(&again, depth: .quick)
  precondition(second.validByteCount == UInt64(repaired.count))
  precondition(!second.findings.contains(.unfinished))
  return 0
}
