import MediaCore
import PeerSession
import RTP
import SDP
import Testing

/// The peer is the test's own, so that its offers can be anything.
@Suite struct DirectionTests {
  /// A call in which the peer may offer again.
  private final class Course {
    let call: Call
    var offer: OfferTemplate

    init(
      _ offer: OfferTemplate = OfferTemplate(), transportWide: Bool = false,
      subscribe: Set<MediaKind> = [.audio, .video]
    ) throws {
      var setup = Call.Setup()
      setup.subscribe = subscribe
      setup.offer = offer
      setup.offer.hasTransportWide = transportWide
      call = try Call(setup)
      self.offer = setup.offer
      call.peer.fill(&self.offer)
      call.connect()
      call.run(for: .seconds(1))
    }

    @discardableResult
    func renegotiate() throws -> SDPSession {
      let answer = try SessionDescriptionParser.parse(
        call.session.renegotiate(offer: offer.text, now: call.now))
      call.peer.receiver.take(answer)
      call.drain()
      return answer
    }

    func sent(_ kind: MediaKind) -> Int { call.peer.receiver.frames[kind].count }
    func received(_ kind: MediaKind) -> Int { call.collector.frames[kind].count }
  }

  @Test(arguments: ["sendonly", "inactive"])
  func `a peer that no longer wants pictures gets none until it does`(direction: String) throws {
    let course = try Course()
    let ssrc = course.call.peer.announcedVideo
    course.offer.video = direction
    let answer = try course.renegotiate()
    #expect(answer.media[1].direction == (direction == "inactive" ? .inactive : .recvonly))
    #expect(course.call.session.sentKinds == [.audio])
    course.call.run(for: .milliseconds(100))
    let (video, audio) = (course.sent(.video), course.sent(.audio))
    course.call.run(for: .seconds(3))
    #expect(course.sent(.video) == video)
    #expect(course.sent(.audio) >= audio + 145)
    course.offer.video = "sendrecv"
    try course.renegotiate()
    course.call.run(for: .seconds(1))
    let resumed = course.call.peer.receiver.frames.video[video...]
    #expect(resumed.first?.isKeyFrame == true)
    #expect(resumed.count >= 27)
    #expect(course.call.peer.announcedVideo == ssrc)
    #expect(course.call.end == nil)
  }

  /// The peer sends all the same, in this test.
  @Test func `what is not subscribed is taken under no offer`() throws {
    let course = try Course(subscribe: [])
    #expect(course.received(.video) == 0 && course.received(.audio) == 0)
    for direction in ["sendonly", "sendrecv"] {
      course.offer.video = direction
      course.offer.audio = direction
      let answer = try course.renegotiate()
      #expect(answer.media.allSatisfy { !$0.direction.receives })
      course.call.run(for: .seconds(1))
      #expect(course.received(.video) == 0 && course.received(.audio) == 0)
    }
    #expect(course.call.session.sentKinds == [.audio, .video] && course.sent(.video) > 0)
    #expect(course.call.session.statistics.packetsReceived > 0)
  }

  @Test func `sequence numbers, timestamps and transport-wide numbers go on after a pause`() throws {
    let course = try Course(transportWide: true)
    course.offer.video = "inactive"
    course.offer.audio = "inactive"
    try course.renegotiate()
    course.call.peerSends = false
    course.call.run(for: .seconds(2))
    course.call.peerSends = true
    course.call.peer.sender.wantsKeyFrame = true
    let reports = course.call.peer.feedback.count
    course.offer.video = "sendrecv"
    course.offer.audio = "sendrecv"
    try course.renegotiate()
    course.call.run(for: .seconds(2))
    // The peer's receivers were never made anew: a number out of place would show as a loss or a late packet.
    let blocks = course.call.peer.feedback.dropFirst(reports)
    #expect(!blocks.contains { if case .nack = $0.item { true } else { false } })
    #expect(course.call.peer.receiver.frames.isIntactAndInOrder(.audio))
    #expect(course.call.peer.receiver.frames.isIntactAndInOrder(.video))
    #expect(course.call.session.statistics.packetsResent == 0)
    let estimate = try #require(course.call.session.statistics.sendEstimate)
    #expect(estimate.bitsPerSecond >= 400_000)
  }

