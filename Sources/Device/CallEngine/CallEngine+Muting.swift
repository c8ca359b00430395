public import MediaPlaneAPI

/// What is muted, and by whom.
extension CallEngine {
  /// What holds, and how far the media plane has been told.
  struct Muting {
    var state = MuteState()
    fileprivate var told: Set<MuteTarget> = []
    fileprivate var telling: Task<Void, Never>?
  }

  public func setMuted(_ target: MuteTarget, _ isMuted: Bool) async {
    muting.state.setLocally(target, isMuted)
    await tellMutes()
  }

  /// The mutes of a call's party end with the call.
  func endMutes(_ sessionID: String) {
    let before = muting.state.targets
    muting.state.end(sessionID)
    if muting.state.targets != before { Task { await self.tellMutes() } }
  }

  /// Tells the media plane what holds; one after the other, so that it ends with what holds at the end.
  func tellMutes() async {
    let before = muting.telling
    let telling = Task {
      await before?.value
      for target in MuteTarget.allCases { await self.tellMute(target) }
    }
    muting.telling = telling
    await telling.value
  }

  private func tellMute(_ target: MuteTarget) async {
    let isMuted = muting.state.isMuted(target)
    guard isMuted != muting.told.contains(target) else { return }
    if isMuted { muting.told.insert(target) } else { muting.told.remove(target) }
    await environment.media.setMuted(target, isMuted)
    watchers.tell(.muted(target, isMuted: isMuted))
  }
}
