import SystemSupport
import MediaPlaneAPI
import Signalling

/// What is muted and by whom, and what the media plane already knows.
final class MuteControl: Sendable {
  private struct State {
    var mutes = MuteState()
    /// What the media plane holds muted.
    var applied: Set<MuteTarget> = []
    /// The newest of the updates of the media plane, which follow each other.
    var update: Task<Void, Never>?

    /// The new state of a target for the media plane; nil if nothing has changed.
    mutating func beginApplying(_ target: MuteTarget) -> Bool? {
      let isMuted = mutes.isMuted(target)
      guard isMuted != applied.contains(target) else { return nil }
      if isMuted { applied.insert(target) } else { applied.remove(target) }
      return isMuted
    }
  }

  private let media: any MediaPlane
  private let watchers: EventWatchers
  private let state = Mutex(State())
  /// Ends with this, whatever waits for the media plane.
  private let tasks = OwnedTasks()

  init(media: any MediaPlane, watchers: EventWatchers) {
    self.media = media
    self.watchers = watchers
  }

  var current: MuteState { state.withLock { $0.mutes } }

  /// Changes what holds; ``apply()`` must follow.
  func change<Result: Sendable>(_ body: (inout MuteState) -> Result) -> Result { state.withLock { body(&$0.mutes) } }

  /// The mutes of a call's party end with the call.
  func end(_ sessionID: SessionID) {
    let hasChanged = change { mutes in
      let before = mutes.targets
      mutes.end(sessionID)
      return mutes.targets != before
    }
    if hasChanged { tasks.begin { [weak self] in await self?.apply() } }
  }

  /// Has the media plane do what holds; one after the other, so that it ends with what holds at the end.
  func apply() async {
    let update = state.withLock { state in
      let previous = state.update
      let update = Task {
        await previous?.value
        for target in MuteTarget.allCases { await apply(target) }
      }
      state.update = update
      return update
    }
    await update.value
  }

  private func apply(_ target: MuteTarget) async {
    guard let isMuted = state.withLock({ $0.beginApplying(target) }) else { return }
    await media.setMuted(target, isMuted)
    watchers.notify(.muted(target, isMuted: isMuted))
  }
}
