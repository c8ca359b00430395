public import ControlMessages
import MediaPlaneAPI
import RealtimeRuntime

/// Shows in the status what does not answer.
public struct StalledWork: ProblemReporting {
  public init() {}

  public var problem: ProblemStatus? {
    get async {
      guard let (resource, span) = BlockingWork.stalled else { return nil }
      let since = wallClockMilliseconds() - span.components.seconds * 1_000
      return ProblemStatus(
        part: .archives, text: "\(BlockingQueueError.stalled(resource, span))", since: since)
    }
  }
}
