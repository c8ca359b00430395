/// By how much a frame is brighter than the background as a whole: a camera's automatic exposure, clouds, dusk.
///
/// The median of the ratios of every seventh cell, so that what covers less than half of the frame does not count.
struct ExposureEstimate: ~Copyable {
  private let bins = CellPlane<UInt16>(repeating: 0, count: ExposureEstimate.binCount)

  private static let binCount = 1_024
  private static let step = 7
  /// Darker ones say little of a ratio.
  private static let darkest: Int32 = 12 << 8
  private static let brightest: UInt8 = 250

  /// Of 256; 256 where there is too little to judge by.
  func gain(of luma: borrowing CellPlane<UInt8>, over means: borrowing CellPlane<Int32>) -> Int32 {
    for index in 0..<bins.count { bins[index] = 0 }
    var total = 0
    for index in stride(from: 0, to: luma.count, by: Self.step) {
      guard means[index] >= Self.darkest, luma[index] < Self.brightest else { continue }
      let ratio = (Int32(luma[index]) << 16) / means[index]
      let bin = min(Int(clamping: ratio), Self.binCount - 1)
      bins[bin] = bins[bin] + 1
      total += 1
    }
    return total * Self.step * 4 < luma.count ? 256 : median(total)
  }

  private func median(_ total: Int) -> Int32 {
    var seen = 0
    for index in 0..<bins.count {
      seen += Int(bins[index])
      if 2 * seen >= total { return Int32(clamping: max(index, 32)) }
    }
    return 256
  }
}
