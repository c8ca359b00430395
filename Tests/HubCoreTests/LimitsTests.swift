import Signalling
import Testing

@testable import HubCore

struct RateLimiterTests {
  private let start = Instant.now

  @Test func aFullBucketEmptiesAndRefillsEvenly() {
    var limiter = RateLimiter(perMinute: 3)
    for _ in 0..<3 { #expect(limiter.take("k", now: start) == nil) }
    #expect(limiter.take("k", now: start) == 20)
    #expect(limiter.take("other", now: start) == nil)
    #expect(limiter.take("k", now: start + .seconds(19)) == 1)
    #expect(limiter.take("k", now: start + .seconds(20)) == nil)
    #expect(limiter.take("k", now: start + .seconds(20)) != nil)
  }

  @Test func fullBucketsAreForgotten() {
    var limiter = RateLimiter(perMinute: 60)
    for key in 0..<100 { _ = limiter.take("\(key)", now: start) }
    limiter.trim(now: start)
    #expect(limiter.keyCount == 100)
    limiter.trim(now: start + .seconds(2))
    #expect(limiter.keyCount == 0)
  }
}

struct ArchiveTests {
  private let admin = Principal.person("admin", role: .operator)
  private let user = Principal.person("user")
  private let door = Principal.device("door")

  private func hub() throws -> VirtualHub {
    var hub = VirtualHub()
    try hub.goOnline(door)
    return hub
  }

  private func request(_ hub: inout VirtualHub, by requester: Principal, upload: String = "u") throws {
    try hub.state.request(
      .archive(ArchivePath(archiveID: "a1", file: "s.webm"), range: "bytes=0-9"), of: "door", by: requester,
      uploadID: upload, now: hub.now)
  }

  @Test func picturesAreForOperatorsAndFew() throws {
    var hub = try hub()
    func request(by requester: Principal, _ upload: String) throws {
      try hub.state.request(.snapshot(.main), of: "door", by: requester, uploadID: upload, now: hub.now)
    }
    #expect(throws: HubRefusal.notAllowed("snapshots of devices are for operators")) { try request(by: user, "u") }
    try request(by: admin, "u0")
    let event = try #require(hub.events(of: door).last)
    #expect(event.data.contains(#""path":"snapshot""#) && event.data.contains(#""maximumBytes":8388608"#))
    for number in 1..<120 {
      hub.state.finishUpload("u\(number - 1)")
      try request(by: admin, "u\(number)")
    }
    hub.state.finishUpload("u119")
    #expect(throws: HubRefusal.tooMany("snapshots", retryAfter: 1)) { try request(by: admin, "more") }
    // Recordings are counted apart.
    try self.request(&hub, by: admin, upload: "archive")
  }

  @Test func eventsAreForOperatorsAndCountedApart() throws {
    var hub = try hub()
    let span = try #require(TimelineSpan(start: 5, end: 10))
    func request(by requester: Principal, _ upload: String) throws {
      try hub.state.request(.events(span, after: nil), of: "door", by: requester, uploadID: upload, now: hub.now)
      hub.state.finishUpload(upload)
    }
    #expect(throws: HubRefusal.notAllowed("events of devices are for operators")) { try request(by: user, "u") }
    for number in 0..<90 { try request(by: admin, "u\(number)") }
    let event = try #require(hub.events(of: door).last)
    #expect(event.data.contains(#""path":"events/5-10""#) && event.data.contains(#""maximumBytes":1048576"#))
    #expect(throws: HubRefusal.tooMany("looks at the timeline", retryAfter: 1)) { try request(by: admin, "more") }
    try hub.state.request(.snapshot(.main), of: "door", by: admin, uploadID: "picture", now: hub.now)
  }

  @Test func theDeviceIsAskedAndItsUploadGoodOnce() throws {
    var hub = try hub()
    try request(&hub, by: admin)
    let event = try #require(hub.events(of: door).last)
    #expect(event.name == .request)
    #expect(event.data.contains(#""path":"archives/a1/s.webm""#) && event.data.contains(#""range":"bytes=0-9""#))
    #expect(throws: HubRefusal.notFound("no such upload")) { try hub.state.claimUpload("u", by: "user") }
    try hub.state.claimUpload("u", by: "door")
    #expect(throws: HubRefusal.notFound("no such upload")) { try hub.state.claimUpload("u", by: "door") }
  }

  @Test func archivesAreForOperators() throws {
    var hub = try hub()
    #expect(throws: HubRefusal.notAllowed("archives are for operators")) { try request(&hub, by: user) }
    try request(&hub, by: door)
    let outsider = Principal.person("o", role: .operator, groups: ["other"])
    #expect(throws: HubRefusal.receiverOffline) { try request(&hub, by: outsider, upload: "v") }
  }

  @Test func aSilentDeviceIsGivenUp() throws {
    var hub = try hub()
    try request(&hub, by: admin)
    hub.advance(seconds: 14)
    #expect(hub.state.drainActions().expiredUploads.isEmpty)
    hub.advance(seconds: 1)
    #expect(hub.state.drainActions().expiredUploads == ["u"])
    #expect(throws: HubRefusal.self) { try hub.state.claimUpload("u", by: "door") }
  }

  @Test func aClaimedUploadIsNotGivenUp() throws {
    var hub = try hub()
    try request(&hub, by: admin)
    try hub.state.claimUpload("u", by: "door")
    hub.advance(seconds: 30)
    #expect(hub.state.drainActions().expiredUploads.isEmpty)
    hub.state.finishUpload("u")
    #expect(hub.state.gauges.archiveTransfers == 0)
  }

  @Test func transfersOfOneUserAreLimited() throws {
    var hub = try hub()
    for number in 0..<8 { try request(&hub, by: admin, upload: "\(number)") }
    #expect(throws: HubRefusal.self) { try request(&hub, by: admin, upload: "8") }
    hub.state.finishUpload("0")
    try request(&hub, by: admin, upload: "8")
  }

  @Test(arguments: ["..", ".hidden", "a/b", "", "a b", "ä", "a\u{0}", String(repeating: "x", count: 129)])
  func namesThatCouldLeadElsewhereAreRefused(name: String) {
    #expect(throws: HubRefusal.self) { try ArchivePath(archiveID: name) }
    #expect(throws: HubRefusal.self) { try ArchivePath(archiveID: "a", file: name) }
  }

  @Test func pathsAreWrittenAsTheDeviceReadsThem() throws {
    #expect(try ArchivePath().text == "archives")
    #expect(try ArchivePath(archiveID: "2f1c-9").text == "archives/2f1c-9")
    #expect(try ArchivePath(archiveID: "a", file: "track.gpx").text == "archives/a/track.gpx")
  }
}

struct TokenClaimsTests {
  @Test func claimsHoldFromTheirIssueToTheirEnd() {
    let claims = AccessClaims(userID: "u", role: .user, issuedAt: 1_000, lifetime: 100, tokenID: "t")
    #expect(claims.isValid(at: 1_000) && claims.isValid(at: 1_099) && !claims.isValid(at: 1_100))
    #expect(!claims.isValid(at: 900))
  }

  @Test func aSessionTokenIsNoAccessToken() {
    var claims = AccessClaims(userID: "u", role: .user, issuedAt: 1_000, lifetime: 100, tokenID: "t")
    claims.aud = SessionClaims.audience
    #expect(!claims.isValid(at: 1_000))
  }
}
