import Glibc
public import Signalling

/// An archive that has ended, as an upload sees it.
public struct ArchiveUpload: Hashable, Sendable {
  public var id: ArchiveID
  /// Its folder below the archives' root, such as `2026/11/21/0b0c5c4e…`.
  public var path: String
  /// Files in the order in which they go, the manifest last: where it is, the others are.
  public var files: [ArchiveUploadRecord.File]
  /// What is there already.
  public var record: ArchiveUploadRecord

  /// What has to be sent.
  public var pending: [ArchiveUploadRecord.File] {
    let sent = Set(record.files)
    return files.filter { !sent.contains($0) }
  }

  /// Of those.
  public var pendingByteCount: UInt64 {
    pending.reduce(0) { $0.addingReportingOverflow($1.byteCount).partialValue }
  }
}

/// What a survey of the archives' folder found.
public struct ArchiveUploadSurvey: Sendable {
  /// One that has to be uploaded.
  public struct Waiting: Hashable, Sendable {
    public var id: ArchiveID
    /// When it began, in milliseconds since 1970 by the clock of then.
    public var createdAt: Int64
    public var plans: [String]
    public var byteCount: UInt64
  }

  /// All that are there.
  public var present: Set<ArchiveID> = []
  /// New ones, in the order in which they came.
  public var waiting: [Waiting] = []
  /// New ones of which a store has all, or that hold nothing.
  public var settled: Set<ArchiveID> = []
}

/// What uploads want of the archives on a disk. Holds no state; may block, as ``ArchiveStore`` does.
public struct ArchiveUploads: Sendable {
  private let store: ArchiveStore

  public init(_ store: ArchiveStore) { self.store = store }

  /// Finds archives that have to be uploaded. Blocks.
  ///
  /// - Parameters:
  ///   - known: those that are not inspected again.
  ///   - destination: where they go; what lies elsewhere in part starts over.
  public func survey(
    except known: Set<ArchiveID>, to destination: String
  ) throws(ArchiveError) -> ArchiveUploadSurvey {
    var survey = ArchiveUploadSurvey()
    for day in try store.days() {
      for id in try store.ids(on: day) {
        survey.present.insert(id)
        if !known.contains(id) { check(at: id, on: day, destination, &survey) }
      }
    }
    let places = Dictionary(ArchiveLedger(root: store.root).ids.enumerated().map { ($1, $0) }) { first, _ in first }
    survey.waiting.sort {
      (places[$0.id] ?? .max, $0.createdAt, $0.id) < (places[$1.id] ?? .max, $1.createdAt, $1.id)
    }
    return survey
  }

  /// What is damaged, or is being recorded, is checked again the next time.
  private func check(at id: ArchiveID, on day: CalendarDay, _ destination: String, _ survey: inout ArchiveUploadSurvey)
  {
    guard let folder = try? store.openUnlocked(id, on: day), let manifest = try? folder.manifest() else { return }
    guard manifest.status == .available || manifest.status == .failed else { return }
    guard let upload = try? upload(of: folder, manifest, on: day, destination), !upload.pending.isEmpty else {
      survey.settled.insert(id)
      return
    }
    survey.waiting.append(
      .init(
        id: id, createdAt: manifest.createdAt, plans: manifest.plans ?? [], byteCount: upload.pendingByteCount))
  }

  /// What is to be sent of one archive; nil if it is being recorded, or holds nothing. Blocks.
  public func upload(_ id: ArchiveID, to destination: String) throws(ArchiveError) -> ArchiveUpload? {
    let day = try store.day(of: id)
    let folder = try store.openUnlocked(id, on: day)
    let manifest = try folder.manifest()
    guard manifest.status == .available || manifest.status == .failed else { return nil }
    return try upload(of: folder, manifest, on: day, destination)
  }

  private func upload(
    of folder: borrowing ArchiveFolder, _ manifest: ArchiveManifest, on day: CalendarDay, _ destination: String
  ) throws(ArchiveError) -> ArchiveUpload? {
    guard !manifest.files.isEmpty else { return nil }
    let names = try folder.directory.names().filter { $0.isSafeFileName && $0 != ArchiveFolder.manifestName }
    let files = (names + [ArchiveFolder.manifestName]).compactMap { folder.stamp($0) }
    var upload = ArchiveUpload(
      id: folder.id, path: (day.components + [folder.id.text]).joined(separator: "/"), files: files,
      record: folder.uploadRecord ?? ArchiveUploadRecord(destination: destination))
    // What was finished elsewhere stays so, for as long as nothing of it changes.
    let isElsewhere = upload.record.destination != destination
    if isElsewhere, !folder.isUploaded || !upload.pending.isEmpty {
      upload.record = ArchiveUploadRecord(destination: destination)
    }
    return upload
  }

  /// Opens a file of an archive that is to be sent.
  ///
  /// - Throws: also when it has changed since the survey.
  public func open(
    _ file: ArchiveUploadRecord.File, of id: ArchiveID
  ) throws(ArchiveError) -> ArchiveFileReader {
    guard file.name.isSafeFileName else { throw .invalidName(file.name) }
    let folder = try store.openUnlocked(id, on: try store.day(of: id))
    let reader = try ArchiveFileReader(file.name, in: folder.directory)
    guard folder.stamp(file.name) == file else { throw .inUse(id) }
    return reader
  }

  /// Whether a file still is as it was at the survey.
  public func isUnchanged(_ file: ArchiveUploadRecord.File, of id: ArchiveID) -> Bool {
    guard let day = try? store.day(of: id), let folder = try? store.openUnlocked(id, on: day) else { return false }
    return folder.stamp(file.name) == file
  }

  /// Notes what has been uploaded. Survives a power cut; blocks.
  ///
  /// - Parameter isWhole: marks the archive as one of which the store has all.
  public func note(_ record: ArchiveUploadRecord, of id: ArchiveID, isWhole: Bool) throws(ArchiveError) {
    let bytes = try record.json()
    try store.withFolderKept(id) { (folder: borrowing DirectoryHandle) throws(ArchiveError) in
      // Of the two `uploading` counts while both are there.
      let (name, other) =
        isWhole
        ? (ArchiveFolder.uploadedName, ArchiveFolder.uploadingName)
        : (ArchiveFolder.uploadingName, ArchiveFolder.uploadedName)
      try folder.replace(name, by: ArchiveFolder.nextUploadRecordName, with: bytes)
      if folder.contains(other) { try folder.removeFile(other) }
    }
  }

  /// Whether a store has all of an archive.
  public func isUploaded(_ id: ArchiveID) -> Bool {
    guard let day = try? store.day(of: id), let folder = try? store.openUnlocked(id, on: day) else { return false }
    return folder.isUploaded
  }

  /// Whether an archive has ended, so that it is not written any more.
  public func hasEnded(_ id: ArchiveID) throws(ArchiveError) -> Bool {
    let status = try store.manifest(id).status
    return status == .available || status == .failed
  }
}

extension ArchiveFolder {
  fileprivate var uploadRecord: ArchiveUploadRecord? {
    ArchiveUploadRecord(Self.uploadingName, in: directory) ?? ArchiveUploadRecord(Self.uploadedName, in: directory)
  }

  /// Nil for what is no regular file, or has another name elsewhere.
  fileprivate func stamp(_ name: String) -> ArchiveUploadRecord.File? {
    var status = stat()
    guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_nlink == 1
    else { return nil }
    let time = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue
    return ArchiveUploadRecord.File(
      name: name, byteCount: UInt64(clamping: status.st_size),
      modifiedAt: time.addingReportingOverflow(Int64(status.st_mtim.tv_nsec)).partialValue)
  }
}