  @Test func `a peer that mutes itself is not waited for`() throws {
    let course = try Course()
    course.offer.video = "recvonly"
    course.offer.audio = "recvonly"
    let answer = try course.renegotiate()
    #expect(answer.media.map(\.direction) == [.sendonly, .sendonly])
    course.call.peerSends = false
    course.call.run(for: .milliseconds(100))
    let requests = course.call.peer.feedback.count { if case .pictureLossIndication = $0.item { true } else { false } }
    course.call.run(for: .seconds(5))
    #expect(
      requests == course.call.peer.feedback.count { if case .pictureLossIndication = $0.item { true } else { false } })
    let video = course.received(.video)
    course.offer.video = "sendrecv"
    course.offer.audio = "sendrecv"
    try course.renegotiate()
    course.call.peerSends = true
    course.call.peer.sender.wantsKeyFrame = true
    course.call.run(for: .seconds(1))
    #expect(course.received(.video) >= video + 25)
    #expect(course.call.collector.frames.isDecodable)
  }

  @Test func `what comes although it was not agreed is passed over`() throws {
    let course = try Course()
    course.offer.video = "recvonly"
    try course.renegotiate()
    let video = course.received(.video)
    course.call.run(for: .seconds(2))
    #expect(course.received(.video) <= video + 1)
    #expect(course.received(.audio) >= 145)
  }

  @Test func `video is added to a call of sound alone, and begins with a key frame`() throws {
    let course = try Course(OfferTemplate(video: nil))
    #expect(course.call.session.sentKinds == [.audio])
    course.offer.video = "sendrecv"
    let answer = try course.renegotiate()
    #expect(answer.media.map(\.port) == [9, 9])
    #expect(course.call.session.sentKinds == [.audio, .video])
    course.call.peer.sender.wantsKeyFrame = true
    course.call.run(for: .seconds(2))
    #expect(course.call.peer.receiver.frames.video.first?.isKeyFrame == true)
    #expect(course.sent(.video) >= 55)
    #expect(course.received(.video) >= 50)
    #expect(course.call.collector.frames.isDecodable)
  }

  @Test func `a kind that is removed and comes back has the same source`() throws {
    let course = try Course()
    let ssrc = try #require(course.call.peer.announcedVideo)
    let whole = course.offer.text
    let removed = whole.replacing("m=video 9", with: "m=video 0")
    let answer = try SessionDescriptionParser.parse(
      course.call.session.renegotiate(offer: removed, now: course.call.now))
    #expect(answer.media.map(\.port) == [9, 0])
    course.call.run(for: .milliseconds(100))
    let video = course.sent(.video)
    course.call.run(for: .seconds(1))
    #expect(course.sent(.video) == video)
    let again = try course.call.session.renegotiate(
      offer: whole.replacing("a=mid:v", with: "a=mid:w").replacing("BUNDLE a v", with: "BUNDLE a w"),
      now: course.call.now)
    #expect(try SessionDescriptionParser.parse(again).media[1].sources.first?.ssrc == ssrc.rawValue)
    course.call.run(for: .seconds(1))
    #expect(course.call.peer.receiver.frames.video[video...].first?.isKeyFrame == true)
    #expect(course.sent(.video) >= video + 27)
  }

  @Test func `an ICE restart of the peer's is followed`() throws {
    let course = try Course()
    let before = course.call.session.localDescription
    course.offer.usernameFragment = "news"
    course.offer.password = "zyxwvutsrqponmlkjihgfedc"
    let answer = try course.renegotiate()
    let old = try SessionDescriptionParser.parse(before).media[0].transport
    #expect(answer.media[0].transport.iceUsernameFragment != old.iceUsernameFragment)
    #expect(answer.media[0].transport.icePassword != old.icePassword)
    #expect(answer.media[0].transport.setup == old.setup)
    // The peer does nothing about it: the old path carries on.
    let video = course.sent(.video)
    course.call.run(for: .seconds(3))
    #expect(course.sent(.video) >= video + 85)
    #expect(course.call.end == nil)
  }
}
