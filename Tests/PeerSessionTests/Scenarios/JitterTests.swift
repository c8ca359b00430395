import MediaCore
import PeerSession
import Testing

/// Calls over networks whose delay swings, both ways: the rate must stay, and the pictures with it.
@Suite struct JitterTests {
  private func makeScenario(
    seed: UInt64, kilobits: Int = 2_000, _ change: (inout VirtualNetwork) -> Void
  ) throws -> Scenario {
    try Scenario(seed: seed) { network in
      network.uplink = Bottleneck(rate: .kilobits(kilobits))
      change(&network)
    }
  }

  /// The encoder's rates since an instant, in kbit/s.
  private func rates(_ scenario: Scenario, since start: MonotonicInstant) -> [Int] {
    scenario.broadcast.rates.filter { $0.at >= start }.map(\.kilobits)
  }

  /// Up to so much for each datagram, in milliseconds, and what has to be shown, in percent.
  @Test(arguments: [(25, 99.0), (100, 95), (350, 95)] as [(Int64, Double)], 1...3 as ClosedRange<UInt64>)
  func `jitter is not taken for a queue`(network: (jitter: Int64, shown: Double), seed: UInt64) throws {
    let scenario = try makeScenario(seed: seed) { $0.jitter = .milliseconds(network.jitter) }
    scenario.broadcast.run(for: .seconds(7))
    let start = scenario.begin()
    scenario.broadcast.run(for: .seconds(30))
    let figures = scenario.figures(since: start)
    let rates = rates(scenario, since: start)
    #expect(rates.min()! >= (network.jitter <= 100 ? 700 : 500))
    #expect(figures.outgoing.shown >= network.shown, "\(figures.outgoing)")
    #expect(figures.incoming.shown >= network.shown, "\(figures.incoming)")
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func `stalls of 200 ms take no rate`(seed: UInt64) throws {
    let scenario = try makeScenario(seed: seed) { $0.stall = (.milliseconds(200), .seconds(5)) }
    scenario.broadcast.run(for: .seconds(7))
    let start = scenario.begin()
    scenario.broadcast.run(for: .seconds(30))
    let figures = scenario.figures(since: start)
    #expect(rates(scenario, since: start).min()! >= 760)
    #expect(figures.outgoing.shown >= 99 && figures.outgoing.longestFreeze <= .milliseconds(300))
    #expect(figures.incoming.shown >= 99 && figures.incoming.longestFreeze <= .milliseconds(300))
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func `a busy machine on the way takes no rate`(seed: UInt64) throws {
    let scenario = try makeScenario(seed: seed) {
      $0.jitter = .milliseconds(25)
      $0.hiccup = .milliseconds(200)
    }
    scenario.broadcast.run(for: .seconds(7))
    let start = scenario.begin()
    scenario.broadcast.run(for: .seconds(60))
    let rates = rates(scenario, since: start)
    let figures = scenario.figures(since: start)
    #expect(rates.reduce(0, +) / rates.count >= 760)
    #expect(figures.outgoing.shown >= 98 && figures.outgoing.longestFreeze <= .milliseconds(400))
  }

  @Test(arguments: [10, 50, 200] as [Int64]) func `a path that becomes longer takes no rate`(before: Int64) throws {
    let scenario = try makeScenario(seed: 6) {
      $0.oneWay = .milliseconds(before)
      $0.jitter = .milliseconds(5)
    }
    scenario.broadcast.run(for: .seconds(7))
    let start = scenario.begin()
    scenario.call.network.oneWay = .milliseconds(before + 400)
    scenario.broadcast.run(for: .seconds(10))
    let figures = scenario.figures(since: start)
    let rates = rates(scenario, since: start + .seconds(3))
    #expect(rates.min()! >= 640)
    for figures in [figures.outgoing, figures.incoming] {
      #expect(figures.longestFreeze <= .milliseconds(1_400), "\(figures)")
    }
  }

  @Test(arguments: [10, 50, 100, 200, 400] as [Int64], [10, 50, 100] as [Int64])
  func `delay and jitter`(oneWay: Int64, jitter: Int64) throws {
    let scenario = try makeScenario(seed: 7) {
      $0.oneWay = .milliseconds(oneWay)
      $0.jitter = .milliseconds(jitter)
    }
    let figures = scenario.measure(for: .seconds(20))
    for figures in [figures.outgoing, figures.incoming] {
      #expect(figures.shown >= 95 && figures.isSound, "\(figures)")
      #expect(figures.longestFreeze <= .milliseconds(300), "\(figures)")
    }
  }
}
