import Archive
import MediaCore
import RealtimeRuntime

/// What archives record of the device: its microphone and main camera together, or a further camera.
struct RecordedSource {
  /// The name of a further camera.
  let camera: String?
  let pipeline: any CapturePipeline
  /// Where ``pipeline`` publishes its frames.
  let bus: FrameBus
  /// Keeps what comes before a recording; nil when none is wanted.
  private(set) var preRoll: PreRoll?

  init(camera: String?, _ pipeline: any CapturePipeline, _ bus: FrameBus) {
    (self.camera, self.pipeline, self.bus) = (camera, pipeline, bus)
  }

  /// Adds its stream to an archive; nothing comes before ``RecordedStream/attach()``.
  ///
  /// - Parameter local: the device's own stream.
  /// - Returns: nil where the archive is to have nothing of it.
  func addStream(
    to recorder: any ArchiveRecording, beside local: ArchiveStreamDescription
  ) throws -> RecordedStream? {
    guard let stream = camera.map({ local.beside(camera: $0) }) ?? local else { return nil }
    let inbox = try recorder.addStream(stream, preRoll: stream.history == .nothing ? nil : preRoll) { [pipeline] in
      pipeline.requestKeyFrame()
    }
    return RecordedStream(source: self, inbox: inbox, takesKeyFramesAlone: stream.timeLapse != nil)
  }

  /// Keeps its last seconds from now on; what is kept already stays.
  mutating func keepPreRoll(_ span: TimeSpan, on disk: any ArchiveDisk) throws {
    if let preRoll { return preRoll.keep(span) }
    let pipeline = pipeline
    let preRoll = try disk.makePreRoll(span: span) { pipeline.requestKeyFrame() }
    bus.attach(preRoll.inbox)
    self.preRoll = preRoll
  }

  mutating func stopPreRoll() {
    if let preRoll { bus.detach(preRoll.inbox) }
    preRoll = nil
  }
}

/// Where frames of a source go for an archive.
struct RecordedStream {
  fileprivate let source: RecordedSource
  fileprivate let inbox: FrameInbox
  fileprivate let takesKeyFramesAlone: Bool

  /// Lets frames into it, beginning with a key frame.
  func attach() {
    source.bus.attach(inbox, takesKeyFramesAlone: takesKeyFramesAlone)
    source.pipeline.requestKeyFrame()
  }

  func detach() { source.bus.detach(inbox) }
}
