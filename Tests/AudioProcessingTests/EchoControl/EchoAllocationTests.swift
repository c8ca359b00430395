import CTestSupport
import AudioProcessing
import MediaCore
import Testing

@Suite struct EchoAllocationTests {
  /// Also while it follows a jump; the first one lets the runtime make what it makes once.
  @Test(.enabled(if: callocation_count() >= 0)) func blocksAllocateNothing() {
    let far = quantized(babble(seconds: 6, seed: 1))
    let echo = far.indices.map { index -> Int16 in
      let delay = 96_000..<192_000 ~= index ? 6_000 : 2_000
      return index < delay ? 0 : far[index - delay] / 2
    }
    var settings = EchoControlSettings()
    settings.speechLevel = -23
    var controller = EchoController(settings)
    var block = [Int16](repeating: 0, count: EchoController.blockFrames)
    var output = block.mutableSpan
    var before = 0
    for start in stride(from: 0, to: far.count, by: EchoController.blockFrames) {
      let place = start..<start + EchoController.blockFrames
      controller.process(
        captured: echo.span.extracting(place), played: far.span.extracting(place), delay: .milliseconds(40),
        into: &output)
      if start == 168_000 { before = callocation_count() }
    }
    #expect(callocation_count() - before == 0)
    #expect(controller.statistics.isConverged)
  }
}
