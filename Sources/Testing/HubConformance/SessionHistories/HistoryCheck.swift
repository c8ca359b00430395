/// Judges the history of a session: whether its requests can have happened one after the other by the session's rules, and
/// whether each party received what it had to.
public struct HistoryCheck: Sendable {
  private let rules: HistoryRules

  public init(_ rules: HistoryRules) { self.rules = rules }

  /// The faults as text; empty for a good history.
  public func violations(in history: SessionHistory) -> [String] {
    let steps = steps(of: history)
    guard steps.count <= Linearization.maxSteps else {
      return ["\(history.id): more than \(Linearization.maxSteps) steps cannot be checked"]
    }
    var found = answeredTwice(history) + unexplained(history) + outOfOrder(history) + unnotified(history)
    if !Linearization(steps).exists { found.append("no order of its requests explains their answers") }
    return found.map { "\(history.id): \($0)" }
  }

  // MARK: The order of requests

  private func steps(of history: SessionHistory) -> [Linearization.Step] {
    requests(of: history) + endings(of: history) + losses(of: history)
  }

  /// A request that a party received notice of has taken effect by then, though its sender had no answer.
  private func requests(of history: SessionHistory) -> [Linearization.Step] {
    history.operations.filter { $0.outcome != .refused }.map { operation in
      let isKnown = operation.outcome != .unknown
      let receivedAt = isKnown ? nil : firstReceived(of: operation, in: history)
      return Linearization.Step(
        deed: .request(operation), from: operation.invokedAt, until: isKnown ? operation.completedAt : receivedAt,
        isCertain: isKnown || receivedAt != nil)
    }
  }

  /// When the other party received what this request alone can have caused.
  private func firstReceived(of operation: SessionOperation, in history: SessionHistory) -> Int64? {
    let others = history.operations.filter { $0.action == operation.action && $0.party == operation.party }
    switch operation.action {
    case .answer:
      guard others.filter({ $0.mark == operation.mark }).count == 1 else { return nil }
      return history.received.first { $0.name == .answered && $0.word == operation.mark }?.receivedAt
    case .reject where others.count == 1: return history.received.first { $0.name == .rejected }?.receivedAt
    case .place, .ring, .reject, .hangUp, .probe: return nil
    }
  }

  /// The ends that need no request: certain where a party was notified of one.
  private func endings(of history: SessionHistory) -> [Linearization.Step] {
    var steps: [Linearization.Step] = []
    if let placed = history.operations.first(where: { $0.action == .place && $0.outcome != .refused }) {
      let from = placed.invokedAt + rules.unansweredTimeout - rules.tolerance
      steps.append(own(.expire, from: from, receivedAs: "unanswered", in: history))
    }
    if let gone = history.disturbances.filter({ $0.kind == .partyGone }).map(\.from).min() {
      steps.append(own(.vanish, from: gone, receivedAs: "vanished", in: history))
    }
    return steps
  }

  private func own(
    _ step: OwnStep, from: Int64, receivedAs reason: String, in history: SessionHistory
  ) -> Linearization.Step {
    let receivedAt = history.received.first { $0.name == .ended && $0.word == reason }?.receivedAt
    return Linearization.Step(deed: .own(step), from: from, until: receivedAt, isCertain: receivedAt != nil)
  }

  private func losses(of history: SessionHistory) -> [Linearization.Step] {
    var steps: [Linearization.Step] = []
    for loss in history.disturbances where loss.kind != .partyGone {
      for state in statesAfter(loss.kind, in: history) {
        steps.append(Linearization.Step(deed: .own(.fallBack(state)), from: loss.from, until: nil, isCertain: false))
      }
    }
    if let first = history.operations.map(\.invokedAt).min() {
      let from = first + rules.endedMemory - rules.tolerance
      steps.append(Linearization.Step(deed: .own(.forgetEnded), from: from, until: nil, isCertain: false))
    }
    return steps
  }

  private func statesAfter(_ loss: Disturbance.Kind, in history: SessionHistory) -> [SessionModel.State] {
    guard loss == .writesLost else { return [.absent] }
    let marks = Set(history.operations.filter { $0.action == .answer }.map(\.mark))
    return [.absent, .calling, .ringing] + marks.map { .answered(mark: $0) }
  }

  // MARK: What was received

