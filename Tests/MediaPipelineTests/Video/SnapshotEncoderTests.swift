import Foundation
import SystemSupport
import MediaCore
import PixelConversion
import Testing

@testable import MediaPipeline

@Suite("Single pictures", .timeLimit(.minutes(1))) struct StillFrameTests {
  private let stills = SnapshotEncoder()

  /// Offers pictures, as the video thread does, until somebody has taken one.
  private func offer<Result: Sendable>(until body: @escaping @Sendable () async -> Result) async -> Result {
    let result = Task { await body() }
    let offering = Task {
      let picture = I420Buffer(width: 64, height: 48)
      while !Task.isCancelled {
        stills.offer(picture)
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    defer { offering.cancel() }
    return await result.value
  }

  @Test func whoeverAsksGetsTheNextOneAsJPEG() async throws {
    let stills = stills
    let picture = await offer { await stills.next(within: .seconds(20)) }
    #expect(try #require(picture).starts(with: [0xFF, 0xD8, 0xFF]))
  }

  @Test func nobodyWaitsLongerThanTheLimit() async {
    #expect(await stills.next(within: .milliseconds(20)) == nil)
    // The one who gave up is nobody's concern any more.
    stills.offer(I420Buffer(width: 64, height: 48))
  }

  @Test func aCancelledTaskWaitsNoLonger() async {
    let stills = stills
    let asking = Task { await stills.next(within: .seconds(600)) }
    asking.cancel()
    #expect(await asking.value == nil)
  }

  @Test func allWhoWaitGetTheSamePicture() async throws {
    let stills = stills
    let pictures = await offer {
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await stills.next(within: .seconds(20)) } }
        return await group.reduce(into: [[UInt8]?]()) { $0.append($1) }
      }
    }
    #expect(pictures.count == 4 && Set(pictures).count == 1 && pictures[0] != nil)
  }

  /// CPU time of the calling thread, in nanoseconds.
  private static func measure(_ body: () -> Void) -> Int64 {
    var (before, after) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
    body()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
    return Int64(after.tv_sec - before.tv_sec) * 1_000_000_000 + Int64(after.tv_nsec - before.tv_nsec)
  }

  /// A picture whose encoding takes long enough to be seen.
  @Test func theVideoThreadEncodesNothing() async throws {
    let stills = stills
    let costs = Mutex<[Int64]>([])
    let thread = Thread {
      var picture = I420Buffer(width: 2_048, height: 1_536)
      for row in 0..<1_536 / 8 {
        picture.fill(
          FrameArea(x: row * 8 % 2_000, y: row * 8, width: 48, height: 8), with: YUVColour(y: UInt8(row % 200 + 16)))
      }
      let encoding = Self.measure { _ = JPEGEncoder.encode(picture) }
      costs.withLock { $0 = [encoding] }
      for _ in 0..<2_000 {
        let offer = Self.measure { stills.offer(picture) }
        let isOver = costs.withLock { costs in
          costs.append(offer)
          return costs[0] == 0
        }
        if isOver { break }
        usleep(5_000)
      }
    }
    thread.start()
    let bytes = await stills.next(within: .seconds(20))
    #expect(bytes != nil)
    let (encoding, dearest) = costs.withLock { costs in
      defer { costs[0] = 0 }
      return (costs[0], costs.dropFirst().max() ?? 0)
    }
    #expect(dearest < encoding / 2, "\(dearest) ns beside \(encoding)")
  }

  @Test func fewWaitAtTheSameTime() async {
    let stills = stills
    let pictures = await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await stills.next(within: .milliseconds(200)) } }
      return await group.reduce(into: 0) { count, picture in count += picture == nil ? 1 : 0 }
    }
    #expect(pictures == 20)
  }
}
