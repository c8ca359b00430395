import Testing

@testable import ObjectStorage

/// What is learned from refusals that stores are known to give.
@Suite struct StoreHabitsTests {
  private static func place(_ endpoint: String = "s3.us-east-1.amazonaws.com", isPathStyle: Bool = true) -> StorePlace {
    StorePlace(endpoint: endpoint, region: "us-east-1", bucket: "recordings", isPathStyle: isPathStyle)
  }

  private func adapted(
    _ refusal: StorageRefusal, hasChecksum: Bool = true, fixed: PayloadChecksum.Kind? = nil, now: Int64 = 0
  ) -> StoreHabits? {
    var negotiation = StoreNegotiation(StoreHabits(Self.place(), checksum: fixed))
    return negotiation.adapt(to: refusal, hasChecksum: hasChecksum, now: now) ? negotiation.habits : nil
  }

  private static func refusal(_ status: Int, _ code: String, _ message: String = "") -> StorageRefusal {
    StorageRefusal(status: status, error: StorageError(code: code, message: message))
  }

  // MARK: Checksums

  @Test(arguments: [
    refusal(400, "InvalidArgument", "Unsupported header 'x-amz-checksum-sha256' received for this API call."),
    refusal(501, "NotImplemented", "Header 'x-amz-checksum-algorithm' with value 'SHA256' not implemented"),
    refusal(400, "InvalidHeader", "x-amz-CHECKSUM-sha256 is not supported"), refusal(403, "SignatureDoesNotMatch"),
    StorageRefusal(status: 400), StorageRefusal(status: 501),
  ])
  func aStoreThatDoesNotKnowTheFieldGetsNone(refusal: StorageRefusal) {
    #expect(adapted(refusal)?.checksum == PayloadChecksum.Kind.none)
    #expect(adapted(refusal, hasChecksum: false) == nil)
    #expect(adapted(refusal, fixed: .sha256) == nil && adapted(refusal, fixed: .md5) == nil)
  }

  @Test(arguments: [
    refusal(400, "MissingContentMD5"),
    refusal(
      400, "InvalidRequest", "Content-MD5 HTTP header is required for Put Object requests with Object Lock parameters"),
  ])
  func aStoreThatWantsMD5GetsIt(refusal: StorageRefusal) {
    #expect(adapted(refusal)?.checksum == .md5)
  }