  private func answeredTwice(_ history: SessionHistory) -> [String] {
    guard !isLost(history) else { return [] }
    let taken = Set(history.operations.filter { $0.action == .answer && $0.outcome == .done }.map(\.mark))
    let received = Set(history.received.filter { $0.name == .answered }.map(\.word))
    let all = taken.union(received).compactMap(\.self).sorted()
    return all.count > 1 ? ["answered more than once: \(all.joined(separator: ", "))"] : []
  }

  private func unexplained(_ history: SessionHistory) -> [String] {
    history.received.compactMap { event in
      isExplained(event, by: history) ? nil : "nothing explains \(event.name.rawValue) \(event.word ?? "")"
    }
  }

  private func isExplained(_ event: ReceivedEvent, by history: SessionHistory) -> Bool {
    let before = history.operations.filter { $0.invokedAt <= event.receivedAt && $0.outcome != .refused }
    let has = { (action: SessionOperation.Action) in before.contains { $0.action == action } }
    switch (event.name, event.word) {
    case (.reset, _): return true
    case (.incoming, _): return has(.place)
    case (.ringing, _): return has(.ring)
    case (.answered, let mark): return before.contains { $0.action == .answer && $0.mark == mark }
    case (.rejected, _): return has(.reject)
    case (.taken, _): return has(.answer) || has(.reject) || has(.hangUp)
    case (.ended, "hangup"): return has(.hangUp)
    case (.ended, "unanswered"): return isOverdue(at: event.receivedAt, before)
    case (.ended, "vanished"): return history.disturbances.contains { $0.from <= event.receivedAt }
    case (.ended, _): return false
    }
  }

  private func isOverdue(at time: Int64, _ operations: [SessionOperation]) -> Bool {
    operations.contains { $0.action == .place && $0.invokedAt + rules.unansweredTimeout - rules.tolerance <= time }
  }

  /// On one stream no earlier state follows a later one; the same event may come again.
  private func outOfOrder(_ history: SessionHistory) -> [String] {
    guard !isLost(history) else { return [] }
    let streams = Dictionary(grouping: history.received) { "\($0.party.rawValue) \($0.client)" }
    return streams.sorted { $0.key < $1.key }.compactMap { stream, events in
      let ranks = events.sorted { $0.receivedAt < $1.receivedAt }.compactMap { rank($0.name) }
      return ranks == ranks.sorted() ? nil : "the \(stream) received events out of order"
    }
  }

  private func rank(_ name: ReceivedEvent.Name) -> Int? {
    switch name {
    case .incoming: 0
    case .ringing: 1
    case .answered: 2
    case .rejected, .ended: 3
    case .taken, .reset: nil
    }
  }

  // MARK: Who was notified

  /// A caller must learn what became of its call, unless it hung up itself; a party that knows of a call must learn of
  /// its end.
  private func unnotified(_ history: SessionHistory) -> [String] {
    let isPlaced = history.operations.contains { $0.action == .place && $0.outcome == .done }
    guard isPlaced else { return [] }
    if !hasGivenUp(history), !isReported(.caller, of: [.answered, .ended, .rejected], in: history) {
      return ["the caller was never notified of the outcome"]
    }
    return isReceiverUnnotified(history) ? ["the receiver was never notified of the call's end"] : []
  }

  private func isReceiverUnnotified(_ history: SessionHistory) -> Bool {
    let isOver = hasGivenUp(history) || history.received.contains { $0.party == .caller && $0.name == .ended }
    let hasEndedIt = history.operations.contains { operation in
      operation.party == .receiver && [.hangUp, .reject].contains(operation.action) && operation.outcome != .refused
    }
    let hasReceived = history.received.contains { $0.party == .receiver && $0.name == .incoming }
    return isOver && hasReceived && !hasEndedIt && !isReported(.receiver, of: [.ended, .taken], in: history)
  }

  /// The caller has hung up itself.
  private func hasGivenUp(_ history: SessionHistory) -> Bool {
    history.operations.contains { $0.party == .caller && $0.action == .hangUp }
  }

  /// By an event, or by an answer to something that it asked.
  private func isReported(_ party: HistoryParty, of names: Set<ReceivedEvent.Name>, in history: SessionHistory) -> Bool
  {
    history.received.contains { $0.party == party && names.contains($0.name) }
      || history.operations.contains { $0.party == party && [.ended, .unknownSession].contains($0.outcome) }
  }

  private func isLost(_ history: SessionHistory) -> Bool {
    history.disturbances.contains { $0.kind != .partyGone }
  }
}
