import Evidence
import Glibc
import Signalling
public import TransportCrypto
import WebM

/// Compares an archive's files with what its device signed. Needs only the folder, which may be anywhere.
///
/// Reads every byte once. Memory grows with the number of clusters, about 200 bytes each.
public struct EvidenceVerification {
  private let folder: ArchiveDirectory
  private let audit: EvidenceAudit
  private let timeline: EvidenceTimeline
  private var digests: EvidenceDigests
  private var findings: [EvidenceFinding] = []
  private var lastProven: Int64?
  /// Which bytes were written where; made when something turns out to be changed.
  private var places: [EvidenceDigest: EvidenceRange]?

  /// More are not reported.
  private static let findingLimit = 1_000

  /// Verifies the archive in a folder.
  ///
  /// - Throws: ``ArchiveError`` when files cannot be read; what is wrong with them is a finding.
  public static func verify(
    folder path: String, _ hashing: any SHA256Hashing, _ verifier: any SignatureVerifying
  ) throws(ArchiveError) -> EvidenceReport {
    let folder = try ArchiveDirectory(path: path)
    guard folder.handle.contains(ArchiveFolder.evidenceName) else { return EvidenceReport(verdict: .missing) }
    let audit = try Self.audit(ArchiveFolder.evidenceName, in: folder.handle, hashing, verifier)
    var verification = EvidenceVerification(folder, audit, hashing)
    try verification.run()
    return verification.report()
  }

  /// Reads the statements alone, such as of a copy that lies beside an export: what they say of themselves.
  public static func statements(
    file path: String, _ hashing: any SHA256Hashing, _ verifier: any SignatureVerifying
  ) throws(ArchiveError) -> EvidenceReport {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = String(parts.last ?? "")
    let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
    let folder = try ArchiveDirectory(path: parent)
    let audit = try Self.audit(name, in: folder.handle, hashing, verifier)
    var verification = EvidenceVerification(folder, audit, hashing)
    verification.noteStatements()
    verification.lastProven = audit.ranges.compactMap { verification.end(of: $0.range) }.max()
    return verification.report()
  }

  private static func audit(
    _ name: String, in folder: borrowing DirectoryHandle, _ hashing: any SHA256Hashing,
    _ verifier: any SignatureVerifying
  ) throws(ArchiveError) -> EvidenceAudit {
    var file = try ArchiveFile(name, in: folder)
    var reader = EvidenceReader(hashing)
    var audit = EvidenceAudit(hashing, verifier)
    while let element = try reader.next(&file) { audit.take(element) }
    audit.finish()
    return audit
  }

  private init(_ folder: ArchiveDirectory, _ audit: EvidenceAudit, _ hashing: any SHA256Hashing) {
    self.folder = folder
    self.audit = audit
    timeline = EvidenceTimeline(audit)
    digests = EvidenceDigests(hashing)
  }

  private mutating func run() throws(ArchiveError) {
    noteStatements()
    noteManifest()
    let ranges = Dictionary(grouping: audit.ranges) { $0.range.file }
    for file in audit.files.values.sorted(by: { $0.number < $1.number }) {
      try check(file, ranges[file.number] ?? [])
    }
    try checkDocuments()
    try noteAddedFiles()
  }

  private func report() -> EvidenceReport {
    var report = EvidenceReport(verdict: verdict, findings: findings)
    report.archiveID = audit.archiveID
    report.deviceKey = audit.deviceKey
    report.certificates = audit.certificates
    report.timeStamps = audit.timeStamps
    report.statementCount = audit.statementCount
    report.begin = audit.opening.map { timeline.moment($0.monotonic) }
    report.validUntil = lastProven.map { timeline.moment($0) }
    report.ending = audit.ending
    report.clockSteps = audit.clockSteps.map { timeline.step($0) }
    report.head = audit.head?.digest.octets
    return report
  }

  private var verdict: EvidenceReport.Verdict {
    if findings.contains(where: { if case .otherArchive = $0 { true } else { false } }) { return .foreign }
    if findings.contains(where: \.isChange) { return .changed }
    guard case .concluded = audit.ending else { return .cut }
    // Nothing but a statement that others confirmed comes behind the end, and no power cut of a recording tears it.
    return findings.isEmpty ? .whole : .changed
  }

  private mutating func add(_ finding: EvidenceFinding) {
    if findings.count < Self.findingLimit, !findings.contains(finding) { findings.append(finding) }
  }
}

