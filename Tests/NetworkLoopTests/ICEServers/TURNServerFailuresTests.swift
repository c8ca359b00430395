import MediaCore
import Testing

@testable import NetworkLoop

@Suite struct TURNServerFailuresTests {
  private let now = MonotonicInstant(nanoseconds: 1_000_000_000)

  @Test func `pauses double from a second up to half a minute`() {
    var failures = TURNServerFailures()
    let pauses = (0..<8).map { _ in (failures.note(servingSince: nil, now: now) - now).seconds }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30])
  }

  @Test func `a relay that has served for half a minute begins anew, one that breaks sooner does not`() {
    var failures = TURNServerFailures()
    for _ in 0..<4 { _ = failures.note(servingSince: nil, now: now) }
    #expect(failures.note(servingSince: now - .seconds(29), now: now) - now == .seconds(16))
    #expect(failures.note(servingSince: now - .seconds(30), now: now) - now == .seconds(1))
  }

  @Test func `another network is no reason to wait`() {
    var failures = TURNServerFailures()
    for _ in 0..<4 { _ = failures.note(servingSince: nil, now: now) }
    failures.areReported = true
    failures.forget()
    #expect(failures.note(servingSince: nil, now: now) - now == .seconds(1))
    #expect(failures.areReported)
  }
}
