import Glibc
public import Signalling

/// What a recovery did to an archive.
public enum ArchiveRecovery: Sendable {
  /// It had not been stopped properly and is now whole; its status is `failed` if it holds no media.
  case recovered(ArchiveManifest)
  /// One of the device alone had been begun, and nothing was recorded: it was removed. If the daemon is killed
  /// repeatedly, for lack of memory perhaps, each attempt would leave one.
  case discarded(ArchiveID)
  /// Of one that had not been stopped properly: files that the recorder did not make and that were left as they are.
  case foreign(ArchiveID, [String])
  /// It could not be repaired; it is left as it was and tried again at the next start.
  case failed(ArchiveID, ArchiveError)
}

extension ArchiveStore {
  /// Makes archives whole that a crash or power cut left unfinished. For the start of the daemon.
  ///
  /// Files lose what lies behind their last whole cluster and get their index; those that were complete are not even
  /// read. Manifests say `reason: "recovered"`, and `status: "failed"` where nothing had been recorded. Archives being
  /// recorded are left alone. Reads little but blocks: not for an actor. A crash in between does no harm.
  ///
  /// - Returns: the archives that needed it.
  public func recover() throws(ArchiveError) -> [ArchiveRecovery] { try ArchiveRecoverer(store: self).run() }
}

/// See ``ArchiveStore/recover()``.
struct ArchiveRecoverer {
  let store: ArchiveStore

  func run() throws(ArchiveError) -> [ArchiveRecovery] {
    var results: [ArchiveRecovery] = []
    for day in try store.days() {
      results += store.completeDeletions(on: day).map { .failed($0.key, $0.value) }
      for id in unfinished(on: day) {
        do {
          results += try recover(id, on: day)
        } catch {
          if error != .inUse(id) { results.append(.failed(id, error)) }
        }
      }
    }
    return results
  }

  /// Those that are not complete at first sight.
  private func unfinished(on day: CalendarDay) -> [ArchiveID] {
    guard let ids = try? store.ids(on: day), let folder = try? store.openDay(day) else { return [] }
    var sight = CompleteManifest()
    return ids.filter { !sight.isPlain(of: $0, in: folder) }
  }

  private func recover(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> [ArchiveRecovery] {
    let folder = try store.open(id, on: day)
    // The next manifest's file is there until the last one has taken the manifest's place.
    if let foreign = try folder.foreignContent() { return [.foreign(id, foreign)] }
    let wasInterrupted = folder.directory.contains(ArchiveFolder.temporaryName)
    guard var manifest = try folder.lastManifest() else {
      try folder.removeDisposableMedia()
      store.discard(id, on: day)
      return []
    }
    try? folder.directory.removeFile(ArchiveFolder.temporaryName)
    guard manifest.status == .started else {
      if wasInterrupted { try? store.noteRecovery(manifest, in: folder, manifestName: ArchiveFolder.manifestName) }
      return []
    }
    let hadNothing = manifest.files.allSatisfy { $0.size == 0 }
    var replaced: [String] = []
    manifest.files = try repairFiles(of: manifest, in: folder, &replaced)
    try GPXRepair.repair(in: folder.directory)
    manifest.concludeInterruption()
    if hadNothing, try isWorthless(manifest, in: folder) {
      store.discard(id, on: day)
      return [.discarded(id)]
    }
    try prepareRecovered(manifest, in: folder)
    try folder.write(manifest)
    let foreign = Set(try folder.foreignNames(besides: manifest)).union(replaced).sorted()
    return [.recovered(manifest)] + (foreign.isEmpty ? [] : [.foreign(id, foreign)])
  }

  /// Whether the archive can go: it is of no call, holds nothing, and was neither locked nor given other files.
  private func isWorthless(
    _ manifest: ArchiveManifest, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> Bool {
    guard manifest.files.isEmpty, (manifest.callerID ?? "").isEmpty else { return false }
    return try folder.directory.names().allSatisfy { name in
      switch AdministrativeFile(rawValue: name) {
      case .manifest, .nextManifest, .evidence: true
      case .lock, .uploaded, .uploading, .nextUploadRecord, nil: false
      }
    }
  }

  /// Lets evidence say how the files are now; without space for that the archive is recovered all the same, and its evidence
  /// ends before the power cut.
  func prepareRecovered(_ manifest: ArchiveManifest, in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    guard store.evidence != nil else { return }
    _ = try folder.prepare(manifest)
    try? store.noteRecovery(manifest, in: folder, manifestName: ArchiveFolder.temporaryName)
  }

  private func repairFiles(
    of manifest: ArchiveManifest, in folder: borrowing ArchiveFolder, _ replaced: inout [String]
  ) throws(ArchiveError) -> [ArchivedFile] {
    var files: [ArchivedFile] = []
    for name in manifest.inOrder(try folder.mediaFileNames()) {
      let named = manifest.files.first { $0.filename == name }
      if named == nil, try MediaFileKind(of: name, in: folder) == .foreign { continue }
      switch try WebMFileRepair.repair(named ?? .unlisted(name, after: files + manifest.files), in: folder) {
      case .recording(let file): files.append(file)
      case .removed: break
      // What the manifest names stays named, so that the loss is visible.
      case .foreign:
        replaced.append(name)
        if let named { files.append(named) }
      }
    }
    return files
  }
}

extension ArchiveManifest {
  /// Names of media files, those of a stream together and in the order in which they were made.
  func inOrder(_ names: [String]) -> [String] { names.sorted { place(of: $0) < place(of: $1) } }

  private func place(of name: String) -> (stream: Int, number: Int, name: String) {
    let segment = SegmentName(fileName: name)
    let stream = files.firstIndex { $0.filename == name || $0.streamId == segment.streamID }
    return (stream ?? .max, segment.number, name)
  }
}

extension ArchivedFile {
  /// The entry of a file that was made so shortly before the crash that the manifest does not name it: a stream's first,
  /// or one that begins where the stream's file before ends.
  static func unlisted(_ name: String, after files: [ArchivedFile]) -> ArchivedFile {
    let segment = SegmentName(fileName: name)
    let before = SegmentName(streamID: segment.streamID, number: segment.number - 1).fileName
    let previous = segment.number > 1 ? files.first { $0.filename == before } : nil
    let streamID = previous?.streamId ?? String(name.prefix { $0 != "." })
    let isFurtherCamera = previous == nil && !ArchiveStreamDescription.partyIDs.contains(streamID)
    return ArchivedFile(
      streamId: streamID,
      connectionData: previous?.connectionData ?? "", filename: name, size: 0,
      startTimeOffset: previous?.stopTimeOffset ?? 0, stopTimeOffset: 0, videoType: nil,
      camera: isFurtherCamera ? streamID : previous?.camera)
  }
}
