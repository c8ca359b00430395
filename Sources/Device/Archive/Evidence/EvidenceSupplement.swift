import Evidence
import MediaCore
import RealtimeRuntime
public import Signalling
import TransportCrypto
import WebM

/// Says something about an archive that is not being recorded, behind what its evidence says already.
///
/// Nothing that was said before is changed: only bytes behind the last whole statement, which a power cut left, give way.
final class EvidenceSupplement {
  private let evidence: ArchiveEvidence
  private let clock: WallClockReader
  private let resumption: EvidenceResumption
  private var writer: EvidenceFileWriter
  private var digests: EvidenceDigests
  private var numbers: [String: EvidenceFile]

  /// Opens the evidence of an archive; nil where there is none, and where another key made it.
  init?(
    in folder: borrowing ArchiveFolder, _ evidence: ArchiveEvidence, clock: WallClockReader = WallClockReader()
  ) throws(ArchiveError) {
    guard folder.directory.contains(ArchiveFolder.evidenceName) else { return nil }
    var file = try ArchiveFile(ArchiveFolder.evidenceName, in: folder.directory, isWritable: true)
    let resumption = try Self.read(&file, evidence)
    guard let chain = resumption.chain, resumption.isSigned(by: evidence.signer.publicKey, evidence.verifier) else {
      return nil
    }
    self.evidence = evidence
    self.clock = clock
    self.resumption = resumption
    writer = try EvidenceFileWriter(file, after: chain, at: resumption.end, evidence, clock: clock)
    digests = EvidenceDigests(evidence.hashing)
    numbers = resumption.files
  }

  private static func read(
    _ file: inout ArchiveFile, _ evidence: ArchiveEvidence
  ) throws(ArchiveError) -> EvidenceResumption {
    var resumption = EvidenceResumption()
    var reader = EvidenceReader(evidence.hashing)
    while let element = try reader.next(&file) { resumption.take(element) }
    return resumption
  }

  /// Whether the recording was still in progress when the last statement was made.
  var isUnfinished: Bool { resumption.lastKind == .opening || resumption.lastKind == .progress }

