import MediaCore
public import Signalling
import WebM

/// A part of one stream of an archive as a WebM file of its own, without re-encoding: it begins with a key frame, has an
/// index, and knows its size before its first byte. Of a recording that continues it ends where the disk has no more.
///
/// A further camera's part has the sound of the device. The archive is read twice: once for what the head of the file
/// says, and while the file is read. A finished one can be neither deleted nor repaired while the value lives. Memory is bounded by two
/// clusters a track. Not thread-safe: for one thread at a time, which blocks.
public final class ArchiveClip {
  /// A clip with more bytes is refused.
  public static let largest: UInt64 = 1 << 30

  /// Bytes of the file.
  public let byteCount: UInt64
  /// What is in it; it begins with a key frame, which may be before what was asked for.
  public let span: ArchiveSpan
  private let tracks: [ExportTrack]
  private let title: String
  private let folder: HeldFolder
  /// What the file begins with, complete.
  private let head: [UInt8]
  private var pass: RemuxPass
  /// Where the bytes of the pass that are not read yet begin.
  private var position: UInt64 = 0
  private var pending: ArraySlice<UInt8> = []

  /// Finds the key frame to begin with, and reads the part through.
  ///
  /// - Parameters:
  ///   - file: of the archive's files; the clip continues in the later ones of its stream.
  ///   - wanted: the frames from the key frame before its start up to its end.
  /// - Throws: ``ArchiveError/invalidName(_:)`` for a file that the manifest does not name,
  ///   ``ArchiveError/noMedia(_:)`` where the part has no frames, ``ArchiveError/inUse(_:)`` …
  public init(_ id: ArchiveID, file: String, span wanted: ArchiveSpan, in store: ArchiveStore) throws(ArchiveError) {
    folder = try HeldFolder(id, in: store, mayRun: true)
    let manifest = try folder.folder.manifest()
    guard manifest.status != .started || folder.isRunning else { throw .unfinished(id) }
    guard let entry = manifest.files.first(where: { $0.filename == file }) else { throw .invalidName(file) }
    tracks = ExportTrack.clipped(entry, of: manifest.files, in: folder.folder)
    guard !tracks.isEmpty else { throw .noMedia(id) }
    let start = ExportTrack.keyFrame(before: wanted.start, of: tracks, in: folder)
    // A clip of the greatest length may have to begin earlier: it ends earlier then.
    let end = min(wanted.end, start + ArchiveSpan.longestClip)
    guard let span = ArchiveSpan(start: start, end: end) else { throw .noMedia(id) }
    (self.span, title) = (span, manifest.name)
    (byteCount, head) = try Self.measure(Self.makePass(tracks, span, title, in: folder), id)
    pass = Self.makePass(tracks, span, title, in: folder)
  }

  /// Reads bytes; fewer at the file's end. What was passed by is read again from the beginning.
  public func read(at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    if offset < position { rewind() }
    var bytes: [UInt8] = []
    while bytes.count < count, try fill() {
      let skipped = Int(clamping: min(UInt64(pending.count), offset > position ? offset - position : 0))
      pending.removeFirst(skipped)
      let taken = min(pending.count, count - bytes.count)
      bytes += pending.prefix(taken)
      pending.removeFirst(taken)
      position += UInt64(skipped + taken)
    }
    return bytes
  }

  private func rewind() {
    pass = Self.makePass(tracks, span, title, in: folder)
    (position, pending) = (0, [])
  }

  /// Returns false at the end.
  private func fill() throws(ArchiveError) -> Bool {
    guard pending.isEmpty else { return true }
    switch pass.next() {
    case .append: pending = (position == 0 ? head : pass.withOutput { $0.copiedToArray() })[...]
    // It is one file, whose head is complete already.
    case .write, .nextFile, .nothing, nil: return false
    }
    return true
  }

  private static func makePass(
    _ tracks: [ExportTrack], _ span: ArchiveSpan, _ title: String, in folder: HeldFolder
  ) -> RemuxPass {
    let muxer = WebMMuxer(tracks: tracks.map { $0.muxed() }, title: title)
    return RemuxPass(tracks, from: span.start, to: span.end, muxer, in: folder)
  }

  /// Reads all; what the file begins with, and its size.
  private static func measure(
    _ pass: consuming RemuxPass, _ id: ArchiveID
  ) throws(ArchiveError) -> (byteCount: UInt64, head: [UInt8]) {
    guard !pass.isEmpty else { throw .noMedia(id) }
    var (byteCount, head) = (UInt64(0), [UInt8]())
    while let output = pass.next() {
      switch output {
      case .append: byteCount += pass.withOutput { UInt64($0.byteCount) }
      case .write: head = pass.withOutput { $0.copiedToArray() }
      case .nextFile, .nothing: break
      }
      guard byteCount <= largest else { throw .tooLarge(id) }
    }
    return (byteCount, head)
  }
}

extension ExportTrack {
  /// The tracks of a file's stream, and the sound of the device where that has none; those of the device have theirs alone.
  fileprivate static func clipped(
    _ entry: ArchivedFile, of files: [ArchivedFile], in folder: borrowing ArchiveFolder
  ) -> [ExportTrack] {
    var problems: Set<ExportProblem> = []
    let sources: Set = entry.camera == nil ? [entry.streamId] : [entry.streamId, deviceStreamID]
    let found = find(in: folder, files.filter { sources.contains($0.streamId) }, limit: 4, &problems)
    let own = found.filter { $0.streamID == entry.streamId }
    guard !own.isEmpty, !own.contains(where: { $0.kind == .audio }) else { return own }
    return own + found.filter { $0.streamID != entry.streamId && $0.kind == .audio }
  }
}
