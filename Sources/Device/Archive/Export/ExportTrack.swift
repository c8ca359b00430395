import Glibc
public import MediaCore
import Signalling
public import WebM

/// One track of an export: the video or the audio of one party, across all segments.
public struct ExportTrack: Hashable, Sendable {
  /// A file that may hold a stretch of the track.
  struct Segment: Hashable, Sendable {
    var filename: String
    /// Milliseconds from the archive's start to the file's zero.
    var offset: Int64
  }

  /// Whose: `device` or `caller`.
  public var streamID: String
  public var kind: MediaKind
  /// Of the first segment that has the track; as many channels as any segment has.
  public internal(set) var media: WebMTrackMedia
  var segments: [Segment]

  /// What players call it.
  public var name: String { "\(streamID) \(kind == .video ? "video" : "audio")" }
}

extension ExportTrack {
  static let deviceStreamID = "device"

  /// Finds the tracks of an archive: the device's first, video before audio. Opens every file.
  ///
  /// - Parameter limit: the maximum number of tracks.
  static func find(
    in folder: borrowing ArchiveFolder, _ files: [ArchivedFile], limit: Int,
    _ problems: inout Set<ExportProblem>
  ) -> [ExportTrack] {
    var tracks: [ExportTrack] = []
    for entry in ordered(files) {
      for found in media(of: entry.filename, in: folder, &problems) {
        let segment = Segment(filename: entry.filename, offset: entry.startTimeOffset)
        let index = tracks.firstIndex { $0.streamID == entry.streamId && $0.kind == found.kind }
        if let index {
          tracks[index].segments.append(segment)
          tracks[index].media.widen(found.media)
        } else if tracks.count < limit {
          tracks.append(
            ExportTrack(streamID: entry.streamId, kind: found.kind, media: found.media, segments: [segment]))
        }
      }
    }
    return inPlayingOrder(tracks)
  }

  /// Segments of a stream in the order of time, streams as the manifest names them.
  private static func ordered(_ files: [ArchivedFile]) -> [ArchivedFile] {
    files.enumerated().sorted {
      ($0.element.startTimeOffset, $0.offset) < ($1.element.startTimeOffset, $1.offset)
    }.map(\.element)
  }

  private static func inPlayingOrder(_ tracks: [ExportTrack]) -> [ExportTrack] {
    var streamIDs: [String] = []
    for track in tracks where !streamIDs.contains(track.streamID) { streamIDs.append(track.streamID) }
    streamIDs.sort { $0 == deviceStreamID && $1 != deviceStreamID }
    return streamIDs.flatMap { streamID in
      [MediaKind.video, .audio].flatMap { kind in tracks.filter { $0.streamID == streamID && $0.kind == kind } }
    }
  }

  private static func media(
    of name: String, in folder: borrowing ArchiveFolder, _ problems: inout Set<ExportProblem>
  ) -> [(kind: MediaKind, media: WebMTrackMedia)] {
    do throws(ArchiveError) {
      var file = try ArchiveFile(name, in: folder.directory)
      guard let demuxer = try WebMDemuxer(&file) else {
        problems.insert(.unreadableFile(name))
        return []
      }
      return [MediaKind.video, .audio].compactMap { kind in
        demuxer.track(kind).flatMap { $0.media }.map { (kind, $0) }
      }
    } catch {
      problems.insert(ExportProblem(name, error))
      return []
    }
  }
}

extension WebMTrackMedia {
  fileprivate mutating func widen(_ other: WebMTrackMedia) {
    guard case .audio(let mine) = self, case .audio(let theirs) = other else { return }
    self = .audio(WebMAudioTrack(channels: max(mine.channels, theirs.channels)))
  }
}
