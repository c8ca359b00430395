public import MediaPipeline
public import MediaPlaneAPI
import SystemSupport

extension SourceProbe {
  /// Asks on a thread of its own, which a driver may block forever.
  public func problem(of target: MuteTarget) async -> String? {
    await withCheckedContinuation { continuation in
      do {
        try MediaThread(name: "device-probe") {
          switch target {
          case .camera: continuation.resume(returning: cameraProblem)
          case .microphone: continuation.resume(returning: microphoneProblem)
          case .speaker: continuation.resume(returning: speakerProblem)
          }
        }.detach()
      } catch {
        continuation.resume(returning: nil)
      }
    }
  }
}
