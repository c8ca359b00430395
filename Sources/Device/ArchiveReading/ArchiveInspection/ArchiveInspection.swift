public import Archive
public import ControlMessages
public import Signalling

/// The archives below a folder as the control socket and the command line show them. Blocks while it reads the disk.
public struct ArchiveInspection: Sendable {
  let store: ArchiveStore

  public init(store: ArchiveStore) { self.store = store }

  /// The newest archives.
  public func summaries(limit: Int) throws(DeviceControlError) -> [ArchiveSummary] {
    do {
      return try store.listings(limit: limit).map { listing in
        ArchiveSummary(listing)
      }
    } catch {
      throw DeviceControlError(error)
    }
  }

  /// How many archives there are, without opening them.
  public func count() throws(DeviceControlError) -> Int {
    do {
      return try store.ids().count
    } catch {
      throw DeviceControlError(error)
    }
  }

  /// Reads one archive, or all, through.
  ///
  /// - Throws: ``DeviceControlError/noSuchArchive(_:)`` when there is none of that id.
  public func reports(archiveID: String?) throws(DeviceControlError) -> [ArchiveReport] {
    if let archiveID {
      return [try report(try id(archiveID))]
    }
    do {
      return try store.ids().compactMap { report(of: $0) }
    } catch {
      throw .failed(message: String(describing: error))
    }
  }

  private func report(_ id: ArchiveID) throws(DeviceControlError) -> ArchiveReport {
    do {
      let findings = try store.verify(id)
      return ArchiveReport(
        archiveID: id.text, problems: findings.filter(\.isProblem).map(\.sentence),
        notes: findings.filter { !$0.isProblem }.map(\.sentence))
    } catch {
      throw DeviceControlError(error)
    }
  }

  /// One unreadable archive must not hide the others. A folder without a manifest is none: retention reports it.
  private func report(of id: ArchiveID) -> ArchiveReport? {
    do {
      return try report(id)
    } catch {
      return store.hasManifest(id) ? ArchiveReport(archiveID: id.text, problems: [error.description]) : nil
    }
  }
}

extension ArchiveSummary {
  init(_ listing: ArchiveListing) {
    self.init(listing.manifest, isLocked: listing.isLocked, path: listing.path)
    size = Int64(clamping: listing.byteCount)
    isUploaded = listing.isUploaded
  }

  /// - Parameter path: the archive's folder.
  public init(_ manifest: ArchiveManifest, isLocked: Bool, path: String?) {
    self.init(
      archiveID: manifest.id.text, name: manifest.name, sessionID: manifest.sessionId, status: manifest.status.rawValue,
      reason: manifest.reason, createdAt: manifest.createdAt, duration: manifest.duration,
      size: Int64(clamping: manifest.size), hasAudio: manifest.hasAudio, hasVideo: manifest.hasVideo,
      isLocked: isLocked, path: path, callerID: manifest.callerID)
    receiverID = manifest.files.first { $0.streamId == ArchiveStreamDescription.receiverID }?.connectionData
    plans = manifest.plans
  }
}
