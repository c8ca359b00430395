internal import MediaCore
internal import PixelConversion

/// Decodes the JPEGs of one camera, and takes the size that they have where it is not the one that the mode announced.
struct JPEGFrames: ~Copyable {
  enum Outcome: Hashable {
    case drawn
    case damaged(FrameDamage)
    /// Frames have the size ``width`` × ``height`` now; this one was not drawn.
    case resized
  }

  /// Pixels of the frames that are drawn.
  private(set) var width: Int
  private(set) var height: Int
  private let modeWidth: Int
  private let modeHeight: Int
  private var decoder: JPEGDecoder
  /// The other size that came last, and in how many frames one after the other.
  private var other = (width: 0, height: 0, count: 0)
  private var adoptions = 0

  /// A damaged header does not repeat itself this many times.
  private static let requiredCount = 3
  /// Other frames of a camera that keeps changing its size count as damaged.
  private static let maximumAdoptions = 4
  private static let smallestSide = 16
  /// Of the mode's samples: what is adopted costs memory and time.
  private static let largestFactor = 4

  /// - Returns: nil where libjpeg does not start.
  init?(width: Int, height: Int) {
    guard let decoder = JPEGDecoder(width: width, height: height) else { return nil }
    self.decoder = decoder
    (self.width, self.height) = (width, height)
    (modeWidth, modeHeight) = (width, height)
  }

  /// Decodes into the whole of `image`. Allocates when the size changes.
  mutating func draw(_ frame: RawSpan, into image: inout I420Buffer) -> Outcome {
    // A buffer of the size before.
    guard image.width == width, image.height == height else { return .resized }
    do throws(PixelConversionError) {
      try decoder.decode(frame, into: &image)
      other.count = 0
      return .drawn
    } catch {
      return fault(error)
    }
  }

  private mutating func fault(_ error: PixelConversionError) -> Outcome {
    guard case .undecodable(let fault) = error else { return .damaged(.broken) }
    switch fault {
    case .incomplete: return .damaged(.incomplete)
    case .unsupported: return .damaged(.unsupported)
    case .damaged: return .damaged(.broken)
    case .otherSize(let width, let height):
      return adopt(width, height)
        ? .resized
        : .damaged(.otherSize(width: width, height: height, modeWidth: modeWidth, modeHeight: modeHeight))
    }
  }

  private mutating func adopt(_ width: Int, _ height: Int) -> Bool {
    other = (width, height, other.width == width && other.height == height ? other.count + 1 : 1)
    guard other.count >= Self.requiredCount, adoptions < Self.maximumAdoptions, isAdoptable(width, height),
      let decoder = JPEGDecoder(width: width, height: height)
    else { return false }
    self.decoder = decoder
    (self.width, self.height) = (width, height)
    adoptions += 1
    other.count = 0
    return true
  }

  private func isAdoptable(_ width: Int, _ height: Int) -> Bool {
    min(width, height) >= Self.smallestSide
      && Int64(width) * Int64(height) <= Int64(modeWidth) * Int64(modeHeight) * Int64(Self.largestFactor)
  }
}
