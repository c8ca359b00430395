import MediaCore
import TransportCrypto

extension ICEAgent {
  /// Sends a new check on a pair.
  mutating func sendCheck(_ index: Int, purpose: CheckTransaction.Purpose, now: MonotonicInstant) {
    let pair = checklist[index]
    let id = sendRequest(
      purpose, pair: pair.id, local: pair.local, remote: pair.remote, localPriority: pair.localPriority,
      generation: credentials.generation, now: now)
    let initial = max(
      configuration.minimumRetransmissionTimeout, configuration.pacing * Int64(checklist.activeCount))
    checklist[index].state = .inProgress
    checklist[index].isNominating = purpose == .nomination
    checklist[index].transaction = id
    checklist[index].backOff = BackOff(now: now, initial: initial, configuration: configuration)
  }

  /// Asks on the selected path for consent; such a request is never repeated (RFC 7675 §5.1).
  mutating func sendConsentCheck(now: MonotonicInstant) {
    guard let current = selected else { return }
    _ = sendRequest(
      .consent, pair: nil, local: current.path.local, remote: current.path.remote,
      localPriority: current.localPriority, generation: current.generation, now: now)
    let next = drawConsentCheck(now: now)
    selected?.consent.noteCheck(next: next, now: now)
  }

  func drawConsentCheck(now: MonotonicInstant) -> MonotonicInstant {
    ConsentFreshness.drawNextCheck(after: now, random: crypto.randomUInt64(), configuration: configuration)
  }

  private mutating func sendRequest(
    _ purpose: CheckTransaction.Purpose, pair: PairID?, local: TransportAddress, remote: TransportAddress,
    localPriority: UInt32, generation: UInt8, now: MonotonicInstant
  ) -> STUNTransactionID {
    let id = STUNTransactionID(crypto: crypto)
    transactions.insert(
      CheckTransaction(
        id: id, purpose: purpose, pair: pair, local: local, remote: remote, role: role, generation: generation,
        sentAt: now))
    outgoing.append(
      .request(
        OutgoingRequest(
          transactionID: id, local: local, remote: remote,
          priority: ICECandidate.peerReflexivePriority(of: localPriority), useCandidate: purpose == .nomination,
          role: role, tieBreaker: tieBreaker, generation: generation)))
    return id
  }

  /// Repeats a pair's check under the same transaction id.
  private mutating func repeatCheck(_ index: Int) {
    let pair = checklist[index]
    outgoing.append(
      .request(
        OutgoingRequest(
          transactionID: pair.transaction, local: pair.local, remote: pair.remote,
          priority: ICECandidate.peerReflexivePriority(of: pair.localPriority), useCandidate: pair.isNominating,
          role: transactions.find(pair.transaction)?.role ?? role, tieBreaker: tieBreaker,
          generation: credentials.generation)))
  }
}

extension ICEAgent {
  /// Pairs not above this priority need no checks of their own accord any more.
  ///
  /// With a path selected, the controlled side goes on checking better pairs, for the peer may yet choose one.
  var checkFloor: UInt64 {
    guard let current = selected, phase == .connected, current.consent.suspectSince == nil else { return 0 }
    guard role == .controlled, let index = current.pair.flatMap(checklist.index(of:)) else { return .max }
    return checklist[index].priority
  }

  /// Whether checks may leave at all.
  var isActive: Bool { phase != .idle && phase != .failed }

  /// Starts checks, one every Ta (RFC 8445 §6.1.4.2).
  mutating func startChecks(now: MonotonicInstant) {
    guard isActive, now >= nextCheck, let index = checklist.popNext(above: checkFloor) else { return }
    sendCheck(index, purpose: .check, now: now)
    nextCheck = now + configuration.pacing
  }

  /// Repeats or gives up the checks whose time has come.
  mutating func repeatChecks(now: MonotonicInstant) {
    let floor = checkFloor
    for index in checklist.pairs.indices where checklist[index].state == .inProgress {
      switch checklist[index].backOff.advance(now: now, configuration: configuration) {
      case .wait: continue
      case .transmit where isWanted(checklist[index], above: floor): repeatCheck(index)
      case .transmit, .giveUp: checklist.fail(index)
      }
    }
  }

  private func isWanted(_ pair: CandidatePair, above floor: UInt64) -> Bool {
    pair.priority > floor || pair.isTriggered || pair.isNominating
  }
}
