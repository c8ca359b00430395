import Glibc
import Signalling

/// Recognises archives that need no recovery, as nearly all do not, by their manifests' bytes: reading these as JSON
/// costs several times as much, which tens of thousands of archives make felt at startup.
///
/// Only what ``ArchiveManifest/json()`` writes is recognised. Without a backslash no text can hold a line's end, so
/// what begins a line with two spaces is a key of the manifest itself.
struct CompleteManifest: ~Copyable {
  /// Manifests of more bytes are read as JSON.
  private var bytes = [UInt8](repeating: 0, count: 16 * 1_024)

  private static let ends: [StaticString] = [
    "\n  \"status\" : \"available\",\n", "\n  \"status\" : \"failed\",\n",
  ]

  /// Whether the archive is complete and nothing was about to change it; false for what needs a closer check.
  mutating func isPlain(of id: ArchiveID, in day: borrowing DirectoryHandle) -> Bool {
    guard let directory = try? DirectoryHandle(id.text, in: day), !directory.contains(ArchiveFolder.temporaryName),
      let file = try? ArchiveFile(ArchiveFolder.manifestName, in: directory), file.byteCount < UInt64(bytes.count),
      let count = try? file.bytes(at: 0, into: &bytes)
    else { return false }
    return bytes.withUnsafeBytes { Self.isPlain(UnsafeRawBufferPointer(rebasing: $0.prefix(count)), id) }
  }

  private static func isPlain(_ manifest: UnsafeRawBufferPointer, _ id: ArchiveID) -> Bool {
    guard manifest.starts(with: "{\n".utf8), manifest.suffix(3).elementsEqual("\n}\n".utf8),
      !manifest.contains(0), !manifest.contains(UInt8(ascii: "\\"))
    else { return false }
    var line = "\n  \"id\" : \"\(id.text)\",\n"
    guard line.withUTF8({ manifest.contains(text: UnsafeRawBufferPointer($0)) }) else { return false }
    return ends.contains { end in
      manifest.contains(text: UnsafeRawBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount))
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func contains(text: UnsafeRawBufferPointer) -> Bool {
    guard var place = baseAddress, let sought = text.baseAddress, let first = text.first else { return false }
    let end = place + count
    while let found = memchr(place, CInt(truncatingIfNeeded: first), end - place),
      end - UnsafeRawPointer(found) >= text.count
    {
      if memcmp(found, sought, text.count) == 0 { return true }
      place = UnsafeRawPointer(found) + 1
    }
    return false
  }
}
