public import Archive
import Glibc
public import Signalling
public import TransportCrypto
import WebM

/// Makes one file of a finished archive. Blocks for as long as it takes; for programs of their own.
public struct ArchiveExport {
  /// What came out.
  public struct Result: Hashable, Sendable {
    public var path: String
    public var byteCount: UInt64
    /// What had to be left out; nothing if the archive was whole.
    public var problems: [String]
  }

  /// Called with the part that is done, from 0 to 1; what it throws ends the export and leaves nothing behind.
  public typealias Progress = (Double) throws -> Void

  private let store: ArchiveStore
  private let id: ArchiveID
  private let hashing: any SHA256Hashing
  private let verifier: any SignatureVerifying
  private let span: ArchiveSpan?

  /// - Parameters:
  ///   - span: of what the file is made; nil for all.
  ///   - hashing: for what goes with the export if the archive has evidence; see ``ExportedEvidence``.
  ///   - verifier: the same.
  public init(
    _ id: ArchiveID, in store: ArchiveStore, span: ArchiveSpan? = nil, hashing: any SHA256Hashing,
    verifier: any SignatureVerifying
  ) {
    self.id = id
    self.span = span
    self.store = store
    self.hashing = hashing
    self.verifier = verifier
  }

  /// Joins both parties and all segments into one file, as they were recorded: WebM, which is Matroska.
  ///
  /// - Parameters:
  ///   - path: ends with `.webm` or `.mkv`.
  ///   - replaces: whether a file that is there may be replaced.
  public func join(to path: String, replaces: Bool, onProgress: Progress) throws -> Result {
    guard try ExportFormat(path: path).holdsRecordings else { throw ExportError.joinedIsWebM(path: path) }
    let join = try ArchiveRemuxer(id, in: store, span: span)
    let file = try ExportFile(path: path, replaces: replaces)
    let duration = Double(max(1, min(join.durationMilliseconds, span?.end ?? .max)))
    try join.run { output, bytes in
      if case .write(let offset) = output {
        try file.write(bytes, at: off_t(offset))
      } else {
        try file.append(bytes)
      }
    } onProgress: { milliseconds in
      try onProgress(min(1, Double(milliseconds) / duration))
    }
    try file.commit()
    try ExportedEvidence.write(for: join, export: path, replaces: replaces, hashing, verifier)
    return Result(path: path, byteCount: file.byteCount, problems: join.problems)
  }

  /// Renders both parties beside each other in one video, with their sound mixed, through ffmpeg.
  ///
  /// - Parameters:
  ///   - path: ends with `.mp4`, `.mkv` (H.264 and AAC) or `.webm` (VP8 and Opus).
  ///   - ffmpeg: the program.
  public func renderSideBySide(
    to path: String, replaces: Bool, ffmpeg: FFmpeg, onProgress: Progress
  ) throws -> Result {
    let format = try ExportFormat(path: path)
    try ffmpeg.check(format)
    let join = try ArchiveRemuxer(id, in: store, span: span)
    let layout = try SideBySide(join)
    let file = try ExportFile(path: path, replaces: replaces)
    let readers = join.makeTrackReaders()
    let arguments = layout.arguments(format: format, output: file.temporaryPath)
    let duration = Double(max(1, join.durationMilliseconds))
    try ffmpeg.run(arguments, feeding: readers) {
      let done = readers.map(\.milliseconds).min() ?? 0
      try onProgress(min(1, Double(done) / duration))
    }
    try ffmpeg.check(file.temporaryPath, hasSound: !layout.sounds.isEmpty, duration: layout.outputMilliseconds)
    try file.commit()
    try ExportedEvidence.write(for: join, export: path, replaces: replaces, hashing, verifier)
    return Result(path: path, byteCount: file.byteCount, problems: Set(readers.flatMap(\.problems)).sorted())
  }
}
