public import MediaCore

/// How much of the one encoded video a viewer is sent.
public enum VideoShare: Sendable, Hashable {
  /// The number of temporal layers, from the base up.
  case layers(Int)
  /// A key frame now and then.
  case keyFramesOnly
}

/// Decides the one rate of the encoder that all viewers share, and how many temporal layers each of them gets.
///
/// The encoder follows the lowest estimate among the viewers, but is not dragged below half of what the best of them
/// takes, nor below the archive's floor: a viewer that takes less gets fewer layers, and one that cannot take even the
/// base layer gets audio and a still frame. Of five viewers or more, the lowest fifth does not count while their
/// estimates have been low for a moment only: among many, one is always recovering from a hiccup. Rates fall at
/// once; they rise by steps, and a viewer gets more layers only after it could have taken them for half a second.
public struct BitrateAllocator: Sendable {
  /// What does not change.
  public struct Configuration: Sendable, Hashable {
    /// The encoder's bitrate when every viewer can take it.
    public var maximum: Bitrate
    /// The least that is worth encoding.
    public var minimum: Bitrate
    /// What sound, headers and repair take of a viewer's estimate.
    public var overhead: Bitrate
    /// 1 to 3.
    public var temporalLayers: Int

    /// Brings `minimum` to `maximum` at most, and `temporalLayers` into 1 to 3.
    public init(maximum: Bitrate, minimum: Bitrate = .kilobits(80), overhead: Bitrate, temporalLayers: Int) {
      self.maximum = maximum
      self.minimum = min(minimum, maximum)
      self.overhead = overhead
      self.temporalLayers = min(max(temporalLayers, 1), 3)
    }
  }

  private static var headroom: Double { 0.95 }
  /// As a share of what the best viewer takes.
  private static var leastInfluence: Double { 0.5 }
  private static var influenceAgain: Double { 0.75 }
  /// Until more layers are sent. Resuming video after a still frame costs all viewers a key frame.
  private static var timeout: TimeSpan { .milliseconds(500) }
  private static var timeoutFromStill: TimeSpan { .seconds(2) }
  /// The time a queue takes to drain.
  private static var moment: TimeSpan { .seconds(4) }
  /// How long to wait for a viewer whose estimate only rises, as that of a newcomer does.
  private static var longestMoment: TimeSpan { .seconds(12) }
  private static var rising: Double { 1.1 }

  /// One of so many viewers does not count while its estimate is low for a moment.
  private static var viewersPerExempt: Int { 5 }
  /// Of what the best viewer takes: less is low.
  private static var low: Double { 0.9 }

  /// Since when a viewer takes too little, what it could take then, and whether that has become less meanwhile.
  private struct Shortage {
    let since: MonotonicInstant
    let available: Double
    var hasFallen = false

    /// Whether it may be over soon: queues drain, and estimates that only rise have a way to go.
    func isRecent(_ available: Double, now: MonotonicInstant) -> Bool {
      let isRising = !hasFallen && available >= rising * self.available
      return now - since < (isRising ? longestMoment : moment)
    }
  }

  private struct Viewer {
    var name: String
    var available: Double
    var setsRate = true
    var layers: Int
    /// When the viewer became able to take another layer.
    var risesSince: MonotonicInstant?
    /// It cannot take the base layer.
    var lacksBase: Shortage?
    /// It takes less than the best viewer.
    var isLow: Shortage?

    mutating func note(_ available: Double) {
      if available < self.available {
        lacksBase?.hasFallen = true
        isLow?.hasFallen = true
      }
      self.available = available
    }

    /// Compares with the best viewer's rate.
    mutating func compare(best: Double, now: MonotonicInstant) {
      isLow = available < low * best ? isLow ?? Shortage(since: now, available: available) : nil
    }
  }

  private let configuration: Configuration
  private var viewers: [Viewer] = []
  /// What the encoder should be set to.
  public private(set) var encoderRate: Bitrate
  /// While an archive runs, the encoder's rate does not fall below this.
  public var floor: Bitrate?

