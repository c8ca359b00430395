import MediaCore
import Testing

@Suite struct NearestSampleTests {
  @Test(
    "The nearest sample of a value",
    arguments: [
      (0, 0), (-0.0, 0), (0.4, 0), (0.6, 1), (-0.4, 0), (-0.6, -1), (32_766.6, 32_767), (32_767.4, 32_767),
      (40_000, 32_767), (-32_767.6, -32_768), (-32_768.4, -32_768), (-40_000, -32_768), (Float.infinity, 32_767),
      (-Float.infinity, -32_768), (Float.nan, 0), (Float.greatestFiniteMagnitude, 32_767),
      (-Float.greatestFiniteMagnitude, -32_768), (Float.leastNonzeroMagnitude, 0),
    ] as [(Float, Int16)])
  func nearest(value: Float, sample: Int16) { #expect(Int16(nearest: value) == sample) }

  @Test func everySampleIsNearestToItself() {
    for sample in Int16.min...Int16.max where Int16(nearest: Float(sample)) != sample {
      Issue.record("\(sample) becomes \(Int16(nearest: Float(sample)))")
    }
  }
}
