import MediaCore
public import Signalling
public import WebM

/// A part of an archive, from a moment up to, and without, another one, both in milliseconds from the archive's start.
public struct ExportSpan: Hashable, Sendable {
  public var start: Int64
  public var end: Int64

  /// Nil unless there is something between the two.
  public init?(start: Int64, end: Int64) {
    guard 0 <= start, start < end else { return nil }
    (self.start, self.end) = (start, end)
  }
}

/// Joins the segments and parties of one finished archive into one WebM file, without re-encoding.
///
/// Frames keep the times of the manifest: a party that joined late begins late. The archive can be neither deleted nor
/// repaired while the value lives. Memory is bounded by two clusters a track. Not thread-safe: for one thread, which blocks.
public final class ArchiveRemuxer {
  public let manifest: ArchiveManifest
  /// In the order of the file's track numbers.
  public let tracks: [ExportTrack]
  /// What is exported; nil for all.
  public let span: ExportSpan?
  let folder: HeldFolder
  private var found: Set<ExportProblem> = []
  private var cursors: [ExportTrackCursor]

  private static let maxTracks = 64

  /// Opens an archive and finds its tracks.
  ///
  /// - Parameter span: what ``run(write:onProgress:)`` makes a file of; it begins up to a key frame's distance earlier,
  ///   since video can be decoded from a key frame on alone.
  /// - Throws: ``ArchiveError/inUse(_:)``, ``ArchiveError/unfinished(_:)``, ``ArchiveError/noMedia(_:)`` …
  public init(_ id: ArchiveID, in store: ArchiveStore, span: ExportSpan? = nil) throws(ArchiveError) {
    self.span = span
    folder = try HeldFolder(id, in: store)
    manifest = try folder.folder.manifest()
    guard manifest.status != .started else { throw .unfinished(id) }
    tracks = ExportTrack.find(in: folder.folder, manifest.files, limit: Self.maxTracks, &found)
    guard !tracks.isEmpty else {
      throw found.isEmpty ? .noMedia(id) : .nothingUsable(id, found.map(\.description).sorted())
    }
    let folder = folder
    cursors = tracks.map { ExportTrackCursor($0, in: folder) }
  }

  /// What had to be left out, sorted; complete when everything has been read.
  public var problems: [String] {
    cursors.reduce(found) { $0.union($1.problems) }.map(\.description).sorted()
  }

  /// The archive's evidence, to be copied; nil if it has none.
  public func openEvidence() throws(ArchiveError) -> ArchiveFileReader? {
    guard folder.folder.directory.contains(ArchiveFolder.evidenceName) else { return nil }
    return try ArchiveFileReader(ArchiveFolder.evidenceName, in: folder.folder.directory)
  }

  /// Milliseconds from the archive's start to its end, as the manifest says.
  public var durationMilliseconds: Int64 {
    min(max(0, manifest.files.map(\.stopTimeOffset).max() ?? 0), ExportTrackCursor.longest)
  }

  /// Makes the file. Call it once.
  ///
  /// - Parameters:
  ///   - write: stores the bytes as the output says; what it throws ends the join.
  ///   - onProgress: the milliseconds of the archive that are done, after every cluster; what it throws ends the join.
  public func run(
    write: (WebMOutput, RawSpan) throws -> Void, onProgress: (Int64) throws -> Void = { _ in }
  ) throws {
    let (start, end) = (cutStart, span?.end ?? .max)
    var joiner = WebMMuxer(
      tracks: joinedTracks, title: manifest.name, creationDate: WallClock.creationDate(of: manifest, after: start))
    for cursor in cursors { cursor.advance(to: start) }
    while let index = earliest, cursors[index].milliseconds < end {
      let cursor = cursors[index]
      cursor.push(to: &joiner, track: index + 1, offset: start)
      if try store(&joiner, write) { try onProgress(cursor.milliseconds) }
      cursor.advance()
    }
    joiner.finish()
    _ = try store(&joiner, write)
  }

  /// The last key frame at the span's start or before it: of several parties the earliest, so that each has its own.
  private var cutStart: Int64 {
    guard let span else { return 0 }
    let keyFrames = tracks.filter { $0.kind == .video }
      .compactMap { ExportTrackCursor.lastKeyFrame(of: $0, at: span.start, in: folder) }
    return keyFrames.min() ?? span.start
  }

  /// The cursor whose frame comes next; of frames of the same time the first track's.
  private var earliest: Int? {
    var earliest: Int?
    for index in cursors.indices where cursors[index].block != nil {
      if let known = earliest, cursors[known].milliseconds <= cursors[index].milliseconds { continue }
      earliest = index
    }
    return earliest
  }

  private var joinedTracks: [WebMMuxedTrack] {
    tracks.map { track in
      WebMMuxedTrack(name: track.name, media: track.media, isDefault: track.streamID == tracks[0].streamID)
    }
  }

  /// Returns whether there was anything.
  private func store(_ joiner: inout WebMMuxer, _ write: (WebMOutput, RawSpan) throws -> Void) throws -> Bool {
    var hasOutput = false
    while true {
      let output = joiner.nextOutput()
      if output == .nothing { return hasOutput }
      try joiner.withOutput { try write(output, $0) }
      hasOutput = true
    }
  }
}

extension ExportTrackCursor {
  /// Hands the current frame on.
  ///
  /// - Parameter offset: where the file's zero is, in milliseconds from the archive's start.
  func push(to joiner: inout WebMMuxer, track: Int, offset: Int64 = 0) {
    guard let block else { return }
    let milliseconds = milliseconds - offset
    withPayload { payload in
      joiner.push(
        track: track, milliseconds: milliseconds, isKeyFrame: block.isKeyFrame, isDiscardable: block.isDiscardable,
        payload: payload)
    }
  }
}

extension WallClock {
  /// When an archive began as a WebM file says it, or a part of it that begins later; `nil` if the clock could not be
  /// trusted.
  static func creationDate(of manifest: ArchiveManifest, after start: Int64 = 0) -> Int64? {
    guard manifest.clockSynchronized else { return nil }
    let milliseconds = manifest.createdAt &- 978_307_200_000 &+ start
    let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : nanoseconds
  }
}
