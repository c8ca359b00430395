public import MediaCore

extension ICEAgent {
  /// Notes that an authentic packet of media came: the selected path lives, or the peer has moved.
  ///
  /// Cheap, and without effect on what is sent, as long as packets come over the selected path. A packet that comes
  /// over another one, where it may be a replay, has that one checked and the selected one as well.
  public mutating func notePacket(from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant) {
    guard let isSelected = selected?.leads(from: local, to: remote) else { return }
    if isSelected {
      if selected?.consent.noteMedia(now: now) == true { refreshDeadline(now: now) }
    } else {
      noteDiversion(from: remote, to: local, now: now)
      handleTimeout(now: now)
    }
  }

  private mutating func noteDiversion(from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant)
  {
    guard phase == .connected, credentials.current.remote != nil, local.canReach(remote), remote.isUnicast,
      let index = checklist.pairForMedia(from: remote, to: local, circumstances(now: now))
    else { return }
    let pair = checklist[index]
    checklist[index].lastMedia = now
    let isNew = pair.lastMedia.map { now - $0 >= configuration.answerTime } ?? true
    let isIdle = pair.state != .inProgress && !pair.isTriggered && pair.lastSuccess == nil
    // An address that has never answered a check raises suspicion but once.
    let isSuspicious =
      (isNew || pair.lastSuccess != nil) && selected?.consent.maySuspect(now: now, configuration) == true
      && suspectSelectedPath(now: now)
    if isNew || isIdle || isSuspicious, !pair.isNominating { checklist.trigger(index) }
  }
}
