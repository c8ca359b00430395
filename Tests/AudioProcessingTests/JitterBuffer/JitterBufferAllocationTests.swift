import CTestSupport
import AudioProcessing
import MediaCore
import Testing

@Suite struct JitterBufferAllocationTests {
  /// Also while it recovers, conceals and stretches; the first seconds let the runtime make what it makes once.
  @Test(.enabled(if: callocation_count() >= 0)) func insertingAndRenderingAllocateNothing() {
    let recording = Recording.speech
    let trace = (Network.loss10.trace(packets: 500) + Network.delaySteps.trace(packets: 2_000).suffix(1_500))
    var buffer = JitterBuffer()
    var decoder = TestDecoder()
    var block = [Int16](repeating: 0, count: JitterBuffer.blockSamples)
    var output = block.mutableSpan
    var now = MonotonicInstant(nanoseconds: 0)
    var next = 0
    var before = 0
    var allocated = 0
    while next < trace.count {
      if next == 100 { allocated = 0 }
      while next < trace.count, trace[next].arrival <= now {
        let packet = trace[next]
        let payload = recording[packet.number]
        next += 1
        before = callocation_count()
        buffer.insert(
          timestamp: packet.timestamp, sequence: UInt16(truncatingIfNeeded: packet.number), arrival: packet.arrival,
          payload: payload.span.bytes)
        allocated += callocation_count() - before
      }
      before = callocation_count()
      buffer.render(into: &output, now: now, decoder: &decoder)
      allocated += callocation_count() - before
      now = now + .milliseconds(10)
    }
    #expect(allocated == 0)
    let statistics = buffer.statistics
    #expect(statistics.recoveredSamples > 0)
    #expect(statistics.concealedSamples > 0)
    #expect(statistics.acceleratedSamples > 0)
    #expect(statistics.expandedSamples > 0)
  }
}