  /// The digest of the statement that ended the recording, or changed it last, if no authority has stamped it.
  var unstamped: (statement: UInt64, digest: EvidenceDigest)? {
    resumption.unstamped.max { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// It lacks the hub's certificate for the key.
  var lacksCertificate: Bool { resumption.certificates.isEmpty }

  /// Adds what others confirmed, and waits for the disk.
  func attach(_ items: [EvidenceItem]) throws(ArchiveError) {
    let items = newCertificate + items
    guard !items.isEmpty else { return }
    try writer.write(.attachment, items)
    try DiskSync.check(writer.pendingSync.perform())
  }

  /// Adds how all files are now, and waits for the disk.
  ///
  /// - Parameter manifestName: the file that is the manifest, or is about to become it.
  func describeRecovery(
    _ manifest: ArchiveManifest, in folder: borrowing ArchiveFolder,
    manifestName: String
  ) throws(ArchiveError) {
    var items: [EvidenceItem] = newCertificate
    for entry in manifest.files { try describe(entry, manifest, in: folder, &items) }
    items += try digests.documents(in: folder.directory, manifest: manifestName)
    try writer.write(.recovery, items)
    try DiskSync.check(writer.pendingSync.perform())
  }

  /// Adds how the manifest is about to be, if it is now as it was said to be.
  fileprivate func amendManifest(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    let name = ArchiveFolder.manifestName
    guard resumption.documents[name] == (try digests.document(name, in: folder.directory)) else { return }
    let next = try digests.document(ArchiveFolder.temporaryName, as: name, in: folder.directory)
    try writer.write(.amendment, newCertificate + [.document(next)])
    try DiskSync.check(writer.pendingSync.perform())
  }

  private var newCertificate: [EvidenceItem] {
    guard let now = evidence.certificate(), resumption.certificates.last != now else { return [] }
    return [.certificate(now)]
  }

  private func describe(
    _ entry: ArchivedFile, _ manifest: ArchiveManifest, in folder: borrowing ArchiveFolder,
    _ items: inout [EvidenceItem]
  ) throws(ArchiveError) {
    let file: ArchiveFile
    do {
      file = try ArchiveFile(entry.filename, in: folder.directory)
    } catch {
      guard error.isForeign else { throw error }
      return
    }
    // What others put in a recording's place the device does not vouch for.
    guard try file.hasOwnHeader else { return }
    let known = numbers[entry.filename] ?? newFile(entry, manifest)
    if numbers.updateValue(known, forKey: entry.filename) == nil { items.append(.file(known)) }
    items += try found(in: file, known, entry)
    items.append(.completed(try digests.completion(of: file, number: known.number)))
  }

  /// A file that was made so shortly before the power cut that no statement names it.
  private func newFile(_ entry: ArchivedFile, _ manifest: ArchiveManifest) -> EvidenceFile {
    let other = manifest.files.lazy.compactMap { [numbers] other in
      numbers[other.filename].map { $0.start.saturatingSubtracting(other.startTimeOffset) }
    }.first
    return EvidenceFile(
      number: UInt16(clamping: numbers.count), start: (other ?? 0).saturatingAdding(entry.startTimeOffset),
      name: entry.filename)
  }

  /// What stands behind the bytes that are proven for sure.
  private func found(
    in file: borrowing ArchiveFile, _ known: EvidenceFile, _ entry: ArchivedFile
  ) throws(ArchiveError) -> [EvidenceItem] {
    let settled = resumption.settled[known.number]
    var offset = max(settled?.end ?? 0, WebMLayout.firstClusterOffset)
    let end = UInt32(clamping: max(0, entry.stopTimeOffset.saturatingSubtracting(entry.startTimeOffset)))
    var items: [EvidenceItem] = []
    while offset < file.byteCount {
      let wanted = min(file.byteCount - offset, Self.foundByteCount)
      let (digest, byteCount) = try digests.digest(of: file, from: offset, byteCount: wanted)
      guard byteCount > 0 else { break }
      items.append(
        .found(
          EvidenceRange(
            file: known.number, offset: offset, byteCount: UInt32(clamping: byteCount),
            from: min(settled?.to ?? 0, end),
            to: end, digest: digest)))
      offset += byteCount
    }
    return items
  }

  private static let foundByteCount: UInt64 = 1 << 30
}

/// What others still have to confirm of an archive's evidence.
public struct EvidenceNeeds: Hashable, Sendable {
  /// The 32 octets of the digest that an authority is to stamp; nil if one has.
  public var unstamped: [UInt8]?
  /// It lacks the hub's certificate for the key.
  public var lacksCertificate: Bool
  let statement: UInt64
}

extension ArchiveStore {
  /// What others still have to confirm of an archive that has ended; nil if nothing can be added to it: it has no evidence, or
  /// another device made it. Blocks.
  public func evidenceNeeds(_ id: ArchiveID) throws(ArchiveError) -> EvidenceNeeds? {
    guard let evidence else { return nil }
    let folder = try open(id, on: try day(of: id))
    guard let supplement = try EvidenceSupplement(in: folder, evidence), !supplement.isUnfinished else { return nil }
    return EvidenceNeeds(
      unstamped: supplement.unstamped?.digest.octets, lacksCertificate: supplement.lacksCertificate,
      statement: supplement.unstamped?.statement ?? 0)
  }

  /// Adds what others have confirmed: a time stamp of what was unstamped, and the certificate if it was lacking. Blocks.
  ///
  /// - Parameter response: the authority's answer, at most 32 KiB; nil for the certificate alone.
  public func attachEvidence(_ id: ArchiveID, timeStamp response: [UInt8]?, to needs: EvidenceNeeds)
    throws(ArchiveError)
  {
    guard let evidence else { return }
    let folder = try open(id, on: try day(of: id))
    guard let supplement = try EvidenceSupplement(in: folder, evidence) else { return }
    var items: [EvidenceItem] = []
    if let response {
      guard response.count <= Self.longestTimeStamp else { throw .evidence("the time stamp is too long") }
      items.append(.timeStamp(EvidenceTimeStamp(statement: needs.statement, response: response)))
    }
    try supplement.attach(items)
  }

  private static let longestTimeStamp = 32_768

  /// Records in the evidence the state of the files of a recovered archive.
  ///
  /// - Parameter manifestName: the file that is the manifest, or is about to become it.
  func noteRecovery(
    _ manifest: ArchiveManifest, in folder: borrowing ArchiveFolder, manifestName: String
  ) throws(ArchiveError) {
    guard let evidence, let supplement = try EvidenceSupplement(in: folder, evidence) else { return }
    guard supplement.isUnfinished || manifestName == ArchiveFolder.temporaryName else { return }
    try supplement.describeRecovery(manifest, in: folder, manifestName: manifestName)
    evidence.ended(folder.id)
  }

  /// Replaces the manifest of an archive that has ended, and first records in the evidence that this device did so; not
  /// for a manifest that was changed by others, nor for anything else.
  func amend(_ manifest: ArchiveManifest, in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    if let evidence, let supplement = try EvidenceSupplement(in: folder, evidence) {
      _ = try folder.prepare(manifest)
      try supplement.amendManifest(in: folder)
    }
    try folder.write(manifest)
  }
}
