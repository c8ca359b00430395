import Evidence
import MediaCore
import RealtimeRuntime
import TransportCrypto

/// Puts statements behind each other into an archive's evidence file.
///
/// A statement that could not be written leaves nothing behind but bytes that the next one overwrites.
struct EvidenceFileWriter: ~Copyable {
  private let evidence: ArchiveEvidence
  private let clock: WallClockReader
  private let file: ArchiveFile
  private var chain: EvidenceChain
  private var end: UInt64

  /// Statements with more items are split; a record has to stay below ``EvidenceRecord/maximumByteCount``.
  private static let maxItems = 4_096

  /// Makes the file.
  init(
    creatingIn folder: borrowing DirectoryHandle, _ evidence: ArchiveEvidence, clock: WallClockReader
  ) throws(ArchiveError) {
    file = try ArchiveFile(creating: ArchiveFolder.evidenceName, in: folder)
    self.evidence = evidence
    self.clock = clock
    chain = EvidenceChain()
    end = 0
  }

  /// Continues behind the intact part of an existing file.
  init(
    _ file: consuming ArchiveFile, after chain: EvidenceChain, at end: UInt64, _ evidence: ArchiveEvidence,
    clock: WallClockReader
  ) throws(ArchiveError) {
    if file.byteCount > end { try file.truncate(to: end) }
    self.file = file
    self.evidence = evidence
    self.clock = clock
    self.chain = chain
    self.end = end
  }

  /// What is left to be done after ``write(_:_:)``.
  var pendingSync: DiskSync { file.pendingSync }

  /// Writes a statement, without waiting for the disk; a long one as several.
  mutating func write(_ kind: EvidenceStatement.Kind, _ items: [EvidenceItem]) throws(ArchiveError) {
    var rest = items[...]
    repeat {
      let part = rest.prefix(Self.maxItems)
      rest = rest.dropFirst(part.count)
      // Only the last part is an end.
      try append(EvidenceStatement(rest.isEmpty ? kind : .progress, at: now, items: Array(part)))
    } while !rest.isEmpty
  }

  private var now: EvidenceTime {
    let reading = clock.read()
    return EvidenceTime(
      wallClock: reading.milliseconds, isSynchronized: reading.isSynchronized,
      monotonic: (MonotonicClock.now() - MonotonicInstant(nanoseconds: 0)).milliseconds)
  }

  private mutating func append(_ statement: EvidenceStatement) throws(ArchiveError) {
    let record: EvidenceChain.Pending
    do {
      record = try chain.makeRecord(statement, evidence.hashing, signer: evidence.signer)
    } catch {
      throw .evidence("\(error)")
    }
    try file.writeBuffered(record.bytes.span.bytes, at: end)
    end += UInt64(record.bytes.count)
    chain.advance(past: record)
  }
}
