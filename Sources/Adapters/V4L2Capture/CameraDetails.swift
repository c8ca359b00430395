/// One of a camera's pixel formats.
public struct CameraFormat: Sendable, Hashable {
  /// What becomes of its frames.
  public enum Handling: Sendable, Hashable {
    /// libyuv takes them, or libjpeg-turbo.
    case native
    /// libv4lconvert takes them, with more work.
    case converted
    /// Nothing takes them.
    case unusable
  }

  /// The V4L2 code, for example `YUYV`: what ``CaptureRequest/format`` takes.
  public let code: String
  /// The driver's description.
  public let description: String
  public let handling: Handling
  /// Empty where the driver lists none, or takes any in `sizeRange`.
  public let sizes: [CameraFrameSize]
  public let sizeRange: CameraSizeRange?
}

/// The mode that a camera would be opened in.
public struct CameraChoice: Sendable, Hashable {
  /// The V4L2 code.
  public let format: String
  public let width: Int
  public let height: Int
  /// The highest that the driver lists at this size, or nil when it does not say.
  public let highestFrameRate: Double?
}

/// All that a camera says about itself.
public struct CameraDetails: Sendable, Hashable {
  public let driver: String
  /// Where the device is attached, for example `usb-0000:00:14.0-2`.
  public let bus: String
  public let formats: [CameraFormat]
  /// The names of its inputs, by their numbers; webcams have one.
  public let inputs: [String]
  /// What would be used for the request that was asked about, or why nothing would.
  public let choice: Result<CameraChoice, V4L2Error>

  /// Reads them from the device; works while the camera streams, here or in another program, and changes nothing.
  public init(path: String, request: CaptureRequest) throws(V4L2Error) {
    let node = try V4L2Node(path: path)
    driver = node.driver
    bus = node.bus
    formats = Self.formats(of: node)
    inputs = node.inputs()
    choice = Self.choice(of: node, request)
  }

  private static func choice(
    of node: borrowing V4L2Node, _ request: CaptureRequest
  ) -> Result<CameraChoice, V4L2Error> {
    do throws(V4L2Error) {
      let mode = try node.chooseMode(request)
      return .success(
        CameraChoice(
          format: mode.code.description, width: mode.width, height: mode.height, highestFrameRate: mode.frameRate))
    } catch {
      return .failure(error)
    }
  }

  private static func formats(of node: borrowing V4L2Node) -> [CameraFormat] {
    var formats: [CameraFormat] = []
    for (code, description) in node.pixelFormats() {
      var sizes: [CameraFrameSize] = []
      var sizeRange: CameraSizeRange?
      switch node.frameSizes(code) {
      case .discrete(let listed):
        for (width, height) in listed {
          let rates = node.frameRates(code, width: width, height: height)
          sizes.append(CameraFrameSize(width: width, height: height, frameRates: rates))
        }
      case .range(let range): sizeRange = range
      case .unknown: break
      }
      formats.append(
        CameraFormat(
          code: code.description, description: description, handling: handling(of: code), sizes: sizes,
          sizeRange: sizeRange))
    }
    return formats
  }

  private static func handling(of code: FourCC) -> CameraFormat.Handling {
    guard let delivery = FrameDelivery(code) else { return .unusable }
    return delivery.isConverted ? .converted : .native
  }
}
