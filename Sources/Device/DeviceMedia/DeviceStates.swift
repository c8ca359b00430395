import MediaPlaneAPI
import MediaCore
import MediaPipeline

/// What control shows of camera, microphone and speaker.
struct DeviceStates {
  private var camera: MediaPlaneStatus.Device
  private var microphone: MediaPlaneStatus.Device
  private var speaker: MediaPlaneStatus.Device
  private var speakerFailure: String?
  /// The camera from which a swap was requested, until another one delivers.
  private var swappedFrom: String?
  /// The kinds that are configured at all.
  let available: Set<MediaKind>
  private let isCameraAutomatic: Bool

  private static let standInName = VideoSourceSelection.testBars.name

  init(_ configuration: DeviceMediaConfiguration) {
    let preview = configuration.sources
    var available: Set<MediaKind> = []
    if configuration.pipeline.cameras != [.none] { available.insert(.video) }
    if configuration.pipeline.microphone != .none { available.insert(.audio) }
    self.available = available
    isCameraAutomatic = configuration.pipeline.cameras == [.automatic]
    camera = Self.device(.camera, preview.camera)
    microphone = Self.device(.microphone, preview.microphone)
    speaker = Self.device(.speaker, preview.speaker)
  }

  private static func device(_ target: MuteTarget, _ source: SourcePreview.Source) -> MediaPlaneStatus.Device {
    let state = source.name == "none" ? "off" : "idle"
    return MediaPlaneStatus.Device(target: target, name: source.name, state: state, isMuted: false)
  }

  /// - Parameter underruns: of all loudspeakers.
  func status(_ counters: MediaPipelineStatistics, underruns: Int) -> [MediaPlaneStatus.Device] {
    var (camera, microphone, speaker) = (camera, microphone, speaker)
    camera.count(counters)
    microphone.xruns = counters.audioOverruns
    microphone.failures = counters.microphoneFailures
    speaker.xruns = speaker.state == "off" ? nil : underruns
    return [camera, microphone, speaker]
  }

  /// Whether it is closed, or not there at all.
  func isIdle(_ target: MuteTarget) -> Bool {
    let device = [camera, microphone, speaker].first { $0.target == target }
    return device?.state == "idle" || device?.state == "off"
  }

  /// Whether it was opened and delivers nothing.
  func isStalled(_ target: MuteTarget) -> Bool {
    [camera, microphone, speaker].contains { $0.target == target && $0.state == "stalled" }
  }

  func isMuted(_ target: MuteTarget) -> Bool {
    [camera, microphone, speaker].contains { $0.target == target && $0.isMuted }
  }

  /// Whether test bars are shown because `auto` has found no camera.
  var isCameraStandIn: Bool { isCameraAutomatic && camera.state == "streaming" && camera.name == Self.standInName }

  mutating func setMuted(_ target: MuteTarget, _ isMuted: Bool) {
    switch target {
    case .camera: camera.isMuted = isMuted
    case .microphone: microphone.isMuted = isMuted
    case .speaker: speaker.isMuted = isMuted
    }
  }

  /// Notes what the pipeline reports; returns what is worth reporting, if anything.
  mutating func update(_ event: MediaPipelineEvent) -> DeviceNotice? {
    switch event.kind {
    case .audio: microphone.update(event)
    case .video: camera.update(event)
    }
  }

  /// Another camera has been asked for.
  mutating func beginSwap() { swappedFrom = swappedFrom ?? camera.name }

  /// A camera delivers: returns whether it is another one, and not the old one again because no other could be opened.
  mutating func finishSwap(to name: String) -> Bool {
    guard let previous = swappedFrom.take() else { return false }
    return previous != name
  }

  /// Notes what the loudspeaker's thread reports; a failure is reported once until sound is back.
  mutating func update(_ event: AudioPlayoutEvent) -> DeviceNotice? {
    let failure: String?
    switch event {
    case .opened(let name):
      (speaker.name, speaker.state, failure) = (name, "streaming", nil)
    case .failed(let reason):
      (speaker.state, failure) = ("stalled", reason)
    case .closed:
      (speaker.state, failure) = ("idle", nil)
    }
    defer { speakerFailure = failure }
    return failure == speakerFailure ? nil : failure.map { .deviceFailed(.speaker, reason: $0) }
  }
}
