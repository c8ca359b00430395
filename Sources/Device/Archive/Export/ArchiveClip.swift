import MediaCore
public import Signalling
import WebM

/// A part of one stream of a finished archive as a WebM file of its own, without re-encoding: it begins with a key frame,
/// has an index, and knows its size before its first byte.
///
/// A further camera's part has the sound of the device. The archive is read twice: once for what the head of the file
/// says, and while the file is read. It can be neither deleted nor repaired while the value lives. Memory is bounded by two
/// clusters a track. Not thread-safe: for one thread at a time, which blocks.
public final class ArchiveClip {
  /// A clip with more bytes is refused.
  public static let largest: UInt64 = 1 << 30

  /// Bytes of the file.
  public let byteCount: UInt64
  /// What is in it; it begins with a key frame, which may be before what was asked for.
  public let span: ClipSpan
  private let tracks: [ExportTrack]
  private let title: String
  private let folder: HeldFolder
  /// What the file begins with, complete.
  private let head: [UInt8]
  private var pass: ClipPass
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
  public init(_ id: ArchiveID, file: String, span wanted: ClipSpan, in store: ArchiveStore) throws(ArchiveError) {
    folder = try HeldFolder(id, in: store)
    let manifest = try folder.folder.manifest()
    guard manifest.status != .started else { throw .unfinished(id) }
    guard let entry = manifest.files.first(where: { $0.filename == file }) else { throw .invalidName(file) }
    tracks = ExportTrack.clipped(entry, of: manifest.files, in: folder.folder)
    guard !tracks.isEmpty else { throw .noMedia(id) }
    let video = tracks.first { $0.kind == .video }
    let keyFrame = video.flatMap { [folder] in ExportTrackCursor.lastKeyFrame(of: $0, at: wanted.start, in: folder) }
    let start = keyFrame ?? wanted.start
    // A clip of the greatest length may have to begin earlier: it ends earlier then.
    guard let span = ClipSpan(start: start, end: min(wanted.end, start + ClipSpan.longest)) else { throw .noMedia(id) }
    (self.span, title) = (span, manifest.name)
    let measured = try ClipPass(tracks, span, title, in: folder).measure(id)
    (byteCount, head) = (measured.byteCount, measured.head)
    pass = ClipPass(tracks, span, title, in: folder)
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
    pass = ClipPass(tracks, span, title, in: folder)
    (position, pending) = (0, [])
  }

  /// Returns false at the end.
  private func fill() throws(ArchiveError) -> Bool {
    guard pending.isEmpty else { return true }
    switch pass.next() {
    case .append(let bytes): pending = (position == 0 ? head : bytes)[...]
    case .head, nil: return false
    }
    return true
  }
}

/// Goes through a clip's frames once, and makes the file of them.
private struct ClipPass {
  enum Output {
    case append([UInt8])
    /// The file's head, to be written over its beginning.
    case head([UInt8])
  }

  private let cursors: [ExportTrackCursor]
  private let span: ClipSpan
  private var muxer: WebMMuxer
  private var isFinished = false

  init(_ tracks: [ExportTrack], _ span: ClipSpan, _ title: String, in folder: HeldFolder) {
    self.span = span
    muxer = WebMMuxer(
      tracks: tracks.map { WebMMuxedTrack(name: $0.name, media: $0.media, isDefault: true) }, title: title)
    cursors = tracks.map { track in
      let cursor = ExportTrackCursor(track, in: folder)
      cursor.advance(to: span.start)
      return cursor
    }
  }

  /// Nil at the end.
  mutating func next() -> Output? {
    while true {
      switch muxer.nextOutput() {
      case .append: return .append(muxer.withOutput { $0.copiedToArray() })
      case .write: return .head(muxer.withOutput { $0.copiedToArray() })
      case .nextFile: return nil
      case .nothing:
        guard !isFinished else { return nil }
        push()
      }
    }
  }

  private mutating func push() {
    let earliest = cursors.indices.filter { cursors[$0].block != nil && cursors[$0].milliseconds < span.end }
      .min { cursors[$0].milliseconds < cursors[$1].milliseconds }
    guard let earliest else {
      muxer.finish()
      isFinished = true
      return
    }
    cursors[earliest].push(to: &muxer, track: earliest + 1, offset: span.start)
    cursors[earliest].advance()
  }

  /// Reads all; what the file begins with, and its size.
  consuming func measure(_ id: ArchiveID) throws(ArchiveError) -> (byteCount: UInt64, head: [UInt8]) {
    guard cursors.contains(where: { $0.block != nil && $0.milliseconds < span.end }) else { throw .noMedia(id) }
    var (byteCount, head) = (UInt64(0), [UInt8]())
    while let output = next() {
      switch output {
      case .append(let bytes): byteCount += UInt64(bytes.count)
      case .head(let bytes): head = bytes
      }
      guard byteCount <= ArchiveClip.largest else { throw .tooLarge(id) }
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
