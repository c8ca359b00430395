import MediaCore
import ObjectStorage
import Testing
import ArchiveUpload

@Suite struct MultipartPlanTests {
  private static let mebibyte: UInt64 = 1_048_576

  @Test func smallObjectsAreOnePart() {
    #expect(MultipartPlan(byteCount: 0).isSinglePart)
    #expect(MultipartPlan(byteCount: 5 * Self.mebibyte).isSinglePart)
    #expect(!MultipartPlan(byteCount: 5 * Self.mebibyte + 1).isSinglePart)
  }

  @Test func partsCoverTheObject() {
    let plan = MultipartPlan(byteCount: 12 * Self.mebibyte + 7)
    #expect(plan.partCount == 3)
    var end: UInt64 = 0
    for number in 1...plan.partCount {
      let range = plan.range(of: number)
      #expect(range.offset == end)
      end += range.byteCount
    }
    #expect(end == plan.byteCount)
  }

  @Test(arguments: [50_000 * mebibyte, 50_000 * mebibyte + 1, 5_000_000 * mebibyte])
  func largeObjectsHaveNoMorePartsThanAStoreTakes(byteCount: UInt64) {
    let plan = MultipartPlan(byteCount: byteCount)
    #expect(UInt64(plan.partCount) <= MultipartPlan.maxParts)
    let last = plan.range(of: plan.partCount)
    #expect(last.offset + last.byteCount == byteCount && last.byteCount > 0)
  }

  @Test func whatIsThereIsNotSentAgainUnlessItIsCut() {
    let plan = MultipartPlan(byteCount: 12 * Self.mebibyte)
    let full = plan.partSize
    let stored = [
      StoredPart(number: 1, tag: "a", byteCount: full), StoredPart(number: 2, tag: "b", byteCount: full - 1),
      StoredPart(number: 3, tag: "c", byteCount: 2 * Self.mebibyte), StoredPart(number: 4, tag: "d", byteCount: full),
      StoredPart(number: 0, tag: "e", byteCount: full), StoredPart(number: 1, tag: "f", byteCount: full),
    ]
    let sound = plan.sound(stored)
    #expect(sound.map(\.tag) == ["f", "c"])
    #expect(plan.missing(sound) == [2])
  }

  @Test func hostilePlansDoNotTrap() {
    let plan = MultipartPlan(byteCount: .max, partSize: 0)
    #expect(UInt64(plan.partCount) <= MultipartPlan.maxParts)
    #expect(plan.range(of: .max).offset <= plan.byteCount)
    #expect(plan.range(of: .min).offset <= plan.byteCount)
  }
}

@Suite struct UploadQueueTests {
  private func candidate(_ id: Int, hasEvents: Bool = false) -> UploadCandidate<Int> {
    UploadCandidate(id: id, hasEvents: hasEvents, byteCount: 1)
  }

  @Test func eventsGoFirstThenTheOldest() {
    let queue = UploadQueue<Int>()
    #expect(queue.next([]) == nil)
    #expect(queue.next([candidate(1), candidate(2)])?.id == 1)
    #expect(queue.next([candidate(1), candidate(2, hasEvents: true), candidate(3, hasEvents: true)])?.id == 2)
  }

  @Test func whatFailsLetsOthersGoFirst() {
    var queue = UploadQueue<Int>()
    let all = [candidate(1, hasEvents: true), candidate(2), candidate(3)]
    queue.postpone(1)
    #expect(queue.next(all)?.id == 2)
    queue.postpone(2)
    #expect(queue.next(all)?.id == 3)
    queue.postpone(3)
    #expect(queue.next(all)?.id == 1)
    queue.postpone(1)
    #expect(queue.next(all)?.id == 2)
    queue.remove(1)
    #expect(queue.next(all)?.id == 1)
  }

  @Test func whatIsPostponedIsBounded() {
    var queue = UploadQueue<Int>()
    for id in 0..<5_000 { queue.postpone(id) }
    #expect(queue.next([candidate(0), candidate(4_999)])?.id == 0)
  }
}

@Suite struct UploadPacerTests {
  /// Octets that get through in a time, when asked as often as the pacer says.
  private func sent(
    _ pacer: inout UploadPacer, isInCall: Bool = false, from start: MonotonicInstant, for time: TimeSpan
  ) -> Int {
    var (now, sent) = (start, 0)
    while now < start + time {
      switch pacer.admit(16_384, isInCall: isInCall, now: now) {
      case .send: sent += 16_384
      case .wait(let rest): now = now + rest
      case .pause: return sent
      }
    }
    return sent
  }

  @Test func aLimitHoldsOverTime() {
    let limits = UploadPacer.Limits(usual: .kilobits(800), inCalls: nil)
    var pacer = UploadPacer(limits)
    let bytes = sent(&pacer, from: MonotonicInstant(seconds: 100, nanoseconds: 0), for: .seconds(60))
    #expect((5_900_000...6_200_000).contains(bytes))
  }

  @Test func aRestBuysNoLongBurst() {
    var pacer = UploadPacer(.init(usual: .kilobits(800), inCalls: nil))
    _ = sent(&pacer, from: MonotonicInstant(seconds: 100, nanoseconds: 0), for: .seconds(1))
    let bytes = sent(&pacer, from: MonotonicInstant(seconds: 10_000, nanoseconds: 0), for: .seconds(1))
    #expect(bytes <= 100_000 + 25_000 + 16_384)
  }

  @Test func callsComeFirst() {
    let start = MonotonicInstant(seconds: 1, nanoseconds: 0)
    var pausing = UploadPacer(.init(usual: nil, inCalls: .kilobits(0)))
    #expect(pausing.admit(1_000_000, isInCall: false, now: start) == .send)
    #expect(pausing.admit(1, isInCall: true, now: start) == .pause)
    var lowered = UploadPacer(.init(usual: .kilobits(8_000), inCalls: .kilobits(80)))
    let inCall = sent(&lowered, isInCall: true, from: start, for: .seconds(60))
    #expect((580_000...650_000).contains(inCall))
    var higher = UploadPacer(.init(usual: .kilobits(80), inCalls: .kilobits(8_000)))
    let limited = sent(&higher, isInCall: true, from: start, for: .seconds(60))
    #expect((580_000...650_000).contains(limited))
  }
}

@Suite struct UploadRetryTests {
  @Test func pausesGrowUpToALimitAndBeginAnew() {
    var retry = UploadRetry()
    let pauses = (0..<12).map { _ in retry.pause(after: .passing, random: 0.999_999) }
    #expect(pauses.first.map { $0 <= .seconds(2) } == true)
    #expect(
      pauses == pauses.sorted() && (pauses.last ?? .zero) <= .seconds(900) && (pauses.last ?? .zero) > .seconds(899))
    retry.reset()
    #expect(retry.pause(after: .passing, random: 0.5) == .seconds(1))
  }

  @Test func whatTheStoreAsksForIsHonoured() {
    var retry = UploadRetry()
    let asked = retry.pause(after: .overload(requested: .seconds(30)), random: 0)
    #expect(asked == .seconds(30))
    #expect(retry.pause(after: .overload(requested: nil), random: 0) >= .seconds(5))
    #expect(retry.pause(after: .settings, random: 0) >= .seconds(60))
  }
}
