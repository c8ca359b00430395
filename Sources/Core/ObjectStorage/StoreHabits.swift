/// What a store takes, learned from its refusals: which checksum, whose clock, where the bucket is, how large parts are.
///
/// S3-compatible stores differ in all of it. The learned habits hold for one store and are kept by its owner.
public struct StoreHabits: Hashable, Sendable {
  public var place: StorePlace
  public private(set) var checksum: PayloadChecksum.Kind
  /// Milliseconds by which the store's clock is ahead of this machine's.
  public private(set) var clockOffset: Int64 = 0
  /// Octets; 0 where the store has never required more than usual.
  public private(set) var smallestPart: UInt64 = 0
  private let isChecksumFixed: Bool

  /// - Parameter checksum: the one that is configured; nil tries `x-amz-checksum-sha256`, and does without where the store
  ///   refuses it.
  public init(_ place: StorePlace, checksum: PayloadChecksum.Kind? = nil) {
    self.place = place
    self.checksum = checksum ?? .sha256
    isChecksumFixed = checksum != nil
  }

  /// A store that refuses to join parts because they are too small gets parts of four times the size from then on.
  ///
  /// - Parameter partSize: of those that it refused.
  public mutating func learn(tooSmall partSize: UInt64) {
    let (size, isTooLarge) = partSize.multipliedReportingOverflow(by: 4)
    smallestPart = isTooLarge ? Self.largestMinimum : min(size, Self.largestMinimum)
  }

  /// No store is known to ask for more.
  private static let largestMinimum: UInt64 = 512 * 1_048_576
}

/// One request's attempts: each refusal may teach one thing, and nothing is tried twice.
public struct StoreNegotiation: Sendable {
  /// What the next attempt is made with.
  public private(set) var habits: StoreHabits
  private var isClockTried = false
  private var moves = 0
  private static let maxMoves = 2
  /// Clocks nearer to each other than this are right for all stores, which permit 15 minutes.
  private static let leastSkew: Int64 = 60_000

  public init(_ habits: StoreHabits) { self.habits = habits }

  /// Draws a conclusion from a refusal.
  ///
  /// - Parameters:
  ///   - hasChecksum: whether the request carried what ``StoreHabits/checksum`` says.
  ///   - now: milliseconds since 1970 by this machine's clock.
  /// - Returns: whether another attempt is worth it.
  public mutating func adapt(to refusal: StorageRefusal, hasChecksum: Bool, now: Int64) -> Bool {
    if refusal.code == "RequestTimeTooSkewed" { return takeClock(of: refusal, now) }
    if refusal.isAboutPlace { return move(to: refusal) }
    guard hasChecksum, let next = habits.checksum(after: refusal) else { return false }
    habits.use(next)
    return true
  }

  private mutating func takeClock(of refusal: StorageRefusal, _ now: Int64) -> Bool {
    guard !isClockTried, let date = refusal.date else { return false }
    isClockTried = true
    let (offset, isOutside) = date.subtractingReportingOverflow(now)
    guard !isOutside else { return false }
    return habits.setClock(offset, unlessWithin: Self.leastSkew)
  }

  private mutating func move(to refusal: StorageRefusal) -> Bool {
    guard moves < Self.maxMoves, let place = habits.place.moved(by: refusal) else { return false }
    moves += 1
    habits.place = place
    return true
  }
}

extension StoreHabits {
  fileprivate mutating func use(_ kind: PayloadChecksum.Kind) { checksum = kind }

  fileprivate mutating func setClock(_ offset: Int64, unlessWithin least: Int64) -> Bool {
    let (change, isOutside) = offset.subtractingReportingOverflow(clockOffset)
    guard isOutside || change.magnitude >= least.magnitude else { return false }
    clockOffset = offset
    return true
  }

  /// The kind that is worth a try; nil where the refusal is about something else.
  fileprivate func checksum(after refusal: StorageRefusal) -> PayloadChecksum.Kind? {
    guard !isChecksumFixed else { return nil }
    if refusal.wantsMD5 { return checksum == .md5 ? nil : .md5 }
    return checksum == .sha256 && refusal.mayBeAboutChecksum ? PayloadChecksum.Kind.none : nil
  }
}

extension StorageRefusal {
  fileprivate var isAboutPlace: Bool {
    switch status {
    case 301, 302, 307, 308: true
    default:
      ["AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "IllegalLocationConstraintException"]
        .contains(code)
    }
  }

  fileprivate var wantsMD5: Bool {
    guard status == 400 else { return false }
    return code == "MissingContentMD5" || (code == "InvalidRequest" && says("content-md5"))
  }

  /// Stores that do not know the field say so in many ways: as a wrong argument (Backblaze), as nothing they implement
  /// (Cloudflare), or by a signature that does not match where a proxy has taken it away.
  fileprivate var mayBeAboutChecksum: Bool {
    switch (status, code) {
    case (501, _), (403, "SignatureDoesNotMatch"): true
    case (400, ""), (400, "InvalidArgument"), (400, "InvalidRequest"), (400, "NotImplemented"), (400, "BadRequest"):
      true
    case (400, "BadDigest"), (400, "InvalidDigest"), (400, "XAmzContentSHA256Mismatch"): false
    case (400, _): says("checksum")
    default: false
    }
  }

  private func says(_ words: String) -> Bool {
    var rest = Substring(error?.message.lowercased() ?? "")
    while !rest.isEmpty {
      if rest.hasPrefix(words) { return true }
      rest.removeFirst()
    }
    return false
  }
}
