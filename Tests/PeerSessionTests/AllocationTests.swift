import CTestSupport
import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct AllocationTests {
  #if DEBUG
    // Unoptimised code allocates an iterator whenever it walks over a range.
    private static let allowedPerPacket = 4
  #else
    private static let allowedPerPacket = 0
  #endif

  @Test(.enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"))
  func `media allocates nothing after warm-up`() throws { try check(hasTransportWide: false) }

  @Test(.enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"))
  func `numbering, pacing and estimating allocate nothing either`() throws { try check(hasTransportWide: true) }

  @Test(
    .enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"), arguments: [false, true])
  func `nor does what goes through a relay`(isStream: Bool) throws {
    try check(hasTransportWide: true, relayIsStream: isStream)
  }

  private func check(hasTransportWide: Bool, relayIsStream: Bool? = nil) throws {
    var setup = Call.Setup()
    setup.isReal = false
    setup.offer.hasTransportWide = hasTransportWide
    if relayIsStream != nil {
      setup.servers = RelayRig()
      setup.transportPolicy = .relay
    }
    let call = try Call(setup)
    if let relayIsStream { setup.servers?.open(1, isStream: relayIsStream, in: call) }
    call.connect()
    call.network.lossPercent = 5
    call.run(for: .seconds(5))
    call.network.lossPercent = 0
    call.run(for: .seconds(3))
    let rig = AllocationRig(call, isRelayed: relayIsStream != nil)
    // The first round of each sets up what Swift's runtime makes once; that of frames fills the history.
    _ = rig.sendFrames(300)
    _ = rig.receiveFrames(30)
    _ = rig.receiveReports(3)
    _ = rig.receiveTransportFeedback(3)
    for counts in [
      rig.receiveTransportFeedback(30), rig.sendFrames(300), rig.receiveFrames(300), rig.receiveReports(30),
    ] {
      #expect(
        counts.allocations <= counts.packets * Self.allowedPerPacket,
        "\(counts.allocations) allocations for \(counts.packets) packets")
      #expect(counts.packets >= 30)
    }
    #expect(rig.delivered > 600)
  }
}

/// Drives a connected session directly, so that only its own work is counted.
private final class AllocationRig {
  private let call: Call
  private var now: MonotonicInstant
  private var videoNumber: UInt32
  private var audioNumber: UInt32 = 1_000_000
  private var packets: [[UInt8]] = []
  private var payloads = FramePayloadPool()
  /// Packets come as ChannelData on the first channel.
  private let isRelayed: Bool

  init(_ call: Call, isRelayed: Bool) {
    self.call = call
    self.isRelayed = isRelayed
    now = call.now
    videoNumber = call.localVideoCount
    call.discardsOutput = true
  }

  var delivered: Int { call.collector.discardedCount }

  typealias Counts = (packets: Int, allocations: Int)

  private func counted(_ packets: Int, _ body: () -> Void) -> Counts {
    let before = callocation_count()
    body()
    return (packets, callocation_count() - before)
  }

  /// Sends pictures and sound.
  func sendFrames(_ count: Int) -> Counts {
    let key = TestFrame.video(0, isKeyFrame: true)
    let inter = TestFrame.video(1, isKeyFrame: false)
    let audio = TestFrame.audio(1)
    return counted(5 * count) {
      for index in 0..<count {
        now = now + .milliseconds(33)
        let isKeyFrame = index % 30 == 0
        let header = EncodedFrameHeader(
          kind: .video, timestamp: now, duration: .zero, isKeyFrame: isKeyFrame, number: videoNumber)
        let payload = payloads.copy(isKeyFrame ? key.span.bytes : inter.span.bytes)
        call.session.send(video: header, payload: payload, now: now)
        videoNumber += 1
        let sound = EncodedFrameHeader(
          kind: .audio, timestamp: now, duration: .milliseconds(20), isKeyFrame: true, number: audioNumber)
        call.session.send(audio: sound, payload: audio.span.bytes, now: now)
        audioNumber += 1
      }
    }
  }

  /// Receives pictures and sound, every 50th packet being lost and sent again.
  func receiveFrames(_ count: Int) -> Counts {
    var packets: [[UInt8]] = []
    for index in 0..<count {
      call.peer.sender.wantsKeyFrame = index % 30 == 0
      packets += call.peer.sender.makeVideo(captured: now + .milliseconds(33 * Int64(index)))
      packets.append(call.peer.sender.makeAudio(captured: now + .milliseconds(33 * Int64(index))))
    }
    for index in stride(from: 20, to: packets.count - 5, by: 50) { packets.swapAt(index, index + 3) }
    packets = packets.map(wrapped)
    return counted(packets.count) {
      for index in packets.indices {
        now = now + .milliseconds(8)
        feed(&packets[index])
      }
    }
  }

  func receiveReports(_ count: Int) -> Counts {
    var reports: [[UInt8]] = []
    for index in 0..<count {
      let report = call.peer.sender.makeReports(blocks: [], now: now + .milliseconds(10 * Int64(index)))
      reports.append(wrapped(report))
    }
    return counted(count) {
      for index in reports.indices {
        now = now + .milliseconds(10)
        feed(&reports[index])
      }
    }
  }

  /// Receives feedback on packets that were sent.
  func receiveTransportFeedback(_ count: Int) -> Counts {
    var reports = (0..<count).map {
      wrapped(call.peer.makeTransportReport($0, now: now + .milliseconds(50 * Int64($0))))
    }
    return counted(count) {
      for index in reports.indices {
        now = now + .milliseconds(50)
        feed(&reports[index])
      }
    }
  }

  private func wrapped(_ packet: [UInt8]) -> [UInt8] {
    guard isRelayed else { return packet }
    let head: [UInt8] = [0x40, 0, UInt8(packet.count >> 8), UInt8(packet.count & 255)]
    return head + packet + [UInt8](repeating: 0, count: -packet.count & 3)
  }

  private func feed(_ packet: inout [UInt8]) {
    var span = packet.mutableSpan
    var datagram = span.mutableBytes
    guard !isRelayed else { return call.session.receive(&datagram, over: TURNConnectionID(rawValue: 1), now: now) }
    call.session.receive(&datagram, from: Call.peerAddress, to: Call.sessionAddress, now: now)
  }
}
