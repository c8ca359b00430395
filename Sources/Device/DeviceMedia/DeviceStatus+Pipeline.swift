import MediaCore
import MediaPipeline
import MediaPlaneAPI

extension MediaPlaneStatus.Device {
  /// Notes what a pipeline reports of the device; returns what is worth reporting, if anything.
  mutating func update(_ event: MediaPipelineEvent) -> DeviceNotice? {
    switch event {
    case .printed(_, let line): return .programPrinted(target, camera: camera, line: line)
    case .opened(_, let name, let description):
      (state, self.name, details) = ("streaming", name, description)
      return .deviceOpened(target, camera: camera, details: description)
    case .failed(_, let reason):
      (state, details) = ("stalled", nil)
      return .deviceFailed(target, camera: camera, reason: reason)
    case .closed:
      (state, details) = ("idle", nil)
      return nil
    }
  }

  /// Takes what is counted of a camera.
  mutating func count(_ counters: MediaPipelineStatistics) {
    frameRate = state == "streaming" ? counters.video.capturedRate : nil
    dropped = counters.framesDamaged + counters.framesDropped + counters.framesSkipped
    failures = counters.cameraFailures
  }
}

extension MediaPipelineEvent {
  var kind: MediaKind {
    switch self {
    case .opened(let kind, _, _), .failed(let kind, _), .printed(let kind, _), .closed(let kind): kind
    }
  }
}
