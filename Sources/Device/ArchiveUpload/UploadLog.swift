import Logging
import SystemSupport
import Signalling
import MediaPlaneAPI
import ControlMessages

/// What uploads have come to: figures, and what is wrong; a failure is logged once, and so is its end. From any task.
final class UploadLog: Sendable {
  private struct State {
    var status: UploadStatus
    var failure: UploadFailure?
    var began: ContinuousClock.Instant?
    var ended: ContinuousClock.Instant?
  }

  private let state: Mutex<State>
  private let logger: Logger
  private let now: @Sendable () -> Int64

  init(destination: String, logger: Logger, now: @escaping @Sendable () -> Int64) {
    state = Mutex(State(status: UploadStatus(destination: destination)))
    self.logger = logger
    self.now = now
  }

  var status: UploadStatus { state.withLock { $0.status } }

  /// What is wrong, or was last.
  var problem: ProblemStatus? {
    state.withLock { state in
      guard let failure = state.failure, let began = state.began else { return nil }
      return ProblemStatus(
        part: .upload, text: "\(failure)", since: time(began), until: state.ended.map { time($0) })
    }
  }

  func update(_ change: (inout UploadStatus) -> Void) { state.withLock { change(&$0.status) } }

  /// Logs a failure unless it equals the last one: a passing one as any other, and for a mistake the same remedy.
  func failed(_ failure: UploadFailure, what: String, archive id: ArchiveID? = nil) {
    let isNew = state.withLock { state in
      state.status.failures += 1
      defer { state.failure = failure }
      guard let last = state.failure, state.ended == nil else {
        (state.began, state.ended) = (.now, nil)
        return true
      }
      return failure.isSettings && (!last.isSettings || failure.remedy != last.remedy)
    }
    if isNew { logger.warning("\(what): \(failure); it is tried again", metadata: id.map { ["archive": "\($0)"] }) }
  }

  func succeeded() {
    let isEnd = state.withLock { state in
      defer { if state.failure != nil, state.ended == nil { state.ended = .now } }
      return state.failure != nil && state.ended == nil
    }
    if isEnd { logger.notice("archives are uploaded again") }
  }

  /// The wall clock may have been set since, so times are reckoned from their age.
  private func time(_ instant: ContinuousClock.Instant) -> Int64 {
    let age = (ContinuousClock.now - instant).components
    return now() - age.seconds * 1_000 - age.attoseconds / 1_000_000_000_000_000
  }
}

extension UploadFailure {
  /// Whether an operator has to act on it.
  fileprivate var isSettings: Bool { cause == .settings }
}
