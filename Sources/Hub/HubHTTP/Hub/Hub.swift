internal import HubCore

/// The running hub: what its nodes know in common, and those on this node who wait for what is decided.
final class Hub: Sendable {
  let limits: HubLimits
  let streams: EventStreamWakeups
  let polledStreams: PolledStreams
  let transfers: ArchiveTransfers
  let backplane: any HubBackplane

  /// - Parameter makeBackplane: is given what carries its actions out.
  init(limits: HubLimits, makeBackplane: (@escaping @Sendable (HubActions) -> Void) -> any HubBackplane) {
    self.limits = limits
    let (streams, transfers) = (EventStreamWakeups(), ArchiveTransfers())
    (self.streams, self.transfers) = (streams, transfers)
    polledStreams = PolledStreams(limits: limits)
    backplane = makeBackplane { actions in
      streams.wake(actions.wokenStreams)
      for uploadID in actions.expiredUploads { transfers.giveUp(uploadID) }
    }
  }

  func tick() async {
    await backplane.tick()
    transfers.giveUpStalled(now: .now)
    close(polledStreams.takeAbandoned(now: .now))
  }

  /// No request waits any longer.
  func stop() { close(polledStreams.takeAll()) }

  private func close(_ streams: [PolledStream]) {
    for stream in streams { backplane.closeStream(stream.streamID, of: stream.userID) }
  }
}
