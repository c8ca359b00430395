import MediaCore
import Testing

@testable import MediaPipeline

@Suite("Single pictures", .timeLimit(.minutes(1))) struct StillPictureTests {
  private let stills = StillPictures()

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

  @Test func fewWaitAtTheSameTime() async {
    let stills = stills
    let pictures = await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await stills.next(within: .milliseconds(200)) } }
      return await group.reduce(into: 0) { count, picture in count += picture == nil ? 1 : 0 }
    }
    #expect(pictures == 20)
  }
}
