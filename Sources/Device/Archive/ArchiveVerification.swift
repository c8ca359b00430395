import Glibc
public import Signalling
public import WebM

/// Something about an archive that is not as it should be.
public enum ArchiveFinding: Hashable, Sendable {
  /// The archive was not stopped properly, or is being recorded.
  case unfinished
  case missingFile(String)
  /// A recording that the manifest does not name.
  case unlistedFile(String)
  /// Something that the recorder did not make; it is left alone, and harms nothing.
  case foreignFile(String)
  /// There is something in a recording's place that is not opened, for this reason.
  case replacedFile(String, reason: String)
  case wrongSize(String, listed: UInt64, actual: UInt64)
  /// Something about a file's content.
  case media(String, WebMFinding)

  /// Whether something of the recording is not as it should be.
  public var isProblem: Bool {
    switch self {
    case .foreignFile: false
    case .unfinished, .missingFile, .unlistedFile, .replacedFile, .wrongSize, .media: true
    }
  }
}

extension ArchiveStore {
  /// Reads a whole archive and compares every checksum. Changes nothing; takes as long as reading the files does.
  ///
  /// - Returns: nothing if all is well and there are no foreign files.
  public func verify(_ id: ArchiveID) throws(ArchiveError) -> [ArchiveFinding] {
    let folder = try openUnlocked(id, on: try day(of: id))
    let manifest = try folder.manifest()
    var findings: [ArchiveFinding] = manifest.status == .started ? [.unfinished] : []
    for file in manifest.files { findings += try verify(file, in: folder) }
    return try findings + folder.additions(to: manifest)
  }

  private func verify(
    _ entry: ArchivedFile, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> [ArchiveFinding] {
    var findings: [ArchiveFinding] = []
    do {
      var file = try ArchiveFile(entry.filename, in: folder.directory)
      if file.byteCount != entry.size {
        findings.append(.wrongSize(entry.filename, listed: entry.size, actual: file.byteCount))
      }
      findings += try WebMScanner.scan(&file, depth: .full).findings.map { .media(entry.filename, $0) }
    } catch {
      guard error.isMissing || error.isForeign else { throw error }
      findings.append(.unusable(entry.filename, error))
    }
    return findings
  }
}

extension ArchiveFinding {
  /// A file that is not there, or has something else in its place.
  static func unusable(_ name: String, _ error: ArchiveError) -> ArchiveFinding {
    error.isMissing ? .missingFile(name) : .replacedFile(name, reason: error.description)
  }
}

extension ArchiveFolder {
  /// What is in the folder beside what the manifest names and what the recorder puts there otherwise.
  func additions(to manifest: ArchiveManifest) throws(ArchiveError) -> [ArchiveFinding] {
    let known = Set(manifest.files.map(\.filename))
    let foreign = try foreignNames(besides: manifest).filter { !known.contains($0) }
    let unlisted = try mediaFileNames().filter { !known.contains($0) && !foreign.contains($0) }
    return unlisted.map { .unlistedFile($0) } + foreign.map { .foreignFile($0) }
  }
}
