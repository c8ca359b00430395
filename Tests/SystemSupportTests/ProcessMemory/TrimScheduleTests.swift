import Testing

@testable import SystemSupport

@Suite("Memory that goes back to the kernel")
struct TrimScheduleTests {
  private final class Trimming {
    var schedule = TrimSchedule()
    func isDue(freed: UInt64, resident: UInt64) -> Bool { schedule.isDue(freed: freed, resident: resident) }
  }

  private static let megabyte: UInt64 = 1 << 20

  @Test func aBurstIsFollowedByOneTrim() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 50 << 20, resident: 34 << 20))
    #expect(trimming.isDue(freed: 70 << 20, resident: 105 << 20))
    trimming.schedule.trimmed(freed: 70 << 20, resident: 36 << 20)
    // What was given back still counts as freed.
    #expect(!trimming.isDue(freed: 70 << 20, resident: 36 << 20))
    #expect(!trimming.isDue(freed: 70 << 20, resident: 37 << 20))
    #expect(trimming.isDue(freed: 70 << 20, resident: 39 << 20))
  }

  @Test func aBurstThatEndsAfterATrimIsFollowedByAnother() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 3 << 20, resident: 34 << 20))
    #expect(trimming.isDue(freed: 3 << 20, resident: 105 << 20))
    trimming.schedule.trimmed(freed: 3 << 20, resident: 104 << 20)
    #expect(!trimming.isDue(freed: 3 << 20, resident: 104 << 20))
    #expect(trimming.isDue(freed: 60 << 20, resident: 104 << 20))
  }

  @Test func aBurstThatEndsRightAfterATrimIsFollowedByAnother() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 3 << 20, resident: 34 << 20))
    #expect(trimming.isDue(freed: 3 << 20, resident: 208 << 20))
    trimming.schedule.trimmed(freed: 3 << 20, resident: 208 << 20)
    #expect(trimming.isDue(freed: 160 << 20, resident: 208 << 20))
  }

  @Test func whatManyCallsLeaveBehindGoesBack() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 1 << 20, resident: 34 << 20))
    #expect(trimming.isDue(freed: 5 << 20, resident: 45 << 20))
    trimming.schedule.trimmed(freed: 5 << 20, resident: 45 << 20)
    #expect(!trimming.isDue(freed: 6 << 20, resident: 45 << 20))
    #expect(trimming.isDue(freed: 8 << 20, resident: 43 << 20))
  }

  @Test func aLittleGoesBackAfterAWhile() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 3 << 20, resident: 34 << 20))
    for _ in 1..<TrimSchedule.maxChecks {
      #expect(!trimming.isDue(freed: 3 << 20, resident: 35 << 20))
    }
    #expect(trimming.isDue(freed: 3 << 20, resident: 35 << 20))
    trimming.schedule.trimmed(freed: 3 << 20, resident: 34 << 20)
    for _ in 0...2 * TrimSchedule.maxChecks {
      #expect(!trimming.isDue(freed: 3 << 20, resident: 34 << 20))
    }
  }

  @Test func whatIsInUseIsLeftAlone() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 0, resident: 34 << 20))
    #expect(!trimming.isDue(freed: 1 << 20, resident: 90 << 20))
    #expect(trimming.isDue(freed: 40 << 20, resident: 90 << 20))
  }

  @Test func aProcessThatHasShrunkIsMeasuredAnew() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 50 << 20, resident: 60 << 20))
    #expect(!trimming.isDue(freed: 50 << 20, resident: 30 << 20))
    #expect(trimming.isDue(freed: 50 << 20, resident: 60 << 20))
  }

  @Test func aLargeProcessIsHeldUpOnlyForMuch() {
    let trimming = Trimming()
    #expect(!trimming.isDue(freed: 10 << 20, resident: 640 << 20))
    for _ in 0...2 * TrimSchedule.maxChecks {
      #expect(!trimming.isDue(freed: 30 << 20, resident: 640 << 20))
    }
    #expect(trimming.isDue(freed: 50 << 20, resident: 640 << 20))
    #expect(TrimSchedule.stepsBetween(resident: 20 << 20) == 1)
    #expect(TrimSchedule.stepsBetween(resident: 640 << 20) == 11)
    #expect(TrimSchedule.stepsBetween(resident: .max) == 12)
  }

  @Test func theKernelSaysWhatIsResident() throws {
    let resident = try #require(ProcessMemory.residentBytes)
    #expect(resident > Self.megabyte)
  }

  @Test(.timeLimit(.minutes(1)))
  func aBurstGoesBackAlthoughSmallBlocksStay() async throws {
    let trimming = Task { await ProcessMemory.returnFreedMemory(every: .milliseconds(20)) }
    defer { trimming.cancel() }
    try await Task.sleep(for: .milliseconds(200))
    let blocks = (0..<16_384).map { _ in
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
      _ = block.initializeMemory(as: UInt8.self, repeating: 1)
      return block
    }
    let full = try #require(ProcessMemory.residentBytes)
    for (index, block) in blocks.enumerated() where index % 16 != 0 { block.deallocate() }
    defer { for index in stride(from: 0, to: blocks.count, by: 16) { blocks[index].deallocate() } }
    var resident = full
    for _ in 0..<100 where resident > full - 32 * Self.megabyte {
      try await Task.sleep(for: .milliseconds(50))
      resident = try #require(ProcessMemory.residentBytes)
    }
    #expect(resident <= full - 32 * Self.megabyte)
  }
}
