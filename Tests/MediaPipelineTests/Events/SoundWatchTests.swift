import CTestSupport
import EventDetection
import MediaCore
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SoundWatchTests {
  /// A microphone of two channels in a quiet room, in virtual time.
  private final class Microphone {
    let steps = EventStepQueue()
    let watch: SoundWatch
    private var now = MonotonicInstant(nanoseconds: 0)
    private var packet = [Int16](repeating: 0, count: 2 * 960)
    private var random = SeededGenerator(seed: 3)
    private var tone = ToneGenerator(frequency: 3_100)

    init(_ sources: [SoundWatchSettings.Source]) {
      watch = SoundWatch(SoundWatchSettings(sources: sources), steps: steps)
    }

    /// Noise of the room, of so much at most.
    func hear(_ seconds: Double, noise: Int16 = 60) {
      play(seconds) { packet in
        for index in packet.indices { packet[index] = Int16.random(in: -noise...noise, using: &random) }
      }
    }

    /// A tone of 3.1 kHz.
    func beep(_ seconds: Double) {
      play(seconds) { packet in
        var span = packet.mutableSpan
        tone.fill(&span, channels: 2)
      }
    }

    /// What a microphone that fails leaves.
    func silence(_ seconds: Double) { play(seconds) { packet in for index in packet.indices { packet[index] = 0 } } }

    private func play(_ seconds: Double, _ fill: (inout [Int16]) -> Void) {
      for _ in 0..<Int(seconds * 50) {
        fill(&packet)
        watch.offer(packet.span, channels: 2, at: now)
        now = now + .milliseconds(20)
      }
    }
  }

  private static let bang = SoundWatchSettings.Source(
    id: 1,
    detector: LoudSoundEvents(threshold: 20, EventTiming(minimumDuration: .milliseconds(100), post: .seconds(2))))
  private static let alarm = SoundWatchSettings.Source(id: 2, detector: SmokeAlarmEvents())

  @Test func onlyWhatIsListenedForAnewBeginsAnew() {
    let microphone = Microphone([Self.bang, Self.alarm])
    microphone.hear(3)
    microphone.hear(0.5, noise: 20_000)
    #expect(names(microphone) == ["began 1"])
    let louder = SoundWatchSettings.Source(
      id: 3, detector: LoudSoundEvents(threshold: 30, EventTiming(post: .seconds(2))))
    microphone.watch.apply(SoundWatchSettings(sources: [louder, Self.bang]))
    microphone.hear(3)
    #expect(names(microphone) == ["ended 1"])
    microphone.hear(0.8, noise: 20_000)
    #expect(names(microphone) == ["began 1", "began 3"].sorted())
    microphone.watch.apply(SoundWatchSettings(sources: []))
    #expect(names(microphone) == ["ended 3", "ended 1"])
    microphone.hear(1, noise: 20_000)
    #expect(names(microphone) == [])
  }

  private func names(_ microphone: Microphone) -> [String] {
    microphone.steps.takeAll().compactMap { step in
      switch step.step {
      case .began: "began \(step.source)"
      case .peaked: nil
      case .ended: "ended \(step.source)"
      }
    }
  }

  @Test func whatIsLoudBeginsAndEnds() {
    let microphone = Microphone([Self.bang])
    microphone.hear(5)
    microphone.hear(0.5, noise: 6_000)
    microphone.hear(1)
    #expect(names(microphone) == ["began 1"])
    microphone.hear(2)
    #expect(names(microphone) == ["ended 1"])
  }

  @Test func aMicrophoneThatFailsSaysNothingOfThePlace() {
    let microphone = Microphone([Self.bang])
    microphone.hear(5)
    microphone.silence(120)
    microphone.hear(5)
    #expect(names(microphone).isEmpty)
  }

  @Test func aSmokeAlarmIsToldOnce() {
    let microphone = Microphone([Self.alarm])
    microphone.hear(3)
    for _ in 0..<4 {
      for _ in 0..<3 {
        microphone.beep(0.5)
        microphone.hear(0.5)
      }
      microphone.hear(1)
    }
    #expect(names(microphone) == ["began 2"])
    microphone.hear(10)
    #expect(names(microphone) == ["ended 2"])
  }

  @Test func mutingEndsWhatGoesOn() {
    let microphone = Microphone([Self.bang])
    microphone.hear(5)
    microphone.hear(0.5, noise: 6_000)
    microphone.watch.setMuted(true)
    #expect(names(microphone) == ["began 1", "ended 1"])
  }

  @Test(.enabled(if: callocation_count() >= 0)) func listeningAllocatesNothing() {
    let microphone = Microphone([Self.bang, Self.alarm])
    microphone.hear(3)
    let before = callocation_count()
    microphone.hear(2)
    #expect(callocation_count() == before)
  }
}
