import MediaCore
import TransportCrypto

/// The checks of this side (RFC 8445 §7.2): the pairs, their order, pending requests, and which answers
/// may still come.
struct ConnectivityChecks {
  private let configuration: ICEConfiguration
  private let crypto: any CryptoPrimitives
  var checklist = Checklist()
  private(set) var roles: RoleNegotiation
  private var transactions = TransactionTable()
  private var outgoing = BoundedQueue<Outgoing>(capacity: 128)
  /// When a new check may leave next.
  private var nextCheck = MonotonicInstant(nanoseconds: .min)

  init(role: ICERole, crypto: any CryptoPrimitives, configuration: ICEConfiguration) {
    self.crypto = crypto
    self.configuration = configuration
    roles = RoleNegotiation(role, crypto: crypto)
  }

  var role: ICERole { roles.role }
}

// MARK: - Requests

extension ConnectivityChecks {
  /// Where a request goes, and with what.
  private struct Target {
    var pair: PairID?
    var local: TransportAddress
    var remote: TransportAddress
    var localPriority: UInt32
    /// The generation of the credentials.
    var generation: UInt8
  }

  /// Sends a new check on a pair.
  mutating func send(_ purpose: CheckTransaction.Purpose, on index: Int, generation: UInt8, now: MonotonicInstant) {
    let pair = checklist[index]
    let target = Target(
      pair: pair.id, local: pair.local, remote: pair.remote, localPriority: pair.localPriority, generation: generation)
    let id = send(purpose, to: target, now: now)
    let initial = max(configuration.minimumRetransmissionTimeout, configuration.pacing * Int64(checklist.activeCount))
    checklist[index].state = .inProgress
    checklist[index].isNominating = purpose == .nomination
    checklist[index].transaction = id
    checklist[index].backOff = STUNRetransmissionTimer(now: now, initial: initial, configuration: configuration)
  }

  /// Asks on the selected path for consent; such a request is never repeated (RFC 7675 §5.1).
  mutating func sendConsentCheck(over selected: SelectedPath, now: MonotonicInstant) {
    _ = send(.consent, to: Self.target(selected), now: now)
  }

  /// Measures the round trip of the selected path. Such requests follow each other quickly, and must not push others out of
  /// the table.
  mutating func sendMeasurement(over selected: SelectedPath, now: MonotonicInstant) {
    transactions.removeMeasurements(sentBefore: now - Self.longestMeasurement)
    _ = send(.measurement, to: Self.target(selected), now: now)
  }

  private static var longestMeasurement: TimeSpan { .seconds(3) }

  /// A measurement was answered: those sent before it are lost, and say nothing of the path's present delay.
  mutating func noteMeasured(sentAt: MonotonicInstant) { transactions.removeMeasurements(sentBefore: sentAt) }

  /// When the oldest measurement was sent that may still be answered.
  var oldestMeasurement: MonotonicInstant? { transactions.oldestMeasurement }

  private static func target(_ selected: SelectedPath) -> Target {
    Target(
      pair: nil, local: selected.path.local, remote: selected.path.remote, localPriority: selected.localPriority,
      generation: selected.generation)
  }

  /// Draws when to ask for consent next.
  func drawConsentCheck(now: MonotonicInstant) -> MonotonicInstant {
    ConsentFreshness.drawNextCheck(after: now, random: crypto.randomUInt64(), configuration: configuration)
  }

  private mutating func send(
    _ purpose: CheckTransaction.Purpose, to target: Target, now: MonotonicInstant
  ) -> STUNTransactionID {
    let id = STUNTransactionID(crypto: crypto)
    transactions.insert(
      CheckTransaction(
        id: id, purpose: purpose, pair: target.pair, local: target.local, remote: target.remote, role: role,
        generation: target.generation, sentAt: now))
    outgoing.append(
      .request(
        OutgoingRequest(
          transactionID: id, local: target.local, remote: target.remote,
          priority: ICECandidate.peerReflexivePriority(of: target.localPriority),
          useCandidate: purpose == .nomination, role: role, tieBreaker: roles.tieBreaker,
          generation: target.generation)))
    return id
  }

