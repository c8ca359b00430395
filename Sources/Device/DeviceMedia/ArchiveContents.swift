import Archive
import MediaCore
import MediaPlaneAPI
import Signalling

extension ArchiveDetails {
  init(_ description: ArchiveDescription) {
    self.init(
      sessionID: description.sessionID?.text ?? "", callerID: description.callerID.isEmpty ? nil : description.callerID,
      policyRule: description.policyRule, hasAudio: description.hasAudio, hasVideo: description.hasVideo)
  }
}

/// Both parties of a call have a stream each.
extension ArchiveDescription {
  /// The device's own stream.
  func local(publish: Set<MediaKind>) -> ArchiveStreamDescription {
    ArchiveStreamDescription(
      streamID: "device", connectionData: "device", hasAudio: hasAudio && publish.contains(.audio),
      hasVideo: hasVideo && publish.contains(.video))
  }

  /// The other party's stream.
  func remote(maximumBitrate: Bitrate) -> ArchiveStreamDescription {
    ArchiveStreamDescription(
      streamID: receiverID == nil ? "caller" : "receiver", connectionData: receiverID ?? callerID, hasAudio: hasAudio,
      hasVideo: hasVideo, maximumBitrate: maximumBitrate)
  }
}
