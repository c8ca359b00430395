public import Archive
public import ControlMessages

/// The archives below a folder as the control socket and the command line show them. Blocks while it reads the disk.
public struct ArchiveInspection: Sendable {
  private let store: ArchiveStore

  public init(store: ArchiveStore) { self.store = store }

  /// The newest archives.
  public func summaries(limit: Int) throws(ArchiveError) -> [ArchiveSummary] {
    try store.list(limit: limit).map { manifest in
      ArchiveSummary(manifest, path: ArchiveID(manifest.id).flatMap { try? store.path($0) })
    }
  }

  /// Reads one archive, or all, through.
  ///
  /// - Throws: ``DeviceControlError/noSuchArchive(_:)`` when there is none of that id.
  public func reports(archiveID: String?) throws(DeviceControlError) -> [ArchiveReport] {
    if let archiveID {
      guard let id = ArchiveID(archiveID) else { throw .noSuchArchive(archiveID) }
      return [try report(id)]
    }
    do {
      return try store.list().compactMap { ArchiveID($0.id) }.map { id in report(of: id) }
    } catch {
      throw .failed(message: String(describing: error))
    }
  }

  private func report(_ id: ArchiveID) throws(DeviceControlError) -> ArchiveReport {
    do {
      return ArchiveReport(archiveID: id.text, problems: try store.verify(id).map(\.sentence))
    } catch {
      if case .notFound = error { throw .noSuchArchive(id.text) }
      throw .failed(message: error.description)
    }
  }

  /// One unreadable archive must not hide the others.
  private func report(of id: ArchiveID) -> ArchiveReport {
    do {
      return try report(id)
    } catch {
      return ArchiveReport(archiveID: id.text, problems: [error.description])
    }
  }
}

extension ArchiveSummary {
  /// - Parameter path: the archive's folder.
  public init(_ manifest: ArchiveManifest, path: String?) {
    self.init(
      archiveID: manifest.id, sessionID: manifest.sessionId, status: manifest.status.rawValue,
      reason: manifest.reason, createdAt: manifest.createdAt, duration: manifest.duration,
      size: Int64(clamping: manifest.size), hasAudio: manifest.hasAudio, hasVideo: manifest.hasVideo, path: path)
  }
}
