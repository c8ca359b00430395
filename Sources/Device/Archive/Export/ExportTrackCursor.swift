import MediaCore
import Signalling
import WebM

/// Walks over the frames of one track through all its segments, in the order of time.
///
/// Each cursor opens its own file handles, so that both tracks of a file are read in their own order whatever way their
/// clusters interleave them. Holds one cluster in memory.
final class ExportTrackCursor {
  private let track: ExportTrack
  private let folder: HeldFolder
  private var pending: ArraySlice<ExportTrack.Segment>
  private var file: ArchiveFile?
  private var demuxer: WebMDemuxer?
  private var segment = ExportTrack.Segment(filename: "", offset: 0)
  private var number: UInt8 = 0
  private var damagedClusters = 0
  /// After damage video waits for a key frame, since what it refers to may be missing.
  private var isWaitingForKeyFrame = false
  private(set) var problems: Set<ExportProblem> = []

  /// The current frame; `nil` at the end.
  private(set) var block: WebMBlock?

  /// Stands before the first frame.
  init(_ track: ExportTrack, in folder: HeldFolder) {
    self.track = track
    self.folder = folder
    pending = track.segments[...]
  }

  /// Milliseconds from the archive's start to the current frame: up to ``ArchiveSpan/latest``, whatever the manifest and
  /// the files say, since gaps are filled up to here.
  var milliseconds: Int64 {
    min(max(0, segment.offset.saturatingAdding(block?.milliseconds ?? 0)), ArchiveSpan.latest)
  }

  func withPayload<Result>(_ body: (RawSpan) -> Result) -> Result? {
    guard let block else { return nil }
    return demuxer?.withPayload(of: block, body)
  }

  /// Goes to the next frame.
  func advance() {
    repeat {
      block = nextInSegment()
    } while block == nil ? openNextSegment() : !isDecodable
  }

  /// Goes to the first frame at a time or after it; of video, to the first key frame from there.
  func advance(to start: Int64) {
    if start > 0 { seek(to: start) }
    advance()
    while let block, milliseconds < start || start > 0 && track.kind == .video && !block.isKeyFrame { advance() }
  }

  /// Stands before the first frame of the track, or of the last key frame at or before a moment.
  ///
  /// - Parameter moment: milliseconds from the archive's start.
  func seek(to moment: Int64) {
    pending = track.segments[...]
    while pending.count > 1, pending[pending.startIndex + 1].offset <= moment { pending.removeFirst() }
    (demuxer, block) = (nil, nil)
    isWaitingForKeyFrame = true
    guard openNextSegment(), demuxer != nil, file != nil else { return }
    do throws(ArchiveError) {
      try demuxer!.seek(&file!, to: moment.saturatingSubtracting(segment.offset), track: number)
    } catch {
      problems.insert(ExportProblem(segment.filename, error))
    }
  }

  /// When the last key frame at or before a moment comes; nil where there is none, or none within a minute: then nothing
  /// was recorded in between.
  ///
  /// - Parameter moment: milliseconds from the archive's start.
  static func lastKeyFrame(of track: ExportTrack, at moment: Int64, in folder: HeldFolder) -> Int64? {
    let cursor = ExportTrackCursor(track, in: folder)
    cursor.seek(to: moment)
    cursor.advance()
    var found: Int64?
    while let block = cursor.block, cursor.milliseconds <= moment {
      if block.isKeyFrame { found = cursor.milliseconds }
      cursor.advance()
    }
    return found.flatMap { moment - $0 <= longestLead ? $0 : nil }
  }

  private static let longestLead: Int64 = 60_000

  private var isDecodable: Bool {
    if track.kind == .audio || block?.isKeyFrame == true { isWaitingForKeyFrame = false }
    return !isWaitingForKeyFrame
  }

  /// Returns `nil` at the end of the file, or where the disk gives no more of it.
  private func nextInSegment() -> WebMBlock? {
    guard demuxer != nil, file != nil else { return nil }
    do throws(ArchiveError) {
      while let block = try demuxer!.next(&file!) {
        noteDamage()
        if block.trackNumber == number { return block }
      }
    } catch {
      problems.insert(ExportProblem(segment.filename, error))
    }
    noteDamage()
    if let damage = demuxer?.damage, !damage.isEmpty { problems.insert(.damage(segment.filename, damage)) }
    return nil
  }

  private func noteDamage() {
    guard let clusters = demuxer?.damage.clusters, clusters != damagedClusters else { return }
    damagedClusters = clusters
    isWaitingForKeyFrame = true
  }

  /// Returns false when there is none.
  private func openNextSegment() -> Bool {
    guard let next = pending.popFirst() else { return false }
    do throws(ArchiveError) {
      segment = next
      damagedClusters = 0
      var opened = try folder.open(next.filename)
      demuxer = try WebMDemuxer(&opened)
      number = demuxer?.track(track.kind)?.number ?? 0
      file = consume opened
    } catch {
      problems.insert(ExportProblem(next.filename, error))
      demuxer = nil
    }
    return true
  }
}

/// An archive's folder that is being read: it is not deleted, repaired or recorded to until the value goes.
///
/// One that is being recorded may be read as far as it is on the disk: of each file what is there when it is first
/// opened. It may be deleted meanwhile, once the recording is over.
final class HeldFolder {
  let folder: ArchiveFolder
  /// Of the files of a recording that continues, as far as they are known.
  private var ends: [String: UInt64] = [:]
  let isRunning: Bool

  /// - Parameter mayRun: whether it may be one that is being recorded.
  /// - Throws: ``ArchiveError/inUse(_:)`` while it is being repaired or deleted, or recorded.
  init(_ id: ArchiveID, in store: ArchiveStore, mayRun: Bool = false) throws(ArchiveError) {
    let day = try store.day(of: id)
    do {
      folder = try store.openShared(id, on: day)
      isRunning = false
    } catch .inUse where mayRun {
      folder = try store.openUnlocked(id, on: day)
      isRunning = true
      guard try folder.manifest().status == .started else { throw .inUse(id) }
    }
  }

  func open(_ name: String) throws(ArchiveError) -> ArchiveFile {
    var file = try ArchiveFile(name, in: folder.directory)
    guard isRunning else { return file }
    let end = ends[name] ?? file.byteCount
    ends[name] = end
    file.limitReading(to: end)
    return file
  }
}
