internal import MediaCore

/// Reports failures to control, each reason once until the source works again.
struct FailureReport {
  private let kind: MediaKind
  private let controls: PipelineControls
  private var last: String?

  init(_ kind: MediaKind, _ controls: PipelineControls) {
    self.kind = kind
    self.controls = controls
  }

  mutating func failed(_ reason: String) {
    let counters = controls.counters
    if kind == .video {
      PipelineCounters.count(counters.cameraFailures)
    } else {
      PipelineCounters.count(counters.microphoneFailures)
    }
    guard reason != last else { return }
    last = reason
    controls.report(.failed(kind, reason: reason))
  }

  mutating func opened(name: String, description: String) {
    last = nil
    controls.report(.opened(kind, name: name, description: description))
  }
}
