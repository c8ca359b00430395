import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct TransportFeedbackSessionTests {
  private func makeCall(_ change: (inout Call.Setup) -> Void = { _ in }) throws -> Call {
    var setup = Call.Setup()
    setup.offer.hasTransportWide = true
    change(&setup)
    return try Call(setup)
  }

  @Test func `the peer learns when each of its packets arrived`() throws {
    let call = try makeCall()
    call.network.lossPercent = 5
    call.connect()
    call.run(for: .seconds(10))
    let reports = call.peer.transportReports
    // A report each 50 to 100 ms.
    #expect((100...200).contains(reports.count))
    for (report, following) in zip(reports, reports.dropFirst()) {
      // Some of them get lost.
      let count = following.number &- report.number
      #expect(following.at - report.at <= .milliseconds(160) * Int64(count))
      #expect(following.number != report.number)
    }
    // The network's 10 ms lie between sending and arrival.
    var told = 0
    for case let (number, time?) in reports.flatMap(\.arrivals).map({ ($0.sequenceNumber, $0.time) }) {
      let sent = try #require(call.peer.sender.sendingTimes[number])
      let arrival = MonotonicInstant(nanoseconds: time.nanoseconds)
      #expect((9_500_000...10_250_000).contains((arrival - sent).nanoseconds))
      told += 1
    }
    #expect(told > 1_000)
  }

  @Test func `packets name their m-line, whatever their source`() throws {
    let call = try makeCall()
    call.connect()
    call.run(for: .seconds(1))
    let frames = call.collector.frames.video.count
    #expect(frames > 20)
    // A stranger to both m-lines is not taken for one of them.
    call.peer.sender.mid = "zz"
    call.peer.sender.changeVideoSource(to: SSRC(0x7777_7777))
    call.run(for: .seconds(2))
    let after = call.collector.frames.video.count
    #expect(after <= frames + 2)
    call.peer.sender.mid = "v"
    call.run(for: .seconds(1))
    #expect(call.collector.frames.video.count > after)
  }

  @Test func `one stream of a simulcast is followed`() throws {
    let call = try makeCall()
    call.peer.sender.rid = "h"
    call.connect()
    call.run(for: .seconds(2))
    #expect(call.collector.frames.video.count > 50)
    let count = call.collector.frames.video.count
    call.peer.sender.rid = "l"
    call.peer.sender.changeVideoSource(to: SSRC(0x7777_7777))
    call.run(for: .seconds(2))
    #expect(call.collector.frames.video.count <= count + 1)
  }

  @Test func `sound tells how loud it is`() throws {
    let call = try makeCall()
    call.peer.sender.audioLevel = AudioLevel(attenuation: 42, isVoice: true)
    call.connect()
    call.run(for: .seconds(1))
    #expect(call.session.statistics.receivedAudioLevel == 42)
    #expect(call.peer.heardLevels.count > 20)
    #expect(call.peer.heardLevels.allSatisfy { $0 == 33 })
  }

  @Test func `a party that only receives learns its round trip`() throws {
    let call = try makeCall { $0.publish = [] }
    call.network.oneWay = .milliseconds(60)
    call.connect()
    call.run(for: .seconds(5))
    #expect(call.session.statistics.roundTripTime.map { (118...124).contains($0.milliseconds) } == true)
  }

  @Test(arguments: [
    (["goog-remb"], 0, 0), (["ccm fir"], 0, 1), (["nack", "nack pli"], 1, 1), (["nack", "ccm fir"], 1, 1),
  ])
  func `asks for nothing that was not agreed`(feedback: [String], asksForPackets: Int, asksForKeyFrames: Int) throws {
    let call = try makeCall { $0.offer.videoFeedback = feedback }
    call.connect()
    call.run(for: .seconds(1))
    call.peer.answersNacks = false
    call.network.lossPercent = 20
    call.run(for: .seconds(3))
    let packets = call.peer.feedbackCount { if case .nack = $0 { true } else { false } }
    let losses = call.peer.feedbackCount { if case .pictureLossIndication = $0 { true } else { false } }
    let commands = call.peer.feedbackCount { if case .fullIntraRequest = $0 { true } else { false } }
    #expect((packets > 0) == (asksForPackets > 0))
    #expect((losses + commands > 0) == (asksForKeyFrames > 0))
    #expect((commands > 0) == (feedback.contains("ccm fir") && !feedback.contains("nack pli")))
  }

  @Test func `a source that said goodbye is replaced at once`() throws {
    let call = try makeCall()
    call.connect()
    call.run(for: .seconds(2))
    call.peer.send(
      rtcp: writtenOctets { (buffer) throws(InsufficientSpace) in
        var writer = ByteWriter(overwriting: &buffer)
        let none: [ReportBlock] = []
        try RTCPWriter.writeReceiverReport(ssrc: TestPeer.videoSSRC, blocks: none.span, to: &writer)
        try RTCPWriter.writeGoodbye(ssrc: TestPeer.videoSSRC, to: &writer)
        return writer.count
      }!)
    call.drain()
    call.run(for: .milliseconds(15))
    let before = try #require(call.collector.frames.video.last?.arrival)
    call.peer.sender.changeVideoSource(to: SSRC(0x7777_7777))
    call.run(for: .milliseconds(200))
    let next = try #require(call.collector.frames.video.first { $0.arrival > before })
    #expect(next.arrival - before < .milliseconds(100))
    #expect(next.isKeyFrame)
  }
}