/// A folder's handle as part of a value that is copied.
private final class ArchiveDirectory {
  let handle: DirectoryHandle

  init(path: String) throws(ArchiveError) {
    do { handle = try DirectoryHandle(path: path) } catch { throw error.at(path) }
  }
}

// MARK: - Statements and manifest

extension EvidenceVerification {
  private mutating func noteStatements() {
    for fault in audit.faults {
      let gap = fault.gap
      add(
        .statements(fault, from: gap?.after.map { timeline.moment($0) }, to: gap?.before.map { timeline.moment($0) }))
    }
  }

  /// What the manifest says of itself; its bytes are compared as those of any document.
  private mutating func noteManifest() {
    guard let manifest = ArchiveManifest(readIn: folder.handle) else { return }
    if let id = audit.archiveID, id != manifest.id.text { add(.otherArchive(id)) }
    if audit.ending == .none, manifest.status == .available, manifest.reason != "recovered" { add(.unconcluded) }
  }

  private mutating func checkDocuments() throws(ArchiveError) {
    for (name, versions) in audit.documents.sorted(by: { $0.key < $1.key }) {
      guard name.isEvidenceDocument || name == ArchiveFolder.manifestName else { continue }
      do {
        let now = try digests.document(name, in: folder.handle)
        guard !versions.contains(now) else { continue }
      } catch {
        guard error.isMissing || error.isForeign else { throw error }
        add(error.isMissing ? .missingFile(name) : .replacedFile(name))
        continue
      }
      if !findings.contains(where: { $0.places(name) }) { add(.document(name)) }
    }
  }

  private mutating func noteAddedFiles() throws(ArchiveError) {
    let known = Set(audit.files.values.map(\.name)).union(audit.documents.keys)
    for name in try folder.handle.names() where !known.contains(name) {
      guard AdministrativeFile(rawValue: name)?.needsNoStatement != true else { continue }
      // Before the end the device makes files that no statement names yet.
      if case .none = audit.ending { add(.unproven(name, byteCount: size(of: name))) } else { add(.addedFile(name)) }
    }
  }

  private func size(of name: String) -> UInt64 { (try? ArchiveFile(name, in: folder.handle))?.byteCount ?? 0 }
}

extension EvidenceAudit.Ending {
  fileprivate var isInterruption: Bool { if case .concluded = self { false } else { true } }
}

extension EvidenceFault {
  fileprivate var gap: EvidenceGap? {
    switch self {
    case .changed(let gap), .missing(let gap), .outOfOrder(let gap): gap
    case .noOpening, .tornTail, .otherVersion: nil
    }
  }
}

extension EvidenceFinding {
  /// One finding for both, if they are the same about one stretch and the next; nil otherwise.
  fileprivate func joined(with next: EvidenceFinding) -> EvidenceFinding? {
    switch (self, next) {
    case (.changed(let name, let first), .changed(let other, let second)) where name == other:
      first.joined(with: second).map { .changed(name, $0) }
    case (.truncated(let name, let first), .truncated(let other, let second)) where name == other:
      first.joined(with: second).map { .truncated(name, $0) }
    case (.lost(let name, let first), .lost(let other, let second)) where name == other:
      first.joined(with: second).map { .lost(name, $0) }
    default: nil
    }
  }

  /// Whether it says where in this file something was changed.
  fileprivate func places(_ name: String) -> Bool {
    switch self {
    case .changed(let file, _), .moved(let file, _, _, _), .truncated(let file, _), .lost(let file, _): file == name
    case .statements, .otherArchive, .unconcluded, .header, .document, .missingFile, .replacedFile, .addedFile,
      .extended, .unproven, .recovered:
      false
    }
  }
}

extension AdministrativeFile {
  /// Whether a file of this kind may be there though no statement names it.
  fileprivate var needsNoStatement: Bool {
    switch self {
    // It is compared as a document; these are the statements themselves.
    case .manifest, .evidence: true
    // They come and go when the recording has ended, and say nothing about what it shows.
    case .nextManifest, .lock, .uploaded, .uploading, .nextUploadRecord: true
    }
  }
}

// MARK: - Files that grew

