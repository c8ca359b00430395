internal import CLinux
internal import Glibc

// Inputs, analogue standards and the power line's frequency.
extension V4L2Node {
  /// No grabber has more.
  private static var limit: UInt32 { 64 }

  /// The driver's names of its inputs, by their numbers; empty where it has none to choose from.
  func inputs() -> [String] {
    var names: [String] = []
    var entry = v4l2_input()
    while entry.index < Self.limit, status(cv4l2_enuminput, &entry) == 0 {
      names.append(text(entry.name))
      entry.index += 1
    }
    return names
  }

  /// Applies the requested settings.
  func apply(_ setup: CameraSetup) throws(V4L2Error) {
    if let input = setup.input { try select(input) }
    if let standard = setup.standard { try set(standard) } else { followSignal() }
    if let powerLine = setup.powerLine { try set(powerLine) }
  }

  private func select(_ input: String) throws(V4L2Error) {
    let offered = inputs()
    guard let number = offered.firstIndex(of: input) ?? offered.indices.first(where: { String($0) == input })
    else { throw V4L2Error(.inputNotOffered(wanted: input, offered: offered), path: path) }
    var index = Int32(clamping: number)
    try run(cv4l2_s_input, "VIDIOC_S_INPUT", &index)
  }

  private func set(_ standard: CameraSetup.Standard) throws(V4L2Error) {
    var mask: v4l2_std_id =
      switch standard {
      case .pal: cv4l2_std_pal
      case .ntsc: cv4l2_std_ntsc
      case .secam: cv4l2_std_secam
      }
    guard status(cv4l2_s_std, &mask) == 0 else {
      throw V4L2Error(.settingNotOffered("the standard \(standard.rawValue)"), path: path)
    }
  }

  /// For an analogue input that detects its signal; others report that they do not.
  private func followSignal() {
    var (input, detected) = (Int32(0), v4l2_std_id(0))
    var entry = v4l2_input()
    guard status(cv4l2_g_input, &input) == 0, input >= 0 else { return }
    entry.index = UInt32(clamping: input)
    guard status(cv4l2_enuminput, &entry) == 0, entry.std != 0 else { return }
    guard status(cv4l2_querystd, &detected) == 0, detected != 0, detected & entry.std != entry.std else { return }
    _ = status(cv4l2_s_std, &detected)
  }

  private func set(_ powerLine: CameraSetup.PowerLine) throws(V4L2Error) {
    var control = v4l2_control()
    control.id = cv4l2_power_line_frequency
    control.value =
      switch powerLine {
      case .off: 0
      case .hertz50: 1
      case .hertz60: 2
      case .automatic: 3
      }
    guard status(cv4l2_s_ctrl, &control) == 0 else {
      throw V4L2Error(.settingNotOffered("this power_line_frequency"), path: path)
    }
  }
}

/// How the rows of a frame lie in time.
enum FieldOrder: Hashable, Sendable {
  /// All at once.
  case progressive
  /// Odd and even ones in turn, from two moments.
  case interlaced
  /// One of both, or one behind the other: no frame can be made of that.
  case separate

  init(_ field: UInt32) {
    switch field {
    case V4L2_FIELD_INTERLACED.rawValue, V4L2_FIELD_INTERLACED_TB.rawValue, V4L2_FIELD_INTERLACED_BT.rawValue:
      self = .interlaced
    case V4L2_FIELD_SEQ_TB.rawValue, V4L2_FIELD_SEQ_BT.rawValue, V4L2_FIELD_ALTERNATE.rawValue: self = .separate
    // Drivers that say "any" do not know; a field alone is a frame of half the height.
    default: self = .progressive
    }
  }
}
