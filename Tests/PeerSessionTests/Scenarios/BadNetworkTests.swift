import MediaCore
import PeerSession
import Testing
import TransportCrypto

/// Calls over networks that lose, delay, reorder and repeat, both ways at once.
///
/// The bounds leave some room around what was measured, which docs/guides/network.md tells.
@Suite struct BadNetworkTests {
  /// A network, and what a call over it has to hold in each direction.
  struct Case: Sendable, CustomTestStringConvertible {
    var loss: UInt64
    var roundTrip: Int64
    /// Pictures shown, in percent.
    var shown: Double
    /// In milliseconds.
    var freeze: Int64

    var testDescription: String { "\(loss) % loss, \(roundTrip) ms" }

    init(_ loss: UInt64, _ roundTrip: Int64, _ shown: Double, _ freeze: Int64) {
      (self.loss, self.roundTrip, self.shown, self.freeze) = (loss, roundTrip, shown, freeze)
    }
  }

  static let cases = [
    Case(0, 20, 99, 100), Case(0, 100, 99, 100), Case(0, 400, 99, 100), Case(0, 800, 99, 100),
    Case(1, 20, 98, 200), Case(1, 100, 97, 400), Case(1, 400, 92, 1_200), Case(1, 800, 88, 2_200),
    Case(5, 20, 97, 250), Case(5, 100, 90, 500), Case(5, 400, 75, 2_000), Case(5, 800, 55, 3_000),
    Case(10, 20, 95, 300), Case(10, 100, 90, 700), Case(10, 400, 45, 2_500), Case(10, 800, 35, 6_000),
    Case(20, 20, 92, 450), Case(20, 100, 70, 1_300), Case(20, 400, 20, 3_500), Case(20, 800, 5, 6_000),
    Case(30, 20, 85, 1_500), Case(30, 100, 55, 1_800), Case(30, 400, 8, 5_000), Case(30, 800, 3, 9_000),
  ]

  @Test(arguments: cases) func `loss and delay`(network: Case) throws {
    let scenario = try Scenario(seed: 1) {
      $0.oneWay = .milliseconds(network.roundTrip / 2)
      $0.lossPercent = network.loss
    }
    #expect(scenario.setUp <= .milliseconds(500 + network.roundTrip * 2 + Int64(network.loss) * 100))
    let measured = scenario.measure(for: .seconds(20))
    for figures in [measured.outgoing, measured.incoming] {
      #expect(figures.shown >= network.shown, "\(figures)")
      #expect(figures.longestFreeze <= .milliseconds(network.freeze), "\(figures)")
      #expect(figures.isSound && figures.maxKeyFrameRequests <= 2)
      #expect(figures.missingSound <= Double(network.loss) * 1.3 + 2, "\(figures)")
    }
    #expect(measured.outgoing.overhead <= Double(network.loss) + 2, "\(measured.outgoing)")
    // What waits on the sending side and in the receiver is bounded.
    let timeout = network.roundTrip <= 100 ? 900 : network.roundTrip * 8
    #expect(measured.outgoing.lateness <= .milliseconds(timeout), "\(measured.outgoing)")
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `5 percent loss at 100 ms for a minute`(seed: UInt64) throws {
    let scenario = try Scenario(seed: seed) {
      $0.oneWay = .milliseconds(50)
      $0.lossPercent = 5
    }
    let measured = scenario.measure(for: .seconds(60))
    for figures in [measured.outgoing, measured.incoming] {
      #expect(figures.shown >= 90 && figures.longestFreeze <= .milliseconds(500), "\(figures)")
      #expect(figures.missingSound <= 10 && figures.maxKeyFrameRequests <= 2 && figures.isSound, "\(figures)")
    }
  }

  /// What else networks do to datagrams, at a round trip of 100 ms.
  enum Trouble: CaseIterable {
    case shortBursts, longBursts, scatter, duplicates, jitter, everything
  }

  @Test(arguments: Trouble.allCases) func `troubles of other kinds`(trouble: Trouble) throws {
    let scenario = try Scenario(seed: 4) { network in
      network.oneWay = .milliseconds(50)
      switch trouble {
      case .shortBursts: network.bursts = burst(entering: 1, leaving: 30)
      case .longBursts: network.bursts = burst(entering: 1, leaving: 8)
      case .scatter: network.scatter = .milliseconds(100)
      case .duplicates: network.duplicatePercent = 5
      case .jitter: network.jitter = .milliseconds(60)
      case .everything:
        network.bursts = burst(entering: 1, leaving: 30)
        network.scatter = .milliseconds(40)
        network.duplicatePercent = 5
      }
    }
    let measured = scenario.measure(for: .seconds(30))
    let isHard = trouble == .longBursts
    for figures in [measured.outgoing, measured.incoming] {
      #expect(figures.shown >= (isHard ? 75 : 90), "\(trouble): \(figures)")
      #expect(figures.longestFreeze <= .milliseconds(isHard ? 900 : 600), "\(trouble): \(figures)")
      #expect(figures.isSound && figures.maxKeyFrameRequests <= 2, "\(trouble): \(figures)")
      #expect(figures.missingSound <= (isHard ? 14 : 8), "\(trouble): \(figures)")
    }
  }

  private func burst(entering: UInt64, leaving: UInt64) -> (BurstLoss, BurstLoss) {
    let burst = BurstLoss(entering: entering, leaving: leaving)
    return (burst, burst)
  }

  /// All that comes is late for a second, as behind a radio link that repeats: nothing is lost by that.
  @Test func `a burst of delay loses no frame that comes`() throws {
    let scenario = try Scenario(seed: 5) { $0.jitter = .milliseconds(1) }
    let start = scenario.begin()
    scenario.call.network.oneWay = .milliseconds(410)
    scenario.broadcast.run(for: .seconds(1))
    scenario.call.network.oneWay = .milliseconds(10)
    scenario.broadcast.run(for: .seconds(3))
    let figures = scenario.figures(since: start)
    for figures in [figures.outgoing, figures.incoming] {
      #expect(figures.shown >= 98 && figures.longestFreeze <= .milliseconds(480), "\(figures)")
      #expect(figures.isSound && figures.missingSound <= 3, "\(figures)")
    }
  }

  /// ICE and DTLS with real cryptography, 30 % lost each way.
  @Test(arguments: [DTLSRole.server, .client])
  func `calls come up through heavy loss`(role: DTLSRole) throws {
    var waits: [TimeSpan] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      var setup = Call.Setup()
      setup.role = role
      setup.seed = seed
      let call = try Call(setup)
      call.network.oneWay = .milliseconds(50)
      call.network.lossPercent = 30
      let start = call.now
      call.run(for: .seconds(30)) { call.connectedAt != nil && call.peer.connectedAt != nil || call.end != nil }
      waits.append(call.end == nil ? call.now - start : .seconds(30))
    }
    waits.sort()
    #expect(waits[94] <= .seconds(10), "the longest waits: \(waits.suffix(6).map(\.milliseconds)) ms")
    #expect(waits[49] <= .seconds(2))
  }
}
