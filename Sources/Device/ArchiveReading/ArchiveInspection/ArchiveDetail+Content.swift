import Archive
import ControlMessages
import Signalling
import WebM

extension ArchiveDetail {
  init(_ content: ArchiveContent) {
    self.init(
      archive: ArchiveSummary(content.manifest, isLocked: content.isLocked, path: content.path),
      clockSynchronized: content.manifest.clockSynchronized, callerID: content.manifest.callerID,
      policyRule: content.manifest.policyRule, isInUse: content.isInUse,
      files: content.files.map { ArchiveFileDetail($0) }, otherFiles: content.otherFiles,
      problems: content.problems.map(\.sentence))
    plans = content.manifest.plans
    timeLapseInterval = content.manifest.timeLapseInterval
  }
}

extension ArchiveFileDetail {
  fileprivate init(_ file: ArchiveContent.File) {
    self.init(
      filename: file.entry.filename, streamID: file.entry.streamId, connectionData: file.entry.connectionData,
      size: file.byteCount.map { Int64(clamping: $0) }, startTimeOffset: file.entry.startTimeOffset,
      stopTimeOffset: file.entry.stopTimeOffset, tracks: file.tracks.map { ArchiveTrackDetail($0) })
    camera = file.entry.camera
  }
}

extension ArchiveTrackDetail {
  fileprivate init(_ track: WebMTrackEntry) {
    switch track.media {
    case .video(let video): self.init(codec: track.codec, width: Int(video.width), height: Int(video.height))
    case .audio(let audio): self.init(codec: track.codec, channels: Int(audio.channels))
    case nil: self.init(codec: track.codec)
    }
  }
}

extension ArchiveRepairReport.Change {
  /// The change as people read it.
  var sentence: String {
    switch self {
    case .cut(let name, let byteCount): "\(name): \(byteCount) torn bytes were cut off"
    case .hidGap(let name, let byteCount): "\(name): \(byteCount) bytes that are no media are passed over now"
    case .completed(let name): "\(name): duration and index were written"
    case .removed(let name): "\(name) held no media and was removed"
    case .listed(let name): "\(name) was missing in the manifest"
    case .unlisted(let name): "\(name) is missing; the manifest does not name it any more"
    case .updatedManifest: "the manifest was brought in line with the files"
    }
  }
}
