import Foundation
import TestSupport
import Testing

@testable import MediaPipeline

/// So many packets of a file's sound.
private func play(_ file: TemporaryWAV, packets: Int, channels: Int = 1, repeats: Bool = true) throws -> [Int16] {
  var source = try WAVSource(path: file.path, channels: channels, repeats: repeats)
  let packet = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 960 * channels)
  defer { packet.deallocate() }
  var heard: [Int16] = []
  for _ in 0..<packets {
    try source.fill(packet)
    heard += packet
  }
  return heard
}

private func failure(_ path: String) -> String? {
  do throws(WAVFileError) { _ = try WAVSource(path: path, channels: 1, repeats: true) } catch { return "\(error)" }
  return nil
}

@Suite struct WAVSourceTests {
  @Test func repeatsWithoutAGap() throws {
    let ramp = (0..<1_000).map { Int16($0) }
    let heard = try play(try TemporaryWAV(rate: 48_000, samples: ramp), packets: 50)
    #expect(heard == (0..<48_000).map { Int16($0 % 1_000) })
  }

  @Test func playsOnceAndFallsSilent() throws {
    let file = try TemporaryWAV(rate: 48_000, samples: [Int16](repeating: 5, count: 1_500))
    let heard = try play(file, packets: 4, repeats: false)
    #expect(heard == [Int16](repeating: 5, count: 1_500) + [Int16](repeating: 0, count: 2_340))
  }

  @Test(arguments: [8_000, 44_100, 96_000])
  func playsOtherRatesAtTheirPitch(rate: Int) throws {
    let tone = (0..<rate).map { Int16(8_000 * sin(2 * .pi * 440 * Double($0) / Double(rate))) }
    let heard = try play(try TemporaryWAV(rate: rate, samples: tone), packets: 150)
    // Across the end of the file, where the tone goes on in phase.
    #expect(purity(heard[91_200..<100_800], frequency: 440) > 70)
  }

  @Test func mixesChannels() throws {
    let file = try TemporaryWAV(rate: 48_000, channels: 2, samples: [100, 300, -100, -300])
    #expect(try play(file, packets: 1).prefix(2) == [200, -200])
    #expect(try play(file, packets: 1, channels: 2).prefix(4) == [100, 300, -100, -300])
  }

  @Test func playsAFileOfOneFrame() throws {
    let heard = try play(try TemporaryWAV(rate: 48_000, samples: [7]), packets: 2)
    #expect(heard == [Int16](repeating: 7, count: 1_920))
  }

  @Test func namesFileAndReason() throws {
    #expect(failure("/nowhere/a.wav") == "/nowhere/a.wav: open: No such file or directory")
    #expect(failure("/tmp") == "/tmp: no regular file")
    let file = try TemporaryWAV(rate: 48_000, channels: 9, samples: [Int16](repeating: 0, count: 9))
    #expect(failure(file.path) == "\(file.path): 9 channels: 1 to 8 are supported")
  }

  @Test func saysThatAFileWasCutWhileItPlays() throws {
    let file = try TemporaryWAV(rate: 48_000, samples: [Int16](repeating: 1, count: 960))
    var source = try WAVSource(path: file.path, channels: 1, repeats: true)
    #expect(truncate(file.path, 44) == 0)
    let packet = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 960)
    defer { packet.deallocate() }
    var reason = ""
    do throws(WAVFileError) { try source.fill(packet) } catch { reason = error.reason }
    #expect(reason == "the samples are gone: the file was cut")
  }
}
