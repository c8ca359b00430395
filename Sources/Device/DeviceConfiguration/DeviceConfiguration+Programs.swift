extension DeviceConfiguration {
  /// Takes over other programs in place of those that capture, which the running daemon can start. Whether a source is a program
  /// at all takes a restart, and so does one that a privacy mask names: no frame is ever shown with less covered.
  mutating func adoptPrograms(of fresh: DeviceConfiguration) {
    if CameraSource.areProgramsAlone(replacing: video.cameras, by: fresh.video.cameras),
      !privacyMasks.contains(where: \.isOfOneOfSeveral)
    {
      video.cameras = fresh.video.cameras
    }
    for index in cameras.indices {
      guard let other = fresh.cameras.first(where: { $0.name == cameras[index].name }) else { continue }
      if CameraSource.areProgramsAlone(replacing: cameras[index].video.cameras, by: other.video.cameras) {
        cameras[index].video.cameras = other.video.cameras
      }
    }
    if case (.program, .program) = (audio.microphone, fresh.audio.microphone) {
      audio.microphone = fresh.audio.microphone
    }
  }
}

extension CameraSource {
  /// Whether lists of cameras are equal but for programs.
  fileprivate static func areProgramsAlone(replacing old: [CameraSource], by new: [CameraSource]) -> Bool {
    old.count == new.count
      && zip(old, new).allSatisfy { old, new in
        if case (.program, .program) = (old, new) { true } else { old == new }
      }
  }
}

extension PrivacyMaskSettings {
  fileprivate var isOfOneOfSeveral: Bool { if case .main? = camera { true } else { false } }
}
