import MediaCore

/// The candidates of both sides, the pairs that they form, and the order in which these are checked (RFC 8445 §6.1).
struct Checklist {
  /// More pairs than this are never kept (RFC 8445 §6.1.2.5).
  static let limit = 100

  var candidates = CandidateSet()
  private(set) var pairs: [CandidatePair] = []
  /// Pairs to be checked before all others, oldest first.
  private var triggered: [PairID] = []
  /// How many pairs there have been.
  private(set) var nextID: UInt32 = 0

  subscript(index: Int) -> CandidatePair {
    get { pairs[index] }
    _modify { yield &pairs[index] }
  }

  func index(of id: PairID) -> Int? { pairs.firstIndex { $0.id == id } }

  func index(local: TransportAddress, remote: TransportAddress) -> Int? {
    pairs.firstIndex { $0.remote == remote && $0.local == local }
  }

  var hasTriggered: Bool { !triggered.isEmpty }

  /// How many pairs are waiting or being checked, for RTO.
  var activeCount: Int { pairs.count { $0.state == .waiting || $0.state == .inProgress } }
}

/// What a new pair depends on besides its addresses.
struct PairCircumstances {
  /// Our role at present.
  var role: ICERole
  /// A pair that is in use and has to stay.
  var spared: PairID?
  var now: MonotonicInstant
}

extension Checklist {
  /// What makes a pair.
  struct Ingredients {
    var local: TransportAddress
    var remote: TransportAddress
    var localPriority: UInt32
    var remotePriority: UInt32
    var foundation: PairFoundation
  }

  /// Adds a pair, at the expense of a worse one if the list is full. Returns its index, or nil if it is the worst.
  mutating func insert(_ new: Ingredients, _ circumstances: PairCircumstances) -> Int? {
    var pair = CandidatePair(
      id: PairID(rawValue: nextID), local: new.local, remote: new.remote, localPriority: new.localPriority,
      remotePriority: new.remotePriority, foundation: new.foundation, createdAt: circumstances.now)
    pair.computePriority(role: circumstances.role)
    pair.state = startsFrozen(pair.foundation) ? .frozen : .waiting
    if pairs.count == Self.limit {
      guard let victim = expendable(sparing: circumstances.spared), isWorse(pairs[victim], than: pair) else {
        return nil
      }
      remove(at: victim)
    }
    nextID &+= 1
    pairs.append(pair)
    return pairs.count - 1
  }

  /// Pairs of one foundation tend to fail together, so one goes first (RFC 8838 §12).
  private func startsFrozen(_ foundation: PairFoundation) -> Bool {
    let alike = pairs.lazy.filter { $0.foundation == foundation }
    return !alike.isEmpty && !alike.contains { $0.state == .succeeded }
  }

  private func expendable(sparing spared: PairID?) -> Int? {
    pairs.indices.filter { pairs[$0].id != spared && !pairs[$0].isNominating }
      .min { isWorse(pairs[$0], than: pairs[$1]) }
  }

  private func isWorse(_ pair: CandidatePair, than other: CandidatePair) -> Bool {
    func rank(_ pair: CandidatePair) -> Int {
      switch pair.state {
      case .failed: 0
      case .frozen, .waiting, .inProgress: 1
      case .succeeded: 2
      }
    }
    return (rank(pair), pair.priority) < (rank(other), other.priority)
  }

  private mutating func remove(at index: Int) {
    let id = pairs[index].id
    triggered.removeAll { $0 == id }
    pairs.remove(at: index)
  }

  mutating func remove(where isGone: (CandidatePair) -> Bool) {
    for index in pairs.indices.reversed() where isGone(pairs[index]) { remove(at: index) }
  }

  mutating func removeAll() {
    pairs.removeAll()
    triggered.removeAll()
  }
}

extension Checklist {
  /// Has a pair checked next, because the peer checked it or because its last check went wrong.
  mutating func trigger(_ index: Int) {
    pairs[index].state = .waiting
    pairs[index].isTriggered = true
    pairs[index].isNominating = false
    let id = pairs[index].id
    if !triggered.contains(id) { triggered.append(id) }
  }

  /// Takes the pair to check now: triggered ones first, then by priority (RFC 8445 §6.1.4.2).
  mutating func popNext(above floor: UInt64) -> Int? {
    while !triggered.isEmpty {
      if let index = index(of: triggered.removeFirst()), pairs[index].state == .waiting { return index }
    }
    return nextOrdinary(above: floor)
  }

  /// The best pair that is waiting, or else the best frozen one.
  ///
  /// Frozen pairs only stand back. To hold them until their foundation's first pair has succeeded or failed saves
  /// checks where there are many components; here it would cost a peer that gives all its candidates one foundation
  /// many seconds.
  func nextOrdinary(above floor: UInt64) -> Int? {
    best { $0.state == .waiting && $0.priority > floor } ?? best { $0.state == .frozen && $0.priority > floor }
  }

  /// The peer answered: pairs of the same foundation need wait no longer (RFC 8445 §7.2.5.3.3).
  mutating func succeed(_ index: Int, now: MonotonicInstant) {
    pairs[index].state = .succeeded
    pairs[index].lastSuccess = now
    pairs[index].isTriggered = false
    let (id, foundation) = (pairs[index].id, pairs[index].foundation)
    triggered.removeAll { $0 == id }
    for other in pairs.indices where pairs[other].state == .frozen && pairs[other].foundation == foundation {
      pairs[other].state = .waiting
    }
  }

  mutating func fail(_ index: Int) {
    pairs[index].state = .failed
    pairs[index].isNominating = false
    pairs[index].isTriggered = false
  }

  /// Rechecks every pair, for instance because the selected one went silent.
  mutating func recheckAll() {
    for index in pairs.indices where pairs[index].state != .inProgress { pairs[index].state = .waiting }
  }

  mutating func computePriorities(role: ICERole) {
    for index in pairs.indices { pairs[index].computePriority(role: role) }
  }

  /// Whether a pair of higher priority may yet succeed.
  func isBetterOpen(than index: Int) -> Bool {
    let priority = pairs[index].priority
    return pairs.contains {
      $0.priority > priority && ($0.state == .waiting || $0.state == .inProgress || $0.state == .frozen)
    }
  }

  /// The pair of highest priority that satisfies the condition.
  func best(where condition: (CandidatePair) -> Bool) -> Int? {
    var best: Int?
    for index in pairs.indices where condition(pairs[index]) {
      if let current = best, pairs[current].priority >= pairs[index].priority { continue }
      best = index
    }
    return best
  }
}
