public import Signalling
public import WebM

/// Everything about one archive that is known without reading it through.
public struct ArchiveContent: Hashable, Sendable {
  /// One file that the manifest names.
  public struct File: Hashable, Sendable {
    public var entry: ArchivedFile
    /// Bytes on the disk; `nil` if there is no such file.
    public var byteCount: UInt64?
    /// Empty if the file is missing or cannot be read.
    public var tracks: [WebMTrackEntry]
  }

  public var manifest: ArchiveManifest
  /// The archive's folder.
  public var path: String
  public var isLocked: Bool
  /// Whether an object store has all of it.
  public var isUploaded: Bool
  /// Whether it is being recorded, repaired or exported.
  public var isInUse: Bool
  public var files: [File]
  /// Names of the other files in the folder, such as `track.gpx`.
  public var otherFiles: [String]
  /// What is wrong at a pollInterval; ``ArchiveStore/verify(_:)`` reads everything.
  public var problems: [ArchiveFinding]
}

extension ArchiveStore {
  /// Inspects one archive; reads the heads of its files.
  public func content(_ id: ArchiveID) throws(ArchiveError) -> ArchiveContent {
    let day = try day(of: id)
    let folder = try openUnlocked(id, on: day)
    let isInUse = !folder.directory.lockShared()
    let manifest = try folder.manifest()
    var problems: [ArchiveFinding] = manifest.status == .started ? [.unfinished] : []
    var files: [ArchiveContent.File] = []
    for entry in manifest.files { files.append(folder.contentFile(entry, &problems)) }
    if !isInUse { problems += try folder.additions(to: manifest).filter(\.isProblem) }
    let names = try folder.directory.names()
    let known = Set(manifest.files.map(\.filename) + AdministrativeFile.allCases.map(\.name))
    return ArchiveContent(
      manifest: manifest, path: path(id, on: day), isLocked: names.contains(ArchiveFolder.lockName),
      isUploaded: folder.isUploaded, isInUse: isInUse, files: files, otherFiles: names.filter { !known.contains($0) },
      problems: isInUse ? [] : problems)
  }
}

extension ArchiveFolder {
  /// What the media files hold, also those that the manifest does not name yet.
  var mediaByteCount: UInt64 {
    let names = (try? directory.names()) ?? []
    return names.filter(\.isMedia).reduce(0) { sum, name in
      sum + ((try? ArchiveFile(name, in: directory))?.byteCount ?? 0)
    }
  }

  fileprivate func contentFile(
    _ entry: ArchivedFile, _ problems: inout [ArchiveFinding]
  ) -> ArchiveContent.File {
    let name = entry.filename
    do throws(ArchiveError) {
      var file = try ArchiveFile(name, in: directory)
      let tracks = (try? WebMDemuxer(&file))?.tracks ?? []
      if file.byteCount != entry.size {
        problems.append(.wrongSize(name, listed: entry.size, actual: file.byteCount))
      }
      if tracks.isEmpty { problems.append(.media(name, .headerUnreadable)) }
      return ArchiveContent.File(entry: entry, byteCount: file.byteCount, tracks: tracks)
    } catch {
      problems.append(.unusable(name, error))
      return ArchiveContent.File(entry: entry, byteCount: nil, tracks: [])
    }
  }
}

extension String {
  fileprivate var isMedia: Bool { hasSuffix(".webm") }
}