  /// Starts the next check, one every Ta (RFC 8445 §6.1.4.2).
  mutating func startNext(above floor: UInt64, generation: UInt8, now: MonotonicInstant) {
    guard now >= nextCheck, let index = checklist.popNext(above: floor) else { return }
    send(.check, on: index, generation: generation, now: now)
    nextCheck = now + configuration.pacing
  }

  /// Repeats or gives up the checks whose time has come, and forgets requests that are too old to be answered.
  mutating func repeatDue(above floor: UInt64, generation: UInt8, now: MonotonicInstant) {
    transactions.removeAll(sentBefore: now - configuration.consentTimeout)
    for index in checklist.pairs.indices where checklist[index].state == .inProgress {
      switch checklist[index].backOff.advance(now: now, configuration: configuration) {
      case .wait: continue
      case .transmit where isWanted(checklist[index], above: floor): repeatCheck(index, generation: generation)
      case .transmit, .giveUp: checklist.fail(index)
      }
    }
  }

  private func isWanted(_ pair: CandidatePair, above floor: UInt64) -> Bool {
    pair.priority > floor || pair.isTriggered || pair.isNominating
  }

  /// Repeats a pair's check under the same transaction id.
  private mutating func repeatCheck(_ index: Int, generation: UInt8) {
    let pair = checklist[index]
    outgoing.append(
      .request(
        OutgoingRequest(
          transactionID: pair.transaction, local: pair.local, remote: pair.remote,
          priority: ICECandidate.peerReflexivePriority(of: pair.localPriority), useCandidate: pair.isNominating,
          role: transactions.find(pair.transaction)?.role ?? role, tieBreaker: roles.tieBreaker,
          generation: generation)))
  }

  func noteDeadlines(above floor: UInt64, in deadline: inout EarliestDeadline, now: MonotonicInstant) {
    if checklist.hasTriggered || checklist.nextOrdinary(above: floor) != nil {
      deadline.note(max(nextCheck, now), .nextCheck)
    }
    for pair in checklist.pairs where pair.state == .inProgress {
      deadline.note(pair.backOff.deadline, .retransmission)
    }
  }

  /// Forgets everything about a local address that is gone.
  mutating func removeAll(local: TransportAddress) {
    transactions.removeAll(local: local)
    checklist.remove { $0.local == local }
  }
}

// MARK: - Answers

extension ConnectivityChecks {
  /// Finds the request that a response answers, and takes it off the list; nil for one that is not signed by the peer, or
  /// came another way: an asymmetric path cannot carry media both ways (RFC 8445 §7.2.5.2.1).
  mutating func takeAnswered(
    by response: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    _ credentials: CredentialGenerations
  ) -> CheckTransaction? {
    guard let transaction = transactions.find(response.header.transactionID),
      let set = credentials[transaction.generation],
      response.hasValidIntegrity(in: datagram, password: set.remotePassword, crypto: crypto),
      transaction.remote == remote, transaction.local == local
    else { return nil }
    transactions.remove(transaction.id)
    return transaction
  }

  /// The result of an answered request.
  enum Outcome: Equatable {
    /// It is not authentic, and changes nothing.
    case ignored
    /// It is authentic, but refused, or of before a restart.
    case answered
    case accepted(ReceivedCheck)
  }

  /// Answers a check of the peer's (RFC 8445 §7.3), for which our role may change.
  mutating func answer(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    _ credentials: CredentialGenerations
  ) -> Outcome {
    guard let range = message.username, let set = credentials.addressed(by: datagram.extracting(range)),
      message.integrityOffset != nil
    else { return .ignored }
    var response = OutgoingResponse(
      kind: .success, transactionID: message.header.transactionID, local: local, remote: remote)
    guard message.hasValidIntegrity(in: datagram, password: set.localPassword, crypto: crypto) else {
      guard message.hasFingerprint else { return .ignored }
      response.kind = .error(401)
      outgoing.append(.response(response))
      return .ignored
    }
    response.generation = set.generation
    response.unknownAttributes = message.unknownAttributes
    if let error = refusal(of: message) { response.kind = .error(error) }
    outgoing.append(.response(response))
    guard case .success = response.kind, set.generation == credentials.current.generation else { return .answered }
    return .accepted(
      ReceivedCheck(
        local: local, remote: remote, priority: message.priority ?? 0, useCandidate: message.useCandidate,
        remoteFragment: set.remote == nil
          ? datagram.extracting(range.lowerBound + set.incomingPrefix.count..<range.upperBound).copiedToArray()
          : set.remoteFragment))
  }

