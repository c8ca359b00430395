/// What a session is allowed to do: the rules of `CallSession`, as far as a history shows them.
struct SessionModel: Hashable {
  enum State: Hashable {
    case absent
    case calling
    case ringing
    case answered(mark: String?)
    case ended

    fileprivate var rank: Int {
      switch self {
      case .absent: 0
      case .calling: 1
      case .ringing: 2
      case .answered: 3
      case .ended: 4
      }
    }
  }

  private(set) var state = State.absent

  /// A client's request; returns how the hub has to answer.
  mutating func apply(_ operation: SessionOperation) -> SessionOperation.Outcome {
    switch operation.action {
    case .place: place()
    case .ring: ring()
    case .answer: answer(operation.mark)
    case .reject: reject()
    case .hangUp: hangUp()
    case .probe: refusal ?? .done
    }
  }

  /// What happens without a request; returns whether it can happen now.
  mutating func apply(_ step: OwnStep) -> Bool {
    switch (step, state) {
    case (.expire, .calling), (.expire, .ringing), (.vanish, .calling), (.vanish, .ringing), (.vanish, .answered):
      state = .ended
    case (.forgetEnded, .ended): state = .absent
    case (.fallBack(let earlier), _) where earlier.rank < state.rank: state = earlier
    default: return false
    }
    return true
  }

  /// How requests are refused that need a live session; nil while it lives.
  private var refusal: SessionOperation.Outcome? {
    switch state {
    case .absent: .unknownSession
    case .ended: .ended
    case .calling, .ringing, .answered: nil
    }
  }

  /// The same request again is harmless.
  private mutating func place() -> SessionOperation.Outcome {
    if state == .ended { return .ended }
    if state == .absent { state = .calling }
    return .done
  }

  private mutating func ring() -> SessionOperation.Outcome {
    if let refusal { return refusal }
    if case .answered = state { return .wrongState }
    state = .ringing
    return .done
  }

  private mutating func answer(_ mark: String?) -> SessionOperation.Outcome {
    if let refusal { return refusal }
    if case .answered(let taken) = state { return taken == mark ? .done : .answeredElsewhere }
    state = .answered(mark: mark)
    return .done
  }

  private mutating func reject() -> SessionOperation.Outcome {
    if let refusal { return refusal }
    if case .answered = state { return .wrongState }
    state = .ended
    return .done
  }

  /// Also of one that has ended: the two parties' requests may cross.
  private mutating func hangUp() -> SessionOperation.Outcome {
    if state == .absent { return .unknownSession }
    state = .ended
    return .done
  }
}

/// What the hub does to a session by itself.
enum OwnStep: Hashable {
  /// No answer in time.
  case expire
  /// A party is gone.
  case vanish
  /// It ended long ago.
  case forgetEnded
  /// Redis has lost it, or its last changes.
  case fallBack(SessionModel.State)
}
