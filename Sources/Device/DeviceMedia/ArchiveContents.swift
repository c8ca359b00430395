import Archive
import MediaCore
import MediaPlaneAPI
import Signalling

extension ArchiveDetails {
  init(_ description: ArchiveDescription) {
    self.init(
      sessionID: description.sessionID?.text ?? "", callerID: description.callerID.isEmpty ? nil : description.callerID,
      policyRule: description.policyRule, hasAudio: description.hasAudio, hasVideo: description.hasVideo)
    callerTitle = description.callerID.isEmpty ? nil : description.callerTitle
    plans = description.plans
    segmentDuration = description.segment
    timeLapse = description.timeLapse.map { TimeLapse(interval: $0) }
  }
}

/// Both parties of a call have a stream each.
extension ArchiveDescription {
  /// The device's own stream.
  ///
  /// - Parameter span: the pre-roll of archives for which nothing else is asked for.
  func local(publish: Set<MediaKind>, preRoll span: TimeSpan) -> ArchiveStreamDescription {
    var stream = ArchiveStreamDescription(
      streamID: ArchiveStreamDescription.deviceID, connectionData: "device",
      hasAudio: hasAudio && publish.contains(.audio),
      hasVideo: hasVideo && publish.contains(.video))
    stream.isThinned = isThinned
    stream.timeLapse = timeLapse.map { TimeLapse(interval: $0) }
    stream.history =
      switch preRoll {
      case .configured: span == .zero ? .nothing : .span(span)
      case .none: .nothing
      case .since(let instant): .since(instant)
      }
    return stream
  }

  /// The other party's stream.
  func remote(maximumBitrate: Bitrate) -> ArchiveStreamDescription {
    ArchiveStreamDescription(
      streamID: receiverID == nil ? ArchiveStreamDescription.callerID : ArchiveStreamDescription.receiverID,
      connectionData: receiverID ?? callerID, hasAudio: hasAudio,
      hasVideo: hasVideo, maximumBitrate: maximumBitrate)
  }
}

extension ArchiveStreamDescription {
  /// The stream of a further camera beside the device's own; nil where no video is recorded.
  func beside(camera name: String) -> ArchiveStreamDescription? {
    guard hasVideo else { return nil }
    var stream = self
    (stream.streamID, stream.camera, stream.hasAudio) = (name, name, false)
    return stream
  }
}
