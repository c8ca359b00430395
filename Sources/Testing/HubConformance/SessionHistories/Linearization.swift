/// Searches for an order of all steps that takes each between its invocation and its completion, and in which the model
/// answers as the hub did (Wing and Gong's search, with the memory of Lowe).
struct Linearization {
  /// One step: a request, or something that the hub did by itself.
  struct Step {
    enum Deed {
      case request(SessionOperation)
      case own(OwnStep)
    }

    var deed: Deed
    var from: Int64
    /// Nil where it may happen at any time after ``from``.
    var until: Int64?
    /// Has happened, and so has a place in the order; others may.
    var isCertain: Bool
  }

  private struct Position: Hashable {
    var taken: UInt64
    var model: SessionModel
  }

  /// Sets of steps are bits of an integer.
  static let maxSteps = 64
  private let steps: [Step]
  private let certain: UInt64

  /// - Parameter steps: ``maxSteps`` at most.
  init(_ steps: [Step]) {
    precondition(steps.count <= Self.maxSteps, "a history of more than 64 steps")
    self.steps = steps
    certain = steps.indices.reduce(0) { steps[$1].isCertain ? $0 | 1 << UInt64($1) : $0 }
  }

  var exists: Bool {
    var seen: Set<Position> = []
    var open = [Position(taken: 0, model: SessionModel())]
    while let position = open.popLast() {
      guard seen.insert(position).inserted else { continue }
      if position.taken & certain == certain { return true }
      open += successors(of: position)
    }
    return false
  }

  private func successors(of position: Position) -> [Position] {
    let waiting = steps.indices.filter { position.taken & 1 << UInt64($0) == 0 }
    // Nothing may come before a step that had been completed when it began.
    let end = waiting.filter { steps[$0].isCertain }.compactMap { steps[$0].until }.min() ?? .max
    return waiting.filter { steps[$0].from <= end }.compactMap { index in
      var next = position
      next.taken |= 1 << UInt64(index)
      return take(steps[index], &next.model) ? next : nil
    }
  }

  /// Whether the model does as the hub did.
  private func take(_ step: Step, _ model: inout SessionModel) -> Bool {
    switch step.deed {
    case .own(let own): model.apply(own)
    case .request(let operation):
      // One without a known answer took effect regardless of its answer.
      model.apply(operation) == operation.outcome || operation.outcome == .unknown
    }
  }
}
