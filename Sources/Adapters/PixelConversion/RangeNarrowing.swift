internal import MediaCore

extension I420Buffer {
  /// Brings samples of 0 to 255, as JPEG has them, to the 16 to 235 of luma and 16 to 240 of chroma (ITU-R BT.601).
  mutating func narrowRange() {
    let lumaCount = yStride * height
    let chromaCount = chromaStride * chromaHeight
    withUnsafeMutablePlanes { y, u, v in
      Self.scale(y, count: lumaCount, by: 220, offset: 16 * 256 + 128)
      Self.scale(u, count: chromaCount, by: 225, offset: 16 * 256)
      Self.scale(v, count: chromaCount, by: 225, offset: 16 * 256)
    }
  }

  /// Multiplies by `factor` 256ths and adds `offset` 256ths; the results must fit into 8 bits. A plain loop, which the
  /// compiler turns into vector code.
  private static func scale(_ samples: UnsafeMutablePointer<UInt8>, count: Int, by factor: UInt16, offset: UInt16) {
    for index in 0..<count {
      samples[index] = UInt8(truncatingIfNeeded: (UInt16(samples[index]) &* factor &+ offset) &>> 8)
    }
  }
}
