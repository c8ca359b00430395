import MediaCore
import PixelConversion
import Testing

@testable import MediaPipeline

@Suite struct SpeedMeasurementTests {
  /// Frame times in milliseconds, by size.
  private func measurement(
    _ times: [(width: Int, height: Int, milliseconds: Int64, threads: Int)], processors: Int = 2, jpeg: Int64 = 5
  ) -> SpeedMeasurement {
    SpeedMeasurement(
      processors: processors,
      encodings: times.map {
        SpeedMeasurement.Encoding(
          width: $0.width, height: $0.height, threads: $0.threads, speed: -8, time: .milliseconds($0.milliseconds))
      }, stageSize: (1_920, 1_080), jpegTime: .milliseconds(jpeg), conversionTime: .milliseconds(1),
      soundTime: .microseconds(200))
  }

  @Test("the largest size that comes in time at the usual rate")
  func recommendsTheLargest() throws {
    let found = try #require(
      measurement([(640, 480, 3, 1), (1_280, 720, 8, 1), (1_920, 1_080, 16, 1), (2_560, 1_440, 30, 1)]).recommendation)
    #expect(found.encoding.width == 1_920 && found.frameRate == 30)
    #expect(found.bitrate == .kilobits(3_400))
    // 16 ms and 5 ms of 33, on two processors.
    #expect(abs(found.load - 0.315) < 0.001)
  }

  @Test("threads count with all their time, and decoding counts as well")
  func countsAllProcessors() throws {
    // 18 ms with two threads leave no time for 20 ms of decoding.
    let found = try #require(
      measurement([(1_280, 720, 9, 1), (1_920, 1_080, 18, 2)], jpeg: 20).recommendation)
    #expect(found.encoding.width == 1_280 && found.frameRate == 30)
  }

  @Test("a slow machine gets a lower rate rather than nothing")
  func recommendsALowerRate() throws {
    let half = try #require(measurement([(640, 480, 35, 1)], processors: 1).recommendation)
    #expect(half.frameRate == 15)
    let little = try #require(measurement([(320, 240, 150, 1), (640, 480, 600, 1)], processors: 1).recommendation)
    #expect(little.encoding.width == 320 && little.frameRate == 4)
  }

  @Test("what the settings ask for is compared with the next larger size")
  func judgesSettings() {
    let measured = measurement([(640, 480, 4, 1), (1_280, 720, 25, 1)])
    #expect(measured.suffices(width: 640, height: 480, frameRate: 30) == true)
    #expect(measured.suffices(width: 800, height: 600, frameRate: 30) == false)
    #expect(measured.suffices(width: 800, height: 600, frameRate: 20) == true)
    #expect(measured.suffices(width: 1_920, height: 1_080, frameRate: 5) == nil)
  }

  @Test("frames pan: each is another part of the street, and the way back shows the same")
  func pans() {
    let frames = PanningFrames(width: 64, height: 48)
    let last = PanningFrames(width: 64, height: 48)
    #expect(difference(frames[0].image, last[0].image) == 0)
    #expect(difference(frames[0].image, frames[1].image) > 0)
    #expect(frames[1] === frames[9] && frames[4] === frames[6] && frames[0] === frames[10])
  }

  private func difference(_ one: borrowing I420Buffer, _ other: borrowing I420Buffer) -> Int {
    var sum = 0
    for row in 0..<one.height {
      for column in 0..<one.width {
        sum += abs(Int(one.view.luma(x: column, y: row)) - Int(other.view.luma(x: column, y: row)))
      }
    }
    return sum
  }

  @Test("measures this machine in about the time that it is given")
  func measures() throws {
    let begin = ContinuousClock.now
    let found = try #require(SpeedMeasurement.run(limit: .milliseconds(200)))
    #expect(ContinuousClock.now - begin < .seconds(60))
    #expect(found.processors >= 1)
    let sizes = found.encodings.map { $0.width * $0.height }
    #expect(sizes == sizes.sorted() && !sizes.isEmpty)
    #expect(found.encodings.allSatisfy { $0.time > .zero && $0.threads <= max(found.processors, 1) })
    #expect(found.jpegTime > .zero && found.conversionTime > .zero && found.soundTime > .zero)
    #expect(found.recommendation != nil)
  }
}
