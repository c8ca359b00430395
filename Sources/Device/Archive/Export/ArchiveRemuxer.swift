import MediaCore
public import Signalling
public import WebM

/// Joins the segments and parties of one archive into one WebM file, without re-encoding. Of a recording that continues
/// it joins a part, of what the disk has so far.
///
/// Frames keep the times of the manifest: a party that joined late begins late. A finished archive can be neither
/// deleted nor repaired while the value lives. Memory is bounded by two clusters a track. Not thread-safe: for one thread, which blocks.
public final class ArchiveRemuxer {
  public let manifest: ArchiveManifest
  /// In the order of the file's track numbers.
  public let tracks: [ExportTrack]
  /// What is exported; nil for all.
  public let span: ArchiveSpan?
  let folder: HeldFolder
  private var found: Set<ExportProblem> = []

  private static let maxTracks = 64

  /// Opens an archive and finds its tracks.
  ///
  /// - Parameter span: what ``run(write:onProgress:)`` makes a file of; it begins up to a key frame's distance earlier,
  ///   since video can be decoded from a key frame on alone.
  /// - Throws: ``ArchiveError/inUse(_:)``, ``ArchiveError/unfinished(_:)``, ``ArchiveError/noMedia(_:)`` …
  public init(_ id: ArchiveID, in store: ArchiveStore, span: ArchiveSpan? = nil) throws(ArchiveError) {
    self.span = span
    folder = try HeldFolder(id, in: store, mayRun: span != nil)
    manifest = try folder.folder.manifest()
    guard manifest.status != .started || folder.isRunning else { throw .unfinished(id) }
    tracks = ExportTrack.find(in: folder.folder, manifest.files, limit: Self.maxTracks, &found)
    guard !tracks.isEmpty else {
      throw found.isEmpty ? .noMedia(id) : .nothingUsable(id, problems)
    }
  }

  /// What had to be left out, sorted; complete when everything has been read.
  public var problems: [String] { found.map(\.description).sorted() }

  /// The archive's evidence, to be copied; nil if it has none.
  public func openEvidence() throws(ArchiveError) -> ArchiveFileReader? {
    guard folder.folder.directory.contains(ArchiveFolder.evidenceName) else { return nil }
    return try ArchiveFileReader(ArchiveFolder.evidenceName, in: folder.folder.directory)
  }

  /// Milliseconds from the archive's start to its end, as the manifest says.
  public var durationMilliseconds: Int64 {
    min(max(0, manifest.files.map(\.stopTimeOffset).max() ?? 0), ArchiveSpan.latest)
  }

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - write: stores the bytes as the output says; what it throws ends the join.
  ///   - onProgress: the milliseconds of the archive that are done, after every output; what it throws ends the join.
  public func run(
    write: (WebMOutput, RawSpan) throws -> Void, onProgress: (Int64) throws -> Void = { _ in }
  ) throws {
    let start = span.map { ExportTrack.keyFrame(before: $0.start, of: tracks, in: folder) } ?? 0
    let muxer = WebMMuxer(
      tracks: tracks.map { $0.muxed(isDefault: $0.streamID == tracks[0].streamID) }, title: manifest.name,
      creationDate: WallClock.creationDate(of: manifest, after: start))
    var pass = RemuxPass(tracks, from: start, to: span?.end ?? .max, muxer, in: folder)
    defer { found.formUnion(pass.problems) }
    while let output = pass.next() {
      try pass.withOutput { try write(output, $0) }
      try onProgress(pass.milliseconds)
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
