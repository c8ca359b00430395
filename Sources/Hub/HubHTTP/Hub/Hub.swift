internal import HubCore

/// The running hub: what its nodes know in common, and those on this node who wait for what is decided.
final class Hub: Sendable {
  let limits: HubLimits
  let streams: EventStreamWakeups
  let polledStreams: PolledStreams
  let transfers: ArchiveTransfers
  let clock = HubClock()
  let backplane: any HubBackplane

  /// - Parameters:
  ///   - push: nil for a hub that rings no phones.
  ///   - history: takes calls that are over.
  ///   - makeBackplane: is given what carries its actions out.
  init(
    limits: HubLimits, push: PushService? = nil, history: CallHistory? = nil,
    makeBackplane: (@escaping @Sendable (HubActions) -> Void) -> any HubBackplane
  ) {
    self.limits = limits
    let (streams, transfers) = (EventStreamWakeups(), ArchiveTransfers())
    (self.streams, self.transfers) = (streams, transfers)
    polledStreams = PolledStreams(limits: limits)
    backplane = makeBackplane { [clock] actions in
      if actions.startsClock { clock.wake() }
      streams.wake(actions.wokenStreams)
      for uploadID in actions.expiredUploads { transfers.giveUp(uploadID) }
      for order in actions.pushes { push?.take(order) }
      for report in actions.calls { history?.take(report) }
    }
  }

  func tick() async {
    await backplane.tick()
    transfers.giveUpStalled(now: .now)
    close(polledStreams.takeAbandoned(now: .now))
  }

  /// When ``tick()`` is to be called again, as things stand.
  ///
  /// - Parameters:
  ///   - turn: the last one of ``EventStreamWakeups/wake(turn:)``.
  ///   - time: in seconds since 1970.
  func secondsUntilDue(after turn: Int, at time: Int64) -> Int {
    if backplane.needsTicks || !polledStreams.isEmpty { return 1 }
    return streams.secondsUntilDue(after: turn, at: time, atMost: HubClock.longestPause)
  }

  /// No request waits any longer.
  func stop() { close(polledStreams.takeAll()) }

  private func close(_ streams: [PolledStream]) {
    for stream in streams { backplane.closeStream(stream.streamID, of: stream.userID) }
  }
}
