import Locking
import MediaCore
import MediaPlaneAPI

/// Knows the last problem of each part of the media side, from what its notices tell. Safe from any thread.
final class ProblemLog: Sendable {
  private let clock: MediaClock
  private let state = Mutex<[DevicePart: MediaProblem]>([:])

  init(_ clock: MediaClock) { self.clock = clock }

  /// In the order of the parts.
  var problems: [MediaProblem] {
    let problems = state.withLock { $0 }
    return DevicePart.allCases.compactMap { problems[$0] }
  }

  func note(_ notice: DeviceNotice) {
    switch notice {
    case .deviceFailed(let target, let reason): begin(DevicePart(target), reason)
    case .deviceOpened(let target, _): end(DevicePart(target))
    case .archiveFolderBroken(let problem): begin(.archives, problem)
    case .archiveFolderMended: end(.archives)
    case .retentionFailed, .retentionUnavailable, .diskTooSlow, .archiveEnded, .archiveFailed:
      happened(.archives, "\(notice)")
    case .captureRefused, .soundUnreadable, .network, .retentionDone, .streamExceedsRate, .preRollUnavailable: break
    }
  }

  /// Whether a part's problem lasts.
  func lasts(_ part: DevicePart) -> Bool { state.withLock { $0[part].map { $0.until == nil } ?? false } }

  /// What a part's problem is; nil where none lasts.
  func text(of part: DevicePart) -> String? {
    state.withLock { $0[part].flatMap { $0.until == nil ? $0.text : nil } }
  }

  /// A part works.
  func end(_ part: DevicePart) {
    let now = clock.now()
    state.withLock { problems in
      guard problems[part]?.until == nil else { return }
      problems[part]?.until = now
    }
  }

  private func begin(_ part: DevicePart, _ text: String) {
    let now = clock.now()
    state.withLock { problems in
      let lasting = problems[part].flatMap { $0.until == nil ? $0.since : nil }
      problems[part] = MediaProblem(part: part, text: text, since: lasting ?? now)
    }
  }

  /// Something went wrong that is over, unless something lasts.
  private func happened(_ part: DevicePart, _ text: String) {
    let now = clock.now()
    state.withLock { problems in
      if let problem = problems[part], problem.until == nil { return }
      problems[part] = MediaProblem(part: part, text: text, since: now, until: now)
    }
  }
}