  /// Returns the code of the error response that an authentic request deserves, if it does.
  private mutating func refusal(of message: STUNMessage) -> Int? {
    guard message.unknownAttributes.isEmpty else { return 420 }
    guard message.priority != nil else { return 400 }
    switch roles.resolve(message) {
    case .agreed: return nil
    case .refused: return 487
    case .switched:
      followRole()
      return nil
    }
  }
}

// MARK: - Roles

extension ConnectivityChecks {
  /// The peer refuses the role that our request claimed; returns whether ours changes, which it does once.
  mutating func yieldRole(of transaction: CheckTransaction) -> Bool {
    guard transaction.role == role else { return false }
    roles.yield(crypto: crypto)
    followRole()
    return true
  }

  private mutating func followRole() {
    checklist.computePriorities(role: role)
    for index in checklist.pairs.indices {
      checklist[index].isNominatedByPeer = false
      checklist[index].isNominating = false
    }
  }
}

// MARK: - Messages

extension ConnectivityChecks {
  /// Writes the next datagram to send to the front of `buffer` (at least 600 octets); nil when none waits.
  mutating func takeTransmit(into buffer: inout MutableRawSpan, _ credentials: CredentialGenerations) -> ICETransmit? {
    while let next = outgoing.popFirst() {
      switch next {
      case .request(let request):
        guard let count = try? write(request, credentials, to: &buffer) else { continue }
        return ICETransmit(count: count, local: request.local, remote: request.remote)
      case .response(let response):
        guard let count = try? write(response, credentials, to: &buffer) else { continue }
        return ICETransmit(count: count, local: response.local, remote: response.remote)
      }
    }
    return nil
  }

  private func write(
    _ request: OutgoingRequest, _ credentials: CredentialGenerations, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    guard let set = credentials[request.generation], set.remote != nil else { throw InsufficientSpace() }
    var writer = try STUNMessageWriter(.request, .binding, request.transactionID, to: &buffer)
    unsafe try writer.append(.username, set.outgoingUsername.span.bytes, to: &buffer)
    try writer.append(.priority, request.priority, to: &buffer)
    let roleType: STUNAttributeType = request.role == .controlling ? .iceControlling : .iceControlled
    try writer.append(roleType, request.tieBreaker, to: &buffer)
    if request.useCandidate { try writer.append(.useCandidate, to: &buffer) }
    try writer.appendIntegrity(password: set.remotePassword, crypto: crypto, to: &buffer)
    try writer.appendFingerprint(to: &buffer)
    return writer.count
  }

  private func write(
    _ response: OutgoingResponse, _ credentials: CredentialGenerations, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    var writer: STUNMessageWriter
    switch response.kind {
    case .success:
      writer = try STUNMessageWriter(.successResponse, .binding, response.transactionID, to: &buffer)
      try writer.appendMappedAddress(response.remote, to: &buffer)
    case .error(let code):
      writer = try STUNMessageWriter(.errorResponse, .binding, response.transactionID, to: &buffer)
      try writer.appendErrorCode(code, to: &buffer)
      if !response.unknownAttributes.isEmpty {
        try writer.appendUnknownAttributes(response.unknownAttributes, to: &buffer)
      }
    }
    if let set = response.generation.flatMap({ credentials[$0] }) {
      try writer.appendIntegrity(password: set.localPassword, crypto: crypto, to: &buffer)
    }
    try writer.appendFingerprint(to: &buffer)
    return writer.count
  }
}