extension EvidenceVerification {
  private mutating func check(_ file: EvidenceFile, _ ranges: [ProvenRange]) throws(ArchiveError) {
    guard file.name.isSafeFileName else { return add(.missingFile(file.name)) }
    let content: ArchiveFile
    do {
      content = try ArchiveFile(file.name, in: folder.handle)
    } catch {
      guard error.isMissing || error.isForeign else { throw error }
      return error.isMissing ? noteMissing(file, ranges) : add(.replacedFile(file.name))
    }
    for proven in ranges.sorted(by: { $0.range.offset < $1.range.offset }) {
      try check(proven.range, mayBeLost: isUncertain(proven), file, content)
    }
    for range in audit.found where range.file == file.number {
      try check(range, mayBeLost: false, file, content)
      add(.recovered(file.name, timeline.stretch(range, of: file)))
    }
    guard file.name.hasSuffix(".webm") else { return }
    if let completion = audit.completions[file.number] {
      try check(completion, file, content)
    } else {
      noteUnproven(file, ranges, content)
    }
  }

  /// A file that was made so shortly before the power went need not have reached the disk.
  private mutating func noteMissing(_ file: EvidenceFile, _ ranges: [ProvenRange]) {
    guard ranges.allSatisfy(isUncertain), audit.completions[file.number] == nil, audit.ending.isInterruption else {
      return add(.missingFile(file.name))
    }
    for proven in ranges { note(.lost(file.name, timeline.stretch(proven.range, of: file))) }
  }

  /// Whether the disk need not have had the bytes when the power went.
  private func isUncertain(_ proven: ProvenRange) -> Bool {
    audit.ending.isInterruption && proven.statement == audit.lastRecording
  }

  private mutating func check(
    _ range: EvidenceRange, mayBeLost: Bool, _ file: EvidenceFile, _ content: borrowing ArchiveFile
  ) throws(ArchiveError) {
    let stretch = timeline.stretch(range, of: file)
    let (digest, byteCount) = try digests.digest(of: content, from: range.offset, byteCount: UInt64(range.byteCount))
    if byteCount == UInt64(range.byteCount), digest == range.digest {
      lastProven = max(lastProven ?? .min, end(of: range) ?? .min)
    } else if mayBeLost {
      note(.lost(file.name, stretch))
    } else if byteCount < UInt64(range.byteCount) {
      note(.truncated(file.name, stretch))
    } else if let source = place(of: digest), let origin = audit.files[source.file] {
      note(.moved(file.name, stretch, from: origin.name, timeline.stretch(source, of: origin)))
    } else {
      note(.changed(file.name, stretch))
    }
  }

  private func end(of range: EvidenceRange) -> Int64? {
    audit.files[range.file].map { $0.start.addingReportingOverflow(Int64(range.to)).partialValue }
  }

  /// Where else the device wrote these bytes.
  private mutating func place(of digest: EvidenceDigest) -> EvidenceRange? {
    if places == nil {
      places = Dictionary(audit.ranges.map { ($0.range.digest, $0.range) }) { first, _ in first }
    }
    return places?[digest]
  }

  /// Joins a finding with the one before, if that is about the stretch before.
  private mutating func note(_ finding: EvidenceFinding) {
    if let joined = findings.last?.joined(with: finding) {
      findings[findings.count - 1] = joined
    } else {
      add(finding)
    }
  }

  private mutating func check(
    _ completion: EvidenceCompletion, _ file: EvidenceFile, _ content: borrowing ArchiveFile
  ) throws(ArchiveError) {
    if content.byteCount > completion.byteCount {
      add(.extended(file.name, byteCount: content.byteCount - completion.byteCount))
    } else if content.byteCount < completion.byteCount, !findings.contains(where: { $0.places(file.name) }) {
      let range = audit.ranges.last { $0.range.file == file.number }?.range
      add(range.map { .truncated(file.name, timeline.stretch($0, of: file)) } ?? .header(file.name))
    }
    let header = try digests.digest(of: content, from: 0, byteCount: UInt64(completion.headerByteCount))
    if header.digest != completion.digest { add(.header(file.name)) }
  }

  /// Of a file that was never completed.
  private mutating func noteUnproven(
    _ file: EvidenceFile, _ ranges: [ProvenRange], _ content: borrowing ArchiveFile
  ) {
    let end = ranges.map(\.range.end).max() ?? WebMLayout.firstClusterOffset
    if content.byteCount > end { add(.unproven(file.name, byteCount: content.byteCount - end)) }
  }
}
