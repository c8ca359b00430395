import SystemSupport
import MediaCore
import MediaPlaneAPI

/// Knows the last problem of each part of the media side, from its notices. Safe from any thread.
final class ProblemLog: Sendable {
  private struct Subject: Hashable {
    var part: DevicePart
    /// The name of a further camera.
    var camera: String?
  }

  private let clock: MediaClock
  private let state = Mutex<[Subject: MediaProblem]>([:])

  init(_ clock: MediaClock) { self.clock = clock }

  /// In the order of the parts, the main camera's before others'.
  var problems: [MediaProblem] {
    let problems = state.withLock { $0.values.sorted { ($0.camera ?? "") < ($1.camera ?? "") } }
    return DevicePart.allCases.flatMap { part in problems.filter { $0.part == part } }
  }

  /// Returns false for a problem that lasts and was reported in the same words.
  func note(_ notice: DeviceNotice) -> Bool {
    switch notice {
    case .deviceFailed(let target, let camera, let reason): return begin(DevicePart(target), camera, reason)
    case .deviceOpened(let target, let camera, _): end(DevicePart(target), camera)
    case .archiveFolderBroken(let problem): _ = begin(.archives, nil, problem)
    case .archiveFolderRecovered: end(.archives)
    case .retentionFailed, .retentionUnavailable, .diskTooSlow, .archiveEnded, .archiveFailed, .cameraNotRecorded:
      happened(.archives, "\(notice)")
    case .captureRefused, .soundUnreadable, .network, .retentionDone, .streamExceedsRate, .preRollUnavailable,
      .programPrinted:
      break
    }
    return true
  }

  /// Whether a part's problem lasts.
  func lasts(_ part: DevicePart, _ camera: String? = nil) -> Bool { text(of: part, camera) != nil }

  /// What a part's problem is; nil where none lasts.
  func text(of part: DevicePart, _ camera: String? = nil) -> String? {
    state.withLock { $0[Subject(part: part, camera: camera)].flatMap { $0.until == nil ? $0.text : nil } }
  }

  /// A part works.
  func end(_ part: DevicePart, _ camera: String? = nil) {
    let (now, subject) = (clock.now(), Subject(part: part, camera: camera))
    state.withLock { problems in
      guard problems[subject]?.until == nil else { return }
      problems[subject]?.until = now
    }
  }

  /// Returns false where the same lasts.
  private func begin(_ part: DevicePart, _ camera: String?, _ text: String) -> Bool {
    let (now, subject) = (clock.now(), Subject(part: part, camera: camera))
    return state.withLock { problems in
      let lasting = problems[subject].flatMap { $0.until == nil ? $0 : nil }
      problems[subject] = MediaProblem(part: part, camera: camera, text: text, since: lasting?.since ?? now)
      return lasting?.text != text
    }
  }

  /// Something went wrong that is over, unless something lasts.
  func happened(_ part: DevicePart, _ text: String) {
    let (now, subject) = (clock.now(), Subject(part: part))
    state.withLock { problems in
      if let problem = problems[subject], problem.until == nil { return }
      problems[subject] = MediaProblem(part: part, text: text, since: now, until: now)
    }
  }
}
