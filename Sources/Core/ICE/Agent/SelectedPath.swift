import MediaCore

/// The path in use, by value: it outlives its pair across a restart.
struct SelectedPath {
  var path: ICESelectedPair
  /// Nil after a restart.
  var pair: PairID?
  /// The generation of the credentials it was found with.
  var generation: UInt8
  var localPriority: UInt32
  var since: MonotonicInstant
  var consent: ConsentFreshness
}

extension SelectedPath {
  /// Whether a datagram came, or goes, over it.
  func leads(from local: TransportAddress, to remote: TransportAddress) -> Bool {
    path.remote == remote && path.local == local
  }

  /// Whether the path gives way to a pair that the controlling peer names.
  ///
  /// An aggressive nominator names many pairs in the beginning and means the best of them; later on, a nomination
  /// says that the peer has moved.
  func givesWay(
    to other: CandidatePair, in checklist: Checklist, now: MonotonicInstant, _ configuration: ICEConfiguration
  ) -> Bool {
    guard let index = pair.flatMap(checklist.index(of:)) else { return true }
    guard pair != other.id else { return false }
    let hasMoved = now - since > configuration.settlingTime || other.createdAt > since
    return hasMoved || other.priority > checklist[index].priority
  }

  /// The best pair that has answered since this path was suspected, one that carries the peer's media before all
  /// others.
  func alternative(in checklist: Checklist, now: MonotonicInstant, _ configuration: ICEConfiguration) -> Int? {
    guard let since = consent.suspectSince else { return nil }
    func answers(_ other: CandidatePair) -> Bool {
      other.id != pair && other.isFresh(now, configuration) && (other.lastSuccess ?? since) >= since
    }
    return checklist.best { answers($0) && isPeer(on: $0) } ?? checklist.best(where: answers)
  }

  /// Whether the peer's media has come over a pair since this path was suspected.
  func isPeer(on pair: CandidatePair) -> Bool {
    guard let since = consent.suspectSince, let last = pair.lastMedia else { return false }
    return last >= since
  }
}

extension EarliestDeadline {
  /// Notes when something is to be done about the path.
  mutating func note(_ consent: ConsentFreshness, now: MonotonicInstant, _ configuration: ICEConfiguration) {
    note(consent.nextCheck, .consentCheck)
    note(consent.expiry(configuration), .consentExpiry)
    note(consent.suspicionDeadline(configuration), .suspicion)
    note(consent.reportDeadline(configuration), .suspicion)
    for isPeerElsewhere in [false, true] {
      let loss = consent.lossDeadline(isPeerElsewhere: isPeerElsewhere, configuration)
      if loss > now { note(loss, .suspicion) }
    }
  }
}
