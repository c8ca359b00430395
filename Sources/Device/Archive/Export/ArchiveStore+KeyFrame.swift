import MediaCore
public import Signalling

extension ArchiveStore {
  /// A key frame (VP8) from the middle of an archive's first video, that of the device if it has one; nil where there is
  /// none.
  public func middleKeyFrame(_ id: ArchiveID) throws(ArchiveError) -> [UInt8]? {
    let folder = try HeldFolder(id, in: self, mayRun: true)
    let manifest = try folder.folder.manifest()
    var problems: Set<ExportProblem> = []
    let tracks = ExportTrack.find(in: folder.folder, manifest.files, limit: 16, &problems)
    guard let video = tracks.first(where: { $0.kind == .video }) else { return nil }
    let end = manifest.files.filter { $0.streamId == video.streamID }.map(\.stopTimeOffset).max() ?? 0
    let cursor = ExportTrackCursor(video, in: folder)
    cursor.seek(to: max(0, end) / 2)
    cursor.advance()
    return cursor.withPayload { $0.copiedToArray() }
  }
}
