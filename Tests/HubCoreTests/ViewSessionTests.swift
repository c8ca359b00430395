import Signalling
import Testing

@testable import HubCore

/// Sessions of viewers, in virtual time.
@Suite struct ViewSessionTests {
  private let door = Principal.device("door")
  private let account = Principal.person("anna", role: .operator)
  private var viewer: Principal { .viewer(of: account, loginID: "login") }

  private func hub(endsAfter length: Duration? = nil) throws -> VirtualHub {
    var hub = VirtualHub()
    try hub.goOnline(door)
    try hub.connect(viewer)
    try hub.call("s", from: viewer, .call("door"), endsAfter: length)
    try hub.state.answer("s", by: "door", sdp: "sdp", now: hub.now)
    return hub
  }

  @Test func aViewerIsASubscriberWhateverTheAccountIs() throws {
    var hub = VirtualHub()
    try hub.goOnline(door)
    let context = try hub.state.prepareCall("s", from: viewer, .call("door"), now: hub.now)
    #expect(context.callerRole == .subscriber && viewer.userID == "viewer-anna" && viewer.groups == account.groups)
  }

  @Test func aViewLastsWithoutStreamUntilItsTimeIsOver() throws {
    var hub = try hub(endsAfter: .seconds(600))
    hub.disconnect(viewer)
    // What is not read for a minute is forgotten.
    _ = hub.events(of: door)
    hub.advance(seconds: 599)
    #expect(hub.state.gauges.liveSessions == 1)
    hub.advance(seconds: 1)
    let last = try #require(hub.events(of: door).last)
    #expect(hub.state.gauges.liveSessions == 0 && last.name == .callEnded && last.data.contains("max-duration"))
  }

  @Test func aViewEndsWithItsDeviceAndWhenTheViewerIsShutOut() throws {
    var hub = try hub()
    hub.disconnect(viewer)
    hub.state.withdrawPresence(userID: viewer.userID, now: hub.now)
    #expect(hub.state.gauges.liveSessions == 0)
    hub = try self.hub()
    hub.disconnect(door)
    hub.advance(seconds: 60)
    #expect(hub.state.gauges.liveSessions == 0)
  }

  @Test func theNewestOfferOfTheViewerIsKept() throws {
    var hub = try hub()
    try hub.state.offer("s", by: "door", sdp: "the device's", now: hub.now)
    #expect(hub.state.ongoingCall("s", now: hub.now)?.view == CallView(offer: "offer"))
    try hub.state.offer("s", by: viewer.userID, sdp: "again", now: hub.now)
    let view = try #require(hub.state.ongoingCall("s", now: hub.now)?.view)
    #expect(view.offer == "again" && view.generation == 1)
  }

  @Test func aRecordReadsBack() throws {
    let hub = try hub(endsAfter: .seconds(600))
    let session = try #require(hub.state.sessions["s"])
    let record = session.record(milliseconds: { Int64(hub.now.duration(to: $0) / .milliseconds(1)) })
    let read = CallSession(record, instant: { hub.now + .milliseconds($0) })
    #expect(read.view == session.view && read.caller == session.caller)
    #expect(read.deadline(HubLimits())?.time == session.deadline(HubLimits())?.time)
    // What is not answered in time ends sooner than its time.
    var ringing = VirtualHub()
    try ringing.goOnline(door)
    try ringing.call("t", from: viewer, .call("door"), endsAfter: .seconds(600))
    #expect(ringing.state.sessions["t"]?.deadline(HubLimits())?.reason == .unanswered)
  }

  @Test func viewersMeetDevicesAloneAndNobodyMeetsThem() {
    let other = Principal.person("bert")
    #expect(door.sharesGroup(with: viewer) && !other.sharesGroup(with: viewer) && !viewer.sharesGroup(with: door))
    let link = Principal(
      userID: "viewer-1", userTitle: "Wall", role: .viewer, kind: .person, groups: [],
      guest: GuestScope(target: .device("door"), media: .watch), viewer: .link("1"))
    #expect(door.sharesGroup(with: link) && !Principal.device("gate").sharesGroup(with: link))
  }

  @Test func viewsHaveALimitOfTheirOwn() throws {
    var hub = VirtualHub()
    try hub.goOnline(door)
    for _ in 0..<hub.state.limits.viewsPerMinute {
      _ = try hub.state.prepareCall("s", from: viewer, .call("door"), now: hub.now)
    }
    #expect(throws: HubRefusal.tooMany("calls", retryAfter: 1)) {
      try hub.state.prepareCall("s", from: viewer, .call("door"), now: hub.now)
    }
    _ = try hub.state.prepareCall("s", from: account, .call("door"), now: hub.now)
  }
}
