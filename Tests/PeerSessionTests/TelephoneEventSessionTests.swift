import MediaCore
import PeerSession
import RTP
import Testing

@Suite("Keys of the peer's telephone") struct TelephoneEventSessionTests {
  private static func digits(_ call: Call) -> [DTMFDigit] {
    call.events.compactMap { if case .digitReceived(let digit) = $0.event { digit } else { nil } }
  }

  private static func makeCall(hasTelephoneEvents: Bool) throws -> Call {
    var setup = Call.Setup()
    setup.offer.hasTelephoneEvents = hasTelephoneEvents
    let call = try Call(setup)
    call.connect()
    call.run(for: .seconds(1))
    return call
  }

  /// Presses a key for 100 ms, in whose packets the sound's stand aside.
  private static func press(_ code: UInt8, _ timestamp: UInt32, _ call: Call) {
    call.peerSends = false
    for step in 0..<7 {
      call.peer.sendTelephoneEvent(code, at: timestamp, isEnd: step > 3, now: call.now)
      call.run(for: .milliseconds(20))
    }
    call.peerSends = true
    call.run(for: .milliseconds(500))
  }

  @Test func eachIsToldOnceAndTheSoundGoesOn() throws {
    let call = try Self.makeCall(hasTelephoneEvents: true)
    #expect(call.session.localDescription.contains("a=rtpmap:110 telephone-event/48000\r\na=fmtp:110 0-15\r\n"))
    for (index, code) in [UInt8(1), 1, 11].enumerated() { Self.press(code, UInt32(index) * 48_000, call) }
    #expect(Self.digits(call).map(\.description) == ["1", "1", "#"])
    // Its packets are numbered among the sound's, and none of those is missed.
    #expect(call.session.statistics.receivePacketsLost == 0)
    let last = try #require(call.collector.frames.audio.last)
    #expect(call.now - last.timestamp < .milliseconds(100))
  }

  @Test func ofWhatWasNotAgreedNothingIsTold() throws {
    let call = try Self.makeCall(hasTelephoneEvents: false)
    #expect(!call.session.localDescription.contains("telephone-event"))
    Self.press(1, 0, call)
    #expect(Self.digits(call).isEmpty)
  }
}
