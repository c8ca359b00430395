import ALSAAudio
import Foundation
import MediaCore
import Testing

/// ALSA's `null` device swallows and delivers at once whatever is asked for.
@Suite struct ALSAAudioTests {
  @Test(arguments: [1, 2])
  func capturesFromNull(channels: Int) throws {
    var microphone = try ALSACapture(device: "null", channels: channels)
    var samples = [Int16](repeating: 0, count: 960 * channels)
    var span = samples.mutableSpan
    let outcome = try microphone.read(into: &span, timeout: .milliseconds(100))
    guard case .samples(let count, let timestamp) = outcome else {
      Issue.record("no samples: \(outcome)")
      return
    }
    #expect(count == 960)
    #expect(timestamp.nanoseconds > 0)
    #expect(microphone.periodFrames > 0)
    #expect(microphone.rate == 48_000)
    #expect(microphone.description == "48000 Hz, \(channels == 2 ? "2 channels" : "mono"), S16_LE, periods of 480")
    #expect(microphone.overruns == 0)
  }

  @Test(arguments: [1, 2])
  func playsToNull(channels: Int) throws {
    var speaker = try ALSAPlayback(device: "null", channels: channels)
    let samples = [Int16](repeating: 1, count: 4_800 * channels)
    try speaker.write(samples.span, timeout: .milliseconds(100))
    try speaker.discard()
    #expect(speaker.delay >= .zero)
    #expect(speaker.underruns == 0)
  }

  @Test func playsIntoAFile() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "speaker-\(UUID()).raw").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let samples = (0..<9_600).map { Int16($0) }
    try play(samples, to: "file:'\(path)',raw")
    let written = try Data(contentsOf: URL(filePath: path))
    #expect(written.count == samples.count * 2)
    #expect(written == samples.withUnsafeBytes { Data($0) })
  }

  private func play(_ samples: [Int16], to device: String) throws {
    var speaker = try ALSAPlayback(device: device, channels: 2)
    try speaker.write(samples.span, timeout: .milliseconds(100))
  }

  @Test func saysThatAnAbsentCardIsAbsent() throws {
    var failure: ALSAError?
    do { _ = try ALSACapture(device: "hw:CARD=Absent", channels: 1) } catch { failure = error }
    let error = try #require(failure)
    #expect(error.call == "snd_pcm_open")
    #expect(error.isDeviceGone)
    #expect(error.description.hasPrefix("hw:CARD=Absent: snd_pcm_open: "))
  }

  @Test(arguments: [AudioDirection.capture, .playback])
  func asksWhatADeviceCanDo(direction: AudioDirection) throws {
    let capabilities = try AudioDeviceList.capabilities(of: "null", direction)
    #expect(capabilities.formats == ["S16_LE", "S32_LE", "S24_3LE", "S24_LE", "FLOAT_LE"])
    #expect(capabilities.rates.first == 8_000 && capabilities.rates.contains(48_000))
    #expect(capabilities.rates.last == 192_000)
    #expect(capabilities.channels == Array(1...32))
  }

  @Test func listsOnlyDevicesWithADirection() {
    #expect(AudioDeviceList.current().allSatisfy { $0.canCapture || $0.canPlay })
  }
}
