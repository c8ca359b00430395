import ConfigFile

extension ConfigTable {
  /// What the other party of a call sees of the device.
  ///
  /// - Parameters:
  ///   - cameras: the names of what there is to see; nil where they are not known.
  ///   - publishesVideo: without video it is a mistake.
  func view(among cameras: [String]?, publishesVideo: Bool) -> String? {
    let view = cameras.map { reference("camera", among: $0, "[[camera]]") } ?? string("camera")
    if view != nil, !publishesVideo {
      addError("camera has no effect without video", remedy: "add \"video\" to publish", at: "camera")
    }
    return view
  }
}
