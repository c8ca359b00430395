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
  /// Names of what the recorder did not make; it was left as it is.
  public var foreign: [String] = []
}

extension ArchiveStore {
  /// Makes one archive whole that is not in use, as ``recover()`` does for those that a crash left unfinished.
  ///
  /// What is damaged within a cluster stays so: ``verify(_:)`` reports it. Blocks for as long as it takes to read the
  /// heads of all clusters.
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
    report.manifest.files = try repairFiles(of: old, in: folder, &report)
    try GPXRepair.repair(in: folder.directory)
    if old.status == .started { report.manifest.concludeInterruption() } else { report.manifest.updateTotals() }
    if report.manifest != old {
      report.changes.append(.updatedManifest)
      try write(report.manifest, wasStarted: old.status == .started, in: folder)
    }
    report.foreign = Set(try folder.foreignNames(besides: report.manifest)).union(report.foreign).sorted()
    return report
  }

  /// Evidence records a repair that is a recovery. What is repaired later was damaged by something other than a power
  /// cut, and the device does not vouch for it.
  private func write(
    _ manifest: ArchiveManifest, wasStarted: Bool, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) {
    if wasStarted { try ArchiveRecoverer(store: store).prepareRecovered(manifest, in: folder) }
    try folder.write(manifest)
  }

  private func repairFiles(
    of manifest: ArchiveManifest, in folder: borrowing ArchiveFolder, _ report: inout ArchiveRepairReport
  ) throws(ArchiveError) -> [ArchivedFile] {
    let names = try folder.mediaFileNames()
    for file in manifest.files where !names.contains(file.filename) {
      report.changes.append(.unlisted(file.filename))
    }
    var files: [ArchivedFile] = []
    for name in manifest.inOrder(names) {
      let named = manifest.files.first { $0.filename == name }
      let kind = try MediaFileKind(of: name, in: folder)
      if named == nil, kind == .foreign { continue }
      if named == nil, kind == .recording { report.changes.append(.listed(name)) }
      if kind == .recording { report.changes += try Self.changesDue(name, in: folder) }
      let entry = named ?? .unlisted(name, after: files + manifest.files)
      switch try WebMFileRepair.repair(entry, in: folder, evenIfComplete: true) {
      case .recording(let file): files.append(file)
      case .removed: report.changes.append(.removed(name))
      // What the manifest names stays named, so that the loss is visible.
      case .foreign:
        report.foreign.append(name)
        if let named { files.append(named) }
      }
    }
    return files
  }

  /// What a repair is about to change in a recording.
  private static func changesDue(
    _ name: String, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> [ArchiveRepairReport.Change] {
    var file = try ArchiveFile(name, in: folder.directory)
    return try WebMScanner.scan(&file, depth: .quick).findings.compactMap { finding in
      switch finding {
      case .tornTail(_, let byteCount): .cut(name, byteCount: byteCount)
      case .gap(_, let byteCount): .hidGap(name, byteCount: byteCount)
      case .unfinished: .completed(name)
      case .headerUnreadable, .clusterDamaged: nil
      }
    }
  }
}
