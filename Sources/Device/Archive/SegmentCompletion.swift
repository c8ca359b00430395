import WebM

/// Completes a file of a stream while the next one is being written: each of the writes that do so has to be on the disk
/// before the following one is begun.
///
/// Confined to the archive's thread.
final class SegmentCompletion {
  private struct Overwrite {
    var offset: UInt64
    var bytes: [UInt8]
  }

  /// Which of the stream's files it is.
  let segment: Int
  private let file: ArchiveFile
  private var waiting: [Overwrite] = []
  /// Bytes were written that may not be on the disk yet.
  private(set) var isDirty: Bool
  /// One of them is an overwriting.
  private var isBlocked = false

  /// - Parameter isDirty: whether clusters may not be on the disk yet: the first overwriting need not wait for them.
  init(_ file: consuming ArchiveFile, segment: Int, isDirty: Bool) {
    self.file = file
    self.segment = segment
    self.isDirty = isDirty
  }

  /// Nothing is left to be done.
  var isDone: Bool { waiting.isEmpty && !isDirty }

  /// What the disk has to be waited for.
  var pendingSync: DiskSync { file.pendingSync }

  /// Lets bytes be overwritten once what was overwritten before is on the disk.
  func overwrite(_ bytes: RawSpan, at offset: UInt64) {
    waiting.append(Overwrite(offset: offset, bytes: bytes.withUnsafeBytes { Array($0) }))
  }

  /// Writes what may be written before the disk has to be waited for again.
  func writeNext() throws(ArchiveError) {
    guard !isBlocked, let next = waiting.first else { return }
    waiting.removeFirst()
    (isDirty, isBlocked) = (true, true)
    try file.writeBuffered(next.bytes.span.bytes, at: next.offset)
  }

  /// Adds the complete file to the evidence.
  func note(in evidence: EvidenceJournal, as name: String) { evidence.noteCompleted(name, file) }

  /// The file is on the disk.
  func noteSync() { (isDirty, isBlocked) = (false, false) }
}
