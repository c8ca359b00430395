public import Signalling
import WebM

/// What a repair did to one archive.
public struct ArchiveRepairReport: Hashable, Sendable {
  public enum Change: Hashable, Sendable {
    /// The file's torn end was cut off.
    case cut(String, byteCount: UInt64)
    /// Bytes within the file that are no media were hidden from players.
    case hidGap(String, byteCount: UInt64)
    /// The file got its duration and index.
    case completed(String)
    /// The file held no media.
    case removed(String)
    /// The manifest had not named the file.
    case listed(String)
    /// The manifest had named a file that is not there.
    case unlisted(String)
    /// The manifest was brought in line with the files.
    case updatedManifest
  }

  public var manifest: ArchiveManifest
  /// Nothing if the archive was whole.
  public var changes: [Change]
}

extension ArchiveStore {
  /// Makes one archive whole that is not in use, as ``recover()`` does for those that a crash left unfinished.
  ///
  /// What is damaged within a cluster stays so: ``verify(_:)`` tells. Blocks for as long as it takes to read the heads of
  /// all clusters.
  public func repair(_ id: ArchiveID) throws(ArchiveError) -> ArchiveRepairReport {
    let folder = try open(id, on: try day(of: id))
    return try ArchiveRepair(store: self).run(in: folder)
  }
}

/// See ``ArchiveStore/repair(_:)``.
private struct ArchiveRepair {
  let store: ArchiveStore

  func run(in folder: borrowing ArchiveFolder) throws(ArchiveError) -> ArchiveRepairReport {
    let old = try folder.manifest()
    var report = ArchiveRepairReport(manifest: old, changes: [])
    report.manifest.files = try repairFiles(of: old, in: folder, &report.changes)
    try GPXRepair.repair(in: folder.directory)
    if old.status == .started { report.manifest.concludeInterruption() } else { report.manifest.updateTotals() }
    if report.manifest != old {
      report.changes.append(.updatedManifest)
      try write(report.manifest, wasStarted: old.status == .started, in: folder)
    }
    return report
  }

  /// Evidence tells of a repair that is a recovery. What is repaired later than that was damaged by something else than the end
  /// of the power, and the device does not vouch for it.
  private func write(
    _ manifest: ArchiveManifest, wasStarted: Bool, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) {
    if wasStarted { try ArchiveRecoverer(store: store).prepareRecovered(manifest, in: folder) }
    try folder.write(manifest)
  }

  private func repairFiles(
    of manifest: ArchiveManifest, in folder: borrowing ArchiveFolder, _ changes: inout [ArchiveRepairReport.Change]
  ) throws(ArchiveError) -> [ArchiveManifest.File] {
    let names = try folder.mediaFileNames()
    for file in manifest.files where !names.contains(file.filename) { changes.append(.unlisted(file.filename)) }
    var files: [ArchiveManifest.File] = []
    for name in manifest.inOrder(names) {
      let known = manifest.files.first { $0.filename == name }
      if known == nil { changes.append(.listed(name)) }
      changes += try Self.changesDue(name, in: folder)
      let entry = known ?? .unlisted(name, after: files + manifest.files)
      if let file = try Self.examined(entry, in: folder) { files.append(file) }
    }
    return files
  }

  /// Repairs a file even if the manifest calls it complete.
  private static func examined(
    _ entry: ArchiveManifest.File, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> ArchiveManifest.File? {
    var open = entry
    open.size = 0
    guard var file = try WebMFileRepair.repair(open, in: folder) else { return nil }
    if file.size == 0 { file.size = entry.size }
    return file
  }

  /// What a repair is about to change in a file.
  private static func changesDue(
    _ name: String, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> [ArchiveRepairReport.Change] {
    var file = try ArchiveFile(name, in: folder.directory)
    let scan = try WebMScanner.scan(&file, depth: .quick)
    guard !scan.isEmpty else { return try WebMFileRepair.isDisposable(file, scan) ? [.removed(name)] : [] }
    return scan.findings.compactMap { finding in
      switch finding {
      case .tornTail(_, let byteCount): .cut(name, byteCount: byteCount)
      case .gap(_, let byteCount): .hidGap(name, byteCount: byteCount)
      case .unfinished: .completed(name)
      case .headerUnreadable, .clusterDamaged: nil
      }
    }
  }
}
