import CallEngine
public import ControlMessages
import HubClient
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime

extension EngineStatus {
  /// The last problem of each part, that of the hub first.
  var problems: [ProblemStatus] { [hubProblem].compactMap(\.self) + media.problems.map { ProblemStatus($0, now: now) } }

  private var hubProblem: ProblemStatus? {
    if let lastOutage, outage == nil || lastOutage.ended == nil { return ProblemStatus(lastOutage) }
    return outage.map { ProblemStatus(part: .hub, text: $0, since: nil) }
  }
}

/// The wall clock may have been set since, so times are reckoned from their age.
extension ProblemStatus {
  fileprivate init(_ outage: HubOutage) {
    let now = ContinuousClock.now
    self.init(
      part: .hub, text: outage.text, since: Self.time((now - outage.began).milliseconds),
      until: outage.ended.map { Self.time((now - $0).milliseconds) })
  }

  fileprivate init(_ problem: MediaProblem, now: MonotonicInstant) {
    self.init(
      part: problem.part, text: problem.text, since: Self.time((now - problem.since).milliseconds),
      until: problem.until.map { Self.time((now - $0).milliseconds) })
    camera = problem.camera
  }

  private static func time(_ age: Int64) -> Int64 { wallClockMilliseconds().saturatingSubtracting(age) }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}

extension DeviceStatus {
  /// One line for `systemctl status`: whether the device is online, its calls, and what does not work.
  public var serviceLine: String {
    let calls = sessions.isEmpty ? "no call" : "\(sessions.count) of \(maximumSessions ?? sessions.count) calls"
    let failing = (problems ?? []).filter(\.lasts)
    let state = isOnline ? "Online, \(calls)" : "Waiting for the hub"
    return ([state] + failing.map { "\($0.title): \($0.text)" }).joined(separator: "; ")
  }
}
