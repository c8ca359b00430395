internal import MediaCore

/// A format that libv4lconvert turns into YU12 or RGB24.
struct ConvertibleFormat: Hashable, Sendable {
  /// The kinds of frames, in the order of preference.
  enum Kind: Int, Sendable {
    /// YUV with another sampling or order.
    case yuv
    case rgb
    /// Compressed, or in blocks.
    case packed
    /// A sensor's mosaic of colours.
    case mosaic
    /// Without colour, as infrared cameras have it.
    case grey
  }

  let code: FourCC
  let kind: Kind
  /// Bits of a pixel in the first plane; nil where rows have no fixed length.
  let bitsPerPixel: Int?
  /// Rows for each row of the frame: 2 where a plane of chroma follows.
  let rowsPerRow: Int

  /// Nil for what libv4lconvert does not know.
  init?(_ code: FourCC) {
    guard !Self.excluded.contains(code), FrameConverter.supports(code) else { return nil }
    self.init(supported: code)
  }

  private init(supported code: FourCC) {
    let (kind, bits) = Self.known[code] ?? (.packed, nil)
    self.code = code
    self.kind = kind
    bitsPerPixel = bits
    rowsPerRow = code == FourCC("NV16") || code == FourCC("NV61") ? 2 : 1
  }

  /// The format it is converted to. RGB stays RGB, since libv4lconvert 1.22 swaps red and blue when it makes YU12 of
  /// RGB565; libyuv is faster at the rest, too.
  var target: PixelFormat { kind == .rgb ? .rgb24 : .yu12 }

  /// The rows of a frame, or nil where they have no fixed length.
  func rows(width: Int, height: Int) -> PlaneRows? {
    bitsPerPixel.map { PlaneRows(bytes: width * $0 / 8, count: height * rowsPerRow) }
  }

  /// What libv4lconvert takes, but had better not: it converts wrongly HSV (hues of one of two scales) and of
  /// grey of 4 or 6 bits (nearly black); when a frame is damaged, its decoders of five old webcams' formats leave or
  /// lose memory and that of a sixth prints a line; for two more it starts a process.
  private static let excluded: Set<FourCC> = [
    FourCC("HSV3"), FourCC("HSV4"), FourCC("Y04"), FourCC("Y06"), FourCC("JPGL"), FourCC("PJPG"), FourCC("S561"),
    FourCC("M310"), FourCC("JL20"), FourCC("CPIA"), FourCC("O511"), FourCC("O518"),
  ]

  /// Uncompressed formats: kind, bits of a pixel in the first plane.
  private static let known: [FourCC: (Kind, Int)] = {
    let mosaics8: [StaticString] = ["BA81", "GBRG", "GRBG", "RGGB"]
    let mosaics10: [StaticString] = ["pBAA", "pGAA", "pgAA", "pRAA"]
    let mosaics16: [StaticString] = ["BG10", "GB10", "BA10", "RG10", "BYR2", "GB16", "GR16", "RG16"]
    let rgb32: [StaticString] = ["RGB4", "BGR4", "XR24", "BX24", "AR24", "BA24"]
    var known: [FourCC: (Kind, Int)] = [
      FourCC("YVYU"): (.yuv, 16), FourCC("NV16"): (.yuv, 8), FourCC("NV61"): (.yuv, 8), FourCC("RGBP"): (.rgb, 16),
      FourCC("GREY"): (.grey, 8), FourCC("Y10B"): (.grey, 10), FourCC("Y16"): (.grey, 16),
      FourCC("Y16").bigEndian: (.grey, 16),
    ]
    for code in rgb32 { known[FourCC(code)] = (.rgb, 32) }
    for code in mosaics8 { known[FourCC(code)] = (.mosaic, 8) }
    for code in mosaics10 { known[FourCC(code)] = (.mosaic, 10) }
    for code in mosaics16 { known[FourCC(code)] = (.mosaic, 16) }
    return known
  }()
}
