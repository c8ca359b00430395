import MediaCore

extension ICEAgent {
  /// Takes the answer to one of our checks (RFC 8445 §7.2.5). One that is not signed by the peer changes nothing.
  ///
  /// - Returns: whether it is authentic.
  mutating func handleResponse(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    now: MonotonicInstant
  ) -> Bool {
    guard let transaction = checks.takeAnswered(by: message, datagram, from: remote, to: local, credentials) else {
      return false
    }
    if message.header.messageClass == .successResponse {
      handleSuccess(transaction, now: now)
    } else {
      handleError(message.errorCode ?? 0, transaction, now: now)
    }
    return true
  }

  private mutating func handleSuccess(_ transaction: CheckTransaction, now: MonotonicInstant) {
    if selected?.leads(from: transaction.local, to: transaction.remote) == true {
      noteConsent(sentAt: transaction.sentAt, now: now)
      if transaction.purpose == .measurement {
        roundTrip = now - transaction.sentAt
        checks.noteMeasured(sentAt: transaction.sentAt)
      }
    }
    guard let id = transaction.pair, let index = checklist.index(of: id) else { return }
    if checklist[index].isNominating, checklist[index].transaction != transaction.id {
      // The answer to an earlier check: the nomination is still to be answered, and repeated until then.
      checklist[index].lastSuccess = now
      return
    }
    let wasFresh = checklist[index].isFresh(now, configuration)
    checklist.succeed(index, now: now)
    if transaction.purpose == .nomination, checklist[index].transaction == transaction.id {
      checklist[index].isNominating = false
      if role == .controlling { select(index, now: now) }
    } else if checklist[index].isNominatedByPeer, role == .controlled {
      checklist[index].isNominatedByPeer = false
      followNomination(index, now: now)
    } else if !wasFresh {
      suspectSelectedPath(because: id, now: now)
    }
  }

  /// The peer answered on the selected path, which keeps its pair fresh as well.
  private mutating func noteConsent(sentAt: MonotonicInstant, now: MonotonicInstant) {
    selected?.consent.noteAnswer(sentAt: sentAt, now: now)
    guard let index = selected?.pair.flatMap(checklist.index(of:)) else { return }
    checklist[index].lastSuccess = now
    if checklist[index].state == .failed { checklist.succeed(index, now: now) }
  }

  private mutating func handleError(_ code: Int, _ transaction: CheckTransaction, now: MonotonicInstant) {
    guard let id = transaction.pair, let index = checklist.index(of: id) else { return }
    if code == 487 {
      if checks.yieldRole(of: transaction) { nomination.reset() }
      checklist.trigger(index)
    } else if checklist[index].transaction == transaction.id {
      checklist.fail(index)
    }
  }

  /// A path other than the selected one has come alive: check soon whether the selected one still works.
  private mutating func suspectSelectedPath(because id: PairID, now: MonotonicInstant) {
    guard let current = selected, let pair = current.pair, pair != id, now - current.since > configuration.settlingTime
    else { return }
    suspectSelectedPath(now: now)
  }
}
