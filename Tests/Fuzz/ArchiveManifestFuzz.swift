import Archive
import FoundationEssentials
import Signalling

/// Reads `archive.json`; what is taken for a manifest has to survive being written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard let manifest = try? ArchiveManifest(json: Data(UnsafeBufferPointer(start: data, count: size))) else { return 0 }
  guard let json = try? manifest.json(), let again = try? ArchiveManifest(json: json) else {
    preconditionFailure("a manifest that was read cannot be written")
  }
  precondition(again == manifest)
  return 0
}
