internal import PixelConversion

/// Why a frame that came cannot be shown.
enum FrameDamage: Hashable, Sendable {
  /// The driver marked it, or its bytes are no frame.
  case broken
  /// Data are missing.
  case incomplete
  /// A JPEG of a kind that is not decoded.
  case unsupported
  /// A program's JPEG is none, or of a kind that is not decoded.
  case undecodable
  /// A JPEG of another size than the mode's, too large to be taken or not the same twice.
  case otherSize(width: Int, height: Int, modeWidth: Int, modeHeight: Int)

  /// The text for a camera that delivers nothing else.
  var text: String {
    switch self {
    case .broken: "came damaged; try another pixel_format or a shorter cable"
    case .incomplete: "came damaged, with parts missing; try a shorter cable, another USB port or another pixel_format"
    case .unsupported: "is a JPEG that is not supported (progressive, or not YCbCr); choose another pixel_format"
    case .undecodable: "could not be decoded; have the program write whole baseline JPEGs in YCbCr"
    case .otherSize(let width, let height, let modeWidth, let modeHeight):
      "is \(width)×\(height) in a mode of \(modeWidth)×\(modeHeight); choose that size or another pixel_format"
    }
  }
}