  @Test(arguments: [
    refusal(400, "BadDigest", "the checksum did not match"), refusal(403, "AccessDenied"), refusal(404, "NoSuchBucket"),
    refusal(403, "InvalidAccessKeyId"), refusal(503, "SlowDown"), refusal(400, "EntityTooSmall"),
    StorageRefusal(status: 500),
  ])
  func whatIsAboutSomethingElseTeachesNothing(refusal: StorageRefusal) { #expect(adapted(refusal) == nil) }

  @Test func nothingIsTriedTwice() {
    var negotiation = StoreNegotiation(StoreHabits(Self.place()))
    let refusals = [Self.refusal(501, "NotImplemented"), Self.refusal(400, "MissingContentMD5")]
    let first = refusals.map { negotiation.adapt(to: $0, hasChecksum: true, now: 0) }
    let again = refusals.map { negotiation.adapt(to: $0, hasChecksum: true, now: 0) }
    #expect(first == [true, true] && negotiation.habits.checksum == .md5 && again == [false, false])
  }

  // MARK: The clock

  private static func skewed(_ date: String?) -> StorageRefusal {
    StorageRefusal(status: 403, error: StorageError(code: "RequestTimeTooSkewed"), date: date)
  }

  @Test func theStoresClockIsUsedOnce() {
    var negotiation = StoreNegotiation(StoreHabits(Self.place()))
    let refusal = Self.skewed("Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(refusal.date == nil)
    let later = Self.skewed("Thu, 26 Nov 2026 17:46:00 GMT")
    #expect(later.date == 1_795_715_160_000)
    let isUsed = negotiation.adapt(to: later, hasChecksum: false, now: 1_795_715_160_000 - 7_200_000)
    #expect(isUsed && negotiation.habits.clockOffset == 7_200_000)
    let isUsedAgain = negotiation.adapt(to: later, hasChecksum: false, now: 0)
    #expect(!isUsedAgain)
  }

  @Test(arguments: [
    nil, "", "now", "Thu, 26 Nov 2026 25:46:00 GMT", "Thu, 26 Nov 9999 17:46:00 GMT", "Thu, 26 Nov 2026 17:46 GMT",
    "Thu, 26 Nov 2026 17:46:00 CET", "Thu, -6 Nov 2026 17:46:00 GMT",
  ])
  func noDateTeachesNothing(date: String?) { #expect(adapted(Self.skewed(date)) == nil) }

  @Test func aClockThatIsRightIsNotSet() {
    #expect(adapted(Self.skewed("Thu, 26 Nov 2026 17:46:00 GMT"), now: 1_795_715_150_000) == nil)
  }

  @Test func theDaysOfHTTPDates() {
    #expect(HTTPDate.milliseconds("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400_000)
    #expect(HTTPDate.milliseconds("Wed, 01 Mar 2000 00:00:01 GMT") == 951_868_801_000)
    #expect(HTTPDate.milliseconds("Fri, 31 Dec 2100 23:59:60 GMT") == 4_133_980_800_000)
  }

  // MARK: The place

  @Test(arguments: [
    ("s3.us-east-1.amazonaws.com", "https://s3.eu-west-1.amazonaws.com/recordings/x", "s3.eu-west-1.amazonaws.com"),
    ("s3.amazonaws.com", "https://recordings.s3-eu-west-1.amazonaws.com/x?y", "s3-eu-west-1.amazonaws.com"),
    (
      "s3-us-east-1.amazonaws.com", "https://s3.dualstack.eu-west-1.amazonaws.com",
      "s3.dualstack.eu-west-1.amazonaws.com"
    ),
    ("s3.us-east-1.store.example:9000", "http://s3.eu-west-1.store.example:9000/", "s3.eu-west-1.store.example:9000"),
  ])
  func theSameProviderMaySendToAnotherRegion(endpoint: String, location: String, host: String) throws {
    let moved = try #require(Self.place(endpoint).moved(by: StorageRefusal(status: 307, location: location)))
    #expect(moved.endpoint == host && moved.region == "eu-west-1" && moved.isPathStyle && moved.bucket == "recordings")
  }

  @Test(arguments: [
    ("s3.us-east-1.amazonaws.com", "https://evil.example/recordings"),
    ("s3.us-east-1.amazonaws.com", "https://ec2-198-51-100-7.eu-west-1.compute.amazonaws.com/"),
    ("s3.us-east-1.amazonaws.com", "https://other.s3.eu-west-1.amazonaws.com/"),
    ("s3.us-east-1.amazonaws.com", "https://s3.eu-west-1.amazonaws.com.evil.example/"),
    ("s3.us-east-1.amazonaws.com", "https://s3.eu-west-1.amazonaws.com:8443/"),
    ("s3.us-east-1.amazonaws.com", "https://user@s3.eu-west-1.amazonaws.com/"),
    ("s3.us-east-1.amazonaws.com", "https://s3.x.y.amazonaws.com/"),
    ("s3.us-east-1.amazonaws.com", "https://s3.évil.amazonaws.com/"),
    ("s3.co.uk", "https://s3.evil.co.uk/"), ("s3.us-east-1.uk", "https://s3.evil.uk/"),
    ("nas.example", "https://s3.eu-west-1.example/"), ("s3.us-east-1.amazonaws.com", "/elsewhere"),
    ("s3.us-east-1.amazonaws.com", "ftp://s3.eu-west-1.amazonaws.com/"),
    ("s3.us-east-1.amazonaws.com", "https://s3.us-east-1.amazonaws.com/recordings"),
  ])
  func noOtherHostGetsRecordings(endpoint: String, location: String) {
    #expect(Self.place(endpoint).moved(by: StorageRefusal(status: 307, location: location)) == nil)
  }

  @Test func aStoreThatWantsTheBucketInTheHostGetsItThere() throws {
    let refusal = StorageRefusal(
      status: 301, error: StorageError(code: "PermanentRedirect", endpoint: "recordings.s3.us-east-1.amazonaws.com"))
    let moved = try #require(Self.place().moved(by: refusal))
    #expect(!moved.isPathStyle && moved.host == "recordings.s3.us-east-1.amazonaws.com")
    #expect(S3Requests(moved).head("a/b").path == "/a/b" && S3Requests(Self.place()).head("a").path == "/recordings/a")
  }

  @Test func aRegionAloneChangesTheNameWhereItStandsInIt() {
    let error = StorageError(code: "AuthorizationHeaderMalformed", region: "eu-west-1")
    let refusal = StorageRefusal(status: 400, error: error)
    #expect(adapted(refusal)?.place.endpoint == "s3.eu-west-1.amazonaws.com")
    let moved = Self.place("nas.example").moved(by: refusal)
    #expect(moved?.endpoint == "nas.example" && moved?.region == "eu-west-1")
    for odd in ["", "a/b", "EU", "a.b", String(repeating: "x", count: 65)] {
      #expect(Self.place().moved(by: StorageRefusal(status: 301, bucketRegion: odd)) == nil, "\(odd)")
    }
  }

  @Test func aStoreThatAlwaysSendsElsewhereComesToAnEnd() {
    var negotiation = StoreNegotiation(StoreHabits(Self.place()))
    let moves = (0..<5).map { round in
      negotiation.adapt(
        to: StorageRefusal(status: 307, location: "https://s3.r\(round).amazonaws.com/"), hasChecksum: true, now: 0)
    }
    #expect(moves == [true, true, false, false, false])
  }

  // MARK: Parts

  @Test func partsGrowWhereTheyAreTooSmall() {
    var habits = StoreHabits(Self.place())
    habits.learn(tooSmall: 5 << 20)
    #expect(habits.smallestPart == 20 << 20)
    for size in [UInt64.max, 1 << 40] {
      habits.learn(tooSmall: size)
      #expect(habits.smallestPart == 512 << 20)
    }
  }
}
