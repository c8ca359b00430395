import Glibc
public import Signalling
public import WebM

/// Something about an archive that is not as it should be.
public enum ArchiveFinding: Hashable, Sendable {
  /// The archive was not stopped properly, or is being recorded.
  case unfinished
  case missingFile(String)
  /// A media file that the manifest does not name.
  case unlistedFile(String)
  case wrongSize(String, listed: UInt64, actual: UInt64)
  /// Something about a file's content.
  case media(String, WebMFinding)
}

extension ArchiveStore {
  /// Reads a whole archive and compares every checksum. Changes nothing; takes as long as reading the files does.
  ///
  /// - Returns: nothing if all is well.
  public func verify(_ id: ArchiveID) throws(ArchiveError) -> [ArchiveFinding] {
    let folder = try openUnlocked(id, on: try day(of: id))
    let manifest = try folder.manifest()
    var findings: [ArchiveFinding] = manifest.status == .started ? [.unfinished] : []
    let names = try folder.mediaFileNames()
    for file in manifest.files { findings += try verify(file, in: folder) }
    let known = Set(manifest.files.map(\.filename))
    for name in names where !known.contains(name) {
      findings.append(.unlistedFile(name))
    }
    return findings
  }

  private func verify(
    _ entry: ArchiveManifest.File, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> [ArchiveFinding] {
    var findings: [ArchiveFinding] = []
    do {
      var file = try ArchiveFile(entry.filename, in: folder.directory)
      if file.byteCount != entry.size {
        findings.append(.wrongSize(entry.filename, listed: entry.size, actual: file.byteCount))
      }
      findings += try WebMScanner.scan(&file, depth: .full).findings.map { .media(entry.filename, $0) }
    } catch {
      guard error.errno == ENOENT else { throw error }
      findings.append(.missingFile(entry.filename))
    }
    return findings
  }
}
