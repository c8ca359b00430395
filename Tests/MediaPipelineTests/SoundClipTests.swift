import RealtimeRuntime
import Foundation
import MediaCore
import Testing

@testable import MediaPipeline

@Suite("Clips for the loudspeaker")
struct SoundClipTests {
  @Test(arguments: [8_000, 44_100, 48_000])
  func `a file of any rate lasts as long at 48 kHz`(rate: Int) throws {
    let file = try TemporaryWAV(rate: rate, samples: [Int16](repeating: 1_000, count: rate / 2))
    let clip = try SoundClip(path: file.path)
    #expect(clip.samples.count == 24_000)
    #expect(clip.samples[12_000...12_100].allSatisfy { abs(Int($0) - 1_000) < 20 })
  }

  @Test func `a file of more than a minute is refused`() throws {
    let file = try TemporaryWAV(rate: 8_000, samples: [Int16](repeating: 0, count: 8_000 * 60 + 8))
    let error = #expect(throws: SoundClipError.self) { try SoundClip(path: file.path) }
    #expect(error?.description == "\(file.path): lasts longer than 60 seconds; cut it")
  }

  @Test(arguments: [1, 2])
  func `an Opus file sounds like the samples that it was made of`(channels: Int) throws {
    let samples = (0..<72_000 * channels).map { Int16(8_000 * sin(2 * .pi * 440 * Double($0 / channels) / 48_000)) }
    let file = try TemporaryOpus(of: try TemporaryWAV(rate: 48_000, channels: channels, samples: samples))
    let clip = try SoundClip(path: file.path)
    #expect(clip.samples.count == 72_000)
    let middle = clip.samples[24_000..<48_000].map { Double($0) }
    let level = (middle.reduce(0) { $0 + $1 * $1 } / Double(middle.count)).squareRoot()
    #expect(abs(level / (8_000 / 2.0.squareRoot()) - 1) < 0.05)
  }

  @Test func `an Opus file of more than a minute is refused`() throws {
    let silence = try TemporaryWAV(rate: 8_000, samples: [Int16](repeating: 0, count: 8_000 * 61))
    let file = try TemporaryOpus(of: silence)
    let error = #expect(throws: SoundClipError.self) { try SoundClip(path: file.path) }
    #expect(error?.description == "\(file.path): lasts longer than 60 seconds; cut it")
  }

  @Test func `a damaged Opus file is refused or leaves out what is missing`() throws {
    let file = try TemporaryOpus(of: try TemporaryWAV(rate: 48_000, samples: [Int16](repeating: 900, count: 48_000)))
    let whole = try Data(contentsOf: URL(filePath: file.path))
    try whole.prefix(30).write(to: URL(filePath: file.path))
    let error = #expect(throws: SoundClipError.self) { try SoundClip(path: file.path) }
    #expect(error?.description.hasPrefix("\(file.path): it") == true)
    for cut in stride(from: 200, to: whole.count, by: 97) {
      try whole.prefix(cut).write(to: URL(filePath: file.path))
      if let clip = try? SoundClip(path: file.path) { #expect(clip.samples.count <= 48_000) }
    }
  }

  @Test func `what is no file is refused`() {
    #expect(throws: SoundClipError.self) { try SoundClip(path: "/dev/zero") }
    #expect(throws: SoundClipError.self) { try SoundClip(path: "/tmp") }
  }

  @Test func `a clip is played in blocks, and silence follows it`() throws {
    let file = try TemporaryWAV(rate: 48_000, samples: [Int16](repeating: 500, count: 720))
    var announcement = PlayoutAnnouncement(try SoundClip(path: file.path))
    var block = [Int16](repeating: 9, count: 960)
    block.withUnsafeMutableBufferPointer { announcement.fill($0, channels: 2) }
    #expect(!announcement.isFinished)
    #expect(block.allSatisfy { $0 == 500 })
    block.withUnsafeMutableBufferPointer { announcement.fill($0, channels: 2) }
    #expect(announcement.isFinished)
    #expect(block[..<480].allSatisfy { $0 == 500 })
    #expect(block[480...].allSatisfy { $0 == 0 })
  }

  @Test func `more clips than are heard in time are refused`() throws {
    // Nothing is ever played: the card is absent.
    let playout = AudioPlayout(speaker: .device("hw:CARD=Absent"))
    _ = try playout.addTalker()
    defer { playout.stop() }
    var refused = 0
    for _ in 0..<20 {
      do { try playout.announce(.callBegins) } catch is TooManyAnnouncements { refused += 1 }
    }
    #expect(refused > 0)
  }
}