  /// Begins at the maximum, without viewers.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    encoderRate = configuration.maximum
  }

  /// Takes a viewer's estimate, that of a new viewer included.
  public mutating func update(_ name: String, estimate: Bitrate, now: MonotonicInstant) {
    let available = max(
      0, Self.headroom * Double(estimate.bitsPerSecond) - Double(configuration.overhead.bitsPerSecond))
    if let index = viewers.firstIndex(where: { $0.name == name }) {
      viewers[index].note(available)
    } else {
      viewers.append(Viewer(name: name, available: available, layers: configuration.temporalLayers))
    }
    decide(now: now)
  }

  /// Removes a viewer that has left.
  public mutating func remove(_ name: String, now: MonotonicInstant) {
    viewers.removeAll { $0.name == name }
    decide(now: now)
  }

  /// Goes through the decisions again, because time has passed or the floor has changed.
  public mutating func decide(now: MonotonicInstant) {
    let target = chooseRate(now: now)
    for index in viewers.indices { chooseLayers(index, target: target, now: now) }
    let current = Double(encoderRate.bitsPerSecond)
    // Small steps are not worth a change of the encoder.
    let isWhole = target >= Double(configuration.maximum.bitsPerSecond)
    if target <= 0.97 * current || target >= 1.04 * current || isWhole || isBelowFloor {
      encoderRate = Bitrate(target)
    }
  }

  private var isBelowFloor: Bool { floor.map { encoderRate < $0 } ?? false }

  /// What a viewer gets; all of it while it is not known.
  public func share(of name: String) -> VideoShare {
    let layers = viewers.first { $0.name == name }?.layers ?? configuration.temporalLayers
    return layers > 0 ? .layers(layers) : .keyFramesOnly
  }

  // MARK: Decisions

  private mutating func chooseRate(now: MonotonicInstant) -> Double {
    let maximum = Double(configuration.maximum.bitsPerSecond)
    let best = min(viewers.map { $0.available }.max() ?? maximum, maximum)
    var target = best
    for index in viewers.indices { viewers[index].compare(best: best, now: now) }
    let exempt = exemptViewers(now: now)
    for index in viewers.indices {
      let share = viewers[index].setsRate ? Self.leastInfluence : Self.influenceAgain
      viewers[index].setsRate = viewers[index].available >= share * best
      if viewers[index].setsRate, !exempt.contains(index) { target = min(target, viewers[index].available) }
    }
    let floor = min(max(configuration.minimum, floor ?? configuration.minimum), configuration.maximum)
    return max(target, Double(floor.bitsPerSecond))
  }

  /// Those of the lowest fifth whose estimates have been low for a moment only.
  private func exemptViewers(now: MonotonicInstant) -> ArraySlice<Int> {
    let count = viewers.count / Self.viewersPerExempt
    guard count > 0 else { return [] }
    let recent = viewers.indices.filter { index in
      viewers[index].isLow?.isRecent(viewers[index].available, now: now) ?? false
    }
    return recent.sorted { viewers[$0].available < viewers[$1].available }
      .prefix(count)
  }

  private mutating func chooseLayers(_ index: Int, target: Double, now: MonotonicInstant) {
    let available = viewers[index].available
    while viewers[index].layers > 1, available < 0.9 * target * share(ofLayers: viewers[index].layers) {
      viewers[index].layers -= 1
      viewers[index].risesSince = nil
    }
    giveUpBase(index, target: target, now: now)
    rise(index, target: target, now: now)
  }

  private mutating func rise(_ index: Int, target: Double, now: MonotonicInstant) {
    let spare = viewers[index].available / riseMargin(index)
    let possible = (0...configuration.temporalLayers).last { spare >= target * share(ofLayers: $0) } ?? 0
    guard possible > viewers[index].layers else {
      viewers[index].risesSince = nil
      return
    }
    let since = viewers[index].risesSince ?? now
    viewers[index].risesSince = since
    guard now - since >= (viewers[index].layers == 0 ? Self.timeoutFromStill : Self.timeout) else { return }
    viewers[index].layers = possible
    viewers[index].risesSince = nil
  }

  /// A viewer that cannot take the base layer for more than a moment gets a still frame.
  private mutating func giveUpBase(_ index: Int, target: Double, now: MonotonicInstant) {
    let available = viewers[index].available
    guard viewers[index].layers == 1, available < 0.9 * target * share(ofLayers: 1) else {
      viewers[index].lacksBase = nil
      return
    }
    let lack = viewers[index].lacksBase ?? Shortage(since: now, available: available)
    viewers[index].lacksBase = lack
    guard !lack.isRecent(available, now: now) else { return }
    viewers[index].layers = 0
    viewers[index].risesSince = nil
  }

  /// A viewer that sets the rate itself has nothing to spare, by definition.
  private func riseMargin(_ index: Int) -> Double { viewers[index].setsRate ? 1 : 1.1 }

  /// The part of the rate that the first layers take, as the encoder divides it.
  private func share(ofLayers count: Int) -> Double {
    switch (configuration.temporalLayers, count) {
    case (_, 0): 0
    case (2, 1): 0.6
    case (3, 1): 0.4
    case (3, 2): 0.6
    default: 1
    }
  }
}
