import Foundation
import MediaCore
import PixelConversion
import Testing

@testable import MediaPipeline

/// JPEGs whose size is not the mode's.
@Suite("JPEGs of another size") struct JPEGFramesTests {
  private static func frame(_ width: Int, _ height: Int) throws -> [UInt8] {
    let encoded = JPEGEncoder.encode(I420Buffer(width: width, height: height))
    return try #require(encoded)
  }

  private static func outcomes(
    _ frames: [[UInt8]], _ jpeg: inout JPEGFrames
  ) -> [JPEGFrames.Outcome] {
    frames.map { frame in
      var picture = I420Buffer(width: jpeg.width, height: jpeg.height)
      return jpeg.draw(frame.span.bytes, into: &picture)
    }
  }

  private static func pictures() throws -> JPEGFrames {
    guard let pictures = JPEGFrames(width: 640, height: 480) else { throw NoDecoder() }
    return pictures
  }

  private struct NoDecoder: Error {}

  private static func damage(_ width: Int, _ height: Int) -> JPEGFrames.Outcome {
    .damaged(.otherSize(width: width, height: height, modeWidth: 640, modeHeight: 480))
  }

  @Test func aSizeThatComesThreeTimesIsTaken() throws {
    var jpeg = try Self.pictures()
    let frame = try Self.frame(640, 360)
    let outcomes = Self.outcomes(Array(repeating: frame, count: 5), &jpeg)
    #expect(outcomes == [Self.damage(640, 360), Self.damage(640, 360), .resized, .drawn, .drawn])
    #expect(jpeg.width == 640 && jpeg.height == 360)
  }

  @Test func aBufferOfTheSizeBeforeIsNotDrawnInto() throws {
    var jpeg = try Self.pictures()
    let frame = try Self.frame(640, 360)
    _ = Self.outcomes(Array(repeating: frame, count: 3), &jpeg)
    var old = I420Buffer(width: 640, height: 480)
    let outcome = jpeg.draw(frame.span.bytes, into: &old)
    #expect(outcome == .resized)
  }

  @Test func singleFramesOfAnotherSizeAreDamaged() throws {
    var jpeg = try Self.pictures()
    let (usual, other) = (try Self.frame(640, 480), try Self.frame(320, 240))
    let outcomes = Self.outcomes([usual, other, other, usual, other, other, usual], &jpeg)
    let damage = Self.damage(320, 240)
    #expect(outcomes == [.drawn, damage, damage, .drawn, damage, damage, .drawn])
  }

  @Test func aSizeThatIsTooLargeIsNotTaken() throws {
    var jpeg = try Self.pictures()
    let frame = try Self.frame(1_920, 1_080)
    let outcomes = Self.outcomes(Array(repeating: frame, count: 5), &jpeg)
    #expect(Set(outcomes) == [Self.damage(1_920, 1_080)])
  }

  @Test func aCameraThatGoesOnChangingItsSizeIsNotFollowedForEver() throws {
    var jpeg = try Self.pictures()
    let frames = [try Self.frame(640, 360), try Self.frame(640, 480)]
    var resizes = 0
    for index in 0..<20 {
      let outcomes = Self.outcomes(Array(repeating: frames[index % 2], count: 3), &jpeg)
      resizes += outcomes.filter { $0 == .resized }.count
    }
    #expect(resizes == 4)
  }
}
