import Evidence
import MediaCore
import RealtimeRuntime
import Signalling
import TransportCrypto

/// The evidence of an archive that is being recorded: collects what is written into its files, and signs it before the disk is
/// waited for, so that a statement reaches the disk together with what it is about.
///
/// Confined to the archive's thread.
final class EvidenceJournal {
  private let evidence: ArchiveEvidence
  private let id: ArchiveID
  private let clock: WallClockReader
  private var writer: EvidenceFileWriter?
  private var digests: EvidenceDigests
  private var numbers: [String: UInt16] = [:]
  private var completed: Set<UInt16> = []
  private var waiting: [EvidenceItem] = []
  private var certificate: String?
  private var isDirty = false
  /// The file was made, and its folder has not been synced since.
  private(set) var isNewFile = false

  init(_ evidence: ArchiveEvidence, archive id: ArchiveID, clock: WallClockReader) {
    self.evidence = evidence
    self.id = id
    self.clock = clock
    digests = EvidenceDigests(evidence.hashing)
  }

  /// Notes bytes that were appended to a file.
  ///
  /// - Parameters:
  ///   - start: what the file's times count from.
  ///   - times: milliseconds from there.
  func noteAppended(_ name: String, start: MonotonicInstant, at offset: UInt64, _ bytes: RawSpan, times: Range<Int64>) {
    let number = number(of: name, start: start)
    waiting.append(
      .range(
        EvidenceRange(
          file: number, offset: offset, byteCount: UInt32(clamping: bytes.byteCount),
          from: UInt32(clamping: times.lowerBound), to: UInt32(clamping: times.upperBound),
          digest: EvidenceDigest(.content, of: bytes, evidence.hashing))))
  }

  /// Notes a file that nothing changes any more. What cannot be read now is tried again at the end.
  func noteCompleted(_ name: String, _ file: borrowing ArchiveFile) {
    guard let number = numbers[name], !completed.contains(number),
      let completion = try? digests.completion(of: file, number: number)
    else { return }
    completed.insert(number)
    waiting.append(.completed(completion))
  }

  private func number(of name: String, start: MonotonicInstant) -> UInt16 {
    if let number = numbers[name] { return number }
    let number = UInt16(clamping: numbers.count)
    numbers[name] = number
    let milliseconds = (start - MonotonicInstant(nanoseconds: 0)).milliseconds
    waiting.append(.file(EvidenceFile(number: number, start: milliseconds, name: name)))
    return number
  }
}

extension EvidenceJournal {
  /// Signs what waits, and writes it without waiting for the disk: see ``pendingSync``.
  func write(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    guard !waiting.isEmpty else { return }
    try write(.progress, waiting, in: folder)
    waiting.removeAll(keepingCapacity: true)
  }

  /// What is left to be done after ``write(in:)``, if anything.
  var pendingSync: DiskSync? { isDirty ? writer?.pendingSync : nil }

  /// The file is on the disk.
  func noteSync() { isDirty = false }

  /// The folder is on the disk.
  func noteFolderSync() { isNewFile = false }

  /// Says that all files are as they will stay.
  ///
  /// - Parameter manifest: the name of the file that is about to become the manifest.
  func conclude(in folder: borrowing DirectoryHandle, manifest: String) throws(ArchiveError) {
    for (name, number) in numbers.sorted(by: { $0.value < $1.value })
    where name.hasSuffix(".webm") && !completed.contains(number) {
      noteCompleted(name, try ArchiveFile(name, in: folder))
    }
    try write(in: folder)
    try write(.conclusion, try digests.documents(in: folder, manifest: manifest), in: folder)
  }

  /// The archive has ended, and its folder is free for others.
  func noteEnd() { evidence.ended(id) }

  private func write(
    _ kind: EvidenceStatement.Kind, _ items: [EvidenceItem], in folder: borrowing DirectoryHandle
  ) throws(ArchiveError) {
    if writer == nil { try open(in: folder) }
    isDirty = true
    try writer?.write(kind, newCertificate + items)
  }

  private func open(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    writer = try EvidenceFileWriter(creatingIn: folder, evidence, clock: clock)
    (isNewFile, isDirty) = (true, true)
    try writer?.write(.opening, [.archive(id: id.text), .deviceKey(evidence.signer.publicKey)])
  }

  /// The certificate, when it has come or was renewed since the last statement.
  private var newCertificate: [EvidenceItem] {
    guard let now = evidence.certificate(), now != certificate else { return [] }
    certificate = now
    return [.certificate(now)]
  }
}
