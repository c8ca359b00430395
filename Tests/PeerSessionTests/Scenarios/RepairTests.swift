import CongestionControl
import MediaCore
import PeerSession
import Testing

/// Viewers who wait for each lost packet, as browsers and aiortc do.
@Suite struct RepairTests {
  enum Line: CaseIterable { case perfect, tenth, bursts }

  /// aiortc asks when it sees a gap, and does not notice that its request or the answer was lost.
  @Test(arguments: 1...6 as ClosedRange<UInt64>, [Line.tenth, .bursts])
  func `who asks only on gaps is made to ask`(seed: UInt64, line: Line) throws {
    let figures = try Self.measure(.onGaps, line, seed: seed)
    #expect(figures.shown >= 95)
    #expect(figures.longest <= .milliseconds(650))
    #expect(figures.duplicates * 50 <= figures.sent)
  }

  @Test func `nobody is made to ask on a line that loses nothing`() throws {
    let figures = try Self.measure(.onGaps, .perfect, seed: 1)
    #expect(figures.requested == 0 && figures.resent == 0)
  }

  @Test func `who repeats requests is not made to ask`() throws {
    let figures = try Self.measure(.repeated, .tenth, seed: 1, hasTransportWide: false)
    #expect(figures.shown >= 95)
    // A packet is asked for once or twice.
    #expect(figures.requested <= figures.resent * 3 / 2)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, [Line.tenth, .bursts])
  func `who repeats requests has short pauses`(seed: UInt64, line: Line) throws {
    let figures = try Self.measure(.repeated, line, seed: seed, hasTransportWide: true)
    #expect(figures.shown >= 95)
    #expect(figures.pauses <= 2)
  }

  static func measure(
    _ habit: PatientReceiver.Habit, _ line: Line, seed: UInt64, hasTransportWide: Bool = false
  ) throws -> RepairFigures {
    let call = try makeCall(seed: seed, hasTransportWide: hasTransportWide)
    call.peer.receiver.patient = PatientReceiver(habit)
    let broadcast = Broadcast([call], maximum: .kilobits(950), layers: 3, habits: .lifelike, seed: seed)
    broadcast.owner.floor = .kilobits(150)
    broadcast.run(for: .seconds(10))
    if line == .tenth { call.network.lossPercent = 10 }
    if line == .bursts {
      let burst = BurstLoss(ofLength: 5, perThousand: 30)
      call.network.bursts = (burst, burst)
    }
    broadcast.run(for: .seconds(5))
    return RepairFigures(of: broadcast, for: .seconds(60))
  }

  /// A round trip takes 80 ms.
  private static func makeCall(seed: UInt64, hasTransportWide: Bool) throws -> Call {
    var setup = Call.Setup()
    setup.offer.hasTransportWide = hasTransportWide
    setup.isReal = false
    setup.seed = seed
    setup.sendLimit = .kilobits(1_225)
    let call = try Call(setup)
    call.network.oneWay = .milliseconds(40)
    return call
  }
}

/// What somebody who waits for each packet sees of a broadcast.
struct RepairFigures {
  /// Pictures shown, in percent.
  var shown: Double
  var longest: TimeSpan
  /// Times of more than half a second without a picture.
  var pauses: Int
  /// The encoder's mean rate.
  var kilobits: Double
  /// Packets sent, sent again, come more than once, and how often one was asked for.
  var sent: Int
  var resent: Int
  var duplicates: Int
  var requested: Int

  init(of broadcast: Broadcast, for span: TimeSpan) {
    let call = broadcast.calls[0]
    let (start, count, before) = (call.now, broadcast.frameCount, call.session.statistics)
    let receiver = call.peer.receiver.patient!
    broadcast.run(for: span)
    let arrivals = call.peer.receiver.frames.video.map(\.arrival).filter { $0 > start }
    shown = 100 * Double(arrivals.count) / Double(broadcast.frameCount - count)
    let times = [start] + arrivals + [call.now]
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    longest = gaps.max()!
    pauses = gaps.count { $0 > .milliseconds(500) }
    let rates = broadcast.rates.filter { $0.at > start }.map(\.kilobits)
    kilobits = Double(rates.reduce(0, +)) / Double(rates.count)
    sent = Int(call.session.statistics.packetsSent - before.packetsSent)
    resent = Int(call.session.statistics.packetsResent - before.packetsResent)
    duplicates = call.peer.receiver.patient!.duplicateCount - receiver.duplicateCount
    requested = call.peer.receiver.patient!.requestCount - receiver.requestCount
  }
}
