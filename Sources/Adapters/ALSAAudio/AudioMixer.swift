internal import CALSA

/// One control of a sound card's mixer, as far as it decides whether anything is audible.
public struct AudioMixerControl: Sendable, Hashable {
  /// The setting of one direction.
  public struct Setting: Sendable, Hashable {
    /// Nil where there is no switch.
    public var isOn: Bool?
    /// Above the lowest value, on any channel; nil where there is no volume.
    public var isAudible: Bool?

    public init(isOn: Bool? = nil, isAudible: Bool? = nil) {
      self.isOn = isOn
      self.isAudible = isAudible
    }

    var exists: Bool { isOn != nil || isAudible != nil }
    var isMuted: Bool { isOn == false || isAudible == false }
  }

  /// As `amixer` names it, for example `Master`.
  public var name: String
  public var playback: Setting
  public var capture: Setting

  public init(name: String, playback: Setting = Setting(), capture: Setting = Setting()) {
    self.name = name
    self.playback = playback
    self.capture = capture
  }

  func setting(_ direction: AudioDirection) -> Setting {
    switch direction {
    case .playback: playback
    case .capture: capture
    }
  }
}

/// The mixer of a sound card (ALSA's simple elements).
public enum AudioMixer {
  /// Why a card stays silent; nil where the mixer does not mute it, or is unknown.
  ///
  /// - Parameter device: the ALSA name of a device of the card.
  public static func muteProblem(of device: String, _ direction: AudioDirection) -> String? {
    muteProblem(controls(of: card(of: device)), direction)
  }

  /// All sound passes through these.
  private static let decisive: [AudioDirection: [String]] = [
    .playback: ["Master", "PCM", "Digital"], .capture: ["Capture", "Digital"],
  ]

  /// The first control that all sound passes and that lets nothing through; or all others, where none lets anything through.
  static func muteProblem(_ controls: [AudioMixerControl], _ direction: AudioDirection) -> String? {
    let controls = controls.filter { $0.setting(direction).exists }
    let names = decisive[direction] ?? []
    if let muted = controls.first(where: { names.contains($0.name) && $0.setting(direction).isMuted }) {
      return text(muted, direction)
    }
    let others = controls.filter { !names.contains($0.name) && $0.setting(direction).isOn != nil }
    guard controls.count == others.count, let first = others.first,
      others.allSatisfy({ $0.setting(direction).isMuted })
    else { return nil }
    return text(first, direction)
  }

  private static func text(_ control: AudioMixerControl, _ direction: AudioDirection) -> String {
    control.setting(direction).isOn == false ? "\(control.name) is off" : "\(control.name) is at 0 %"
  }

  /// The card that a device belongs to, by the name that mixers have: `hw:CARD=Device,DEV=0` becomes `hw:Device`.
  public static func card(of device: String) -> String {
    guard let colon = device.firstIndex(of: ":") else { return device }
    let arguments = device[device.index(after: colon)...].split(separator: ",")
    let named = arguments.first { $0.hasPrefix("CARD=") }?.dropFirst("CARD=".count)
    guard let card = named ?? arguments.first, !card.contains("=") else { return device }
    return "hw:\(card)"
  }

  /// Empty where there is no mixer, or none that may be read.
  private static func controls(of card: String) -> [AudioMixerControl] {
    calsa_silence_errors()
    var mixer: OpaquePointer?
    guard snd_mixer_open(&mixer, 0) == 0 else { return [] }
    defer { snd_mixer_close(mixer) }
    guard snd_mixer_attach(mixer, card) == 0, snd_mixer_selem_register(mixer, nil, nil) == 0,
      snd_mixer_load(mixer) == 0
    else { return [] }
    var controls: [AudioMixerControl] = []
    var element = snd_mixer_first_elem(mixer)
    while let current = element {
      if snd_mixer_selem_is_active(current) != 0 { controls.append(control(current)) }
      element = snd_mixer_elem_next(current)
    }
    return controls
  }

  private static func control(_ element: OpaquePointer) -> AudioMixerControl {
    AudioMixerControl(
      name: snd_mixer_selem_get_name(element).map { String(cString: $0) } ?? "",
      playback: AudioMixerControl.Setting(isOn: playbackSwitch(element), isAudible: playbackVolume(element)),
      capture: AudioMixerControl.Setting(isOn: captureSwitch(element), isAudible: captureVolume(element)))
  }

  private static var channels: [snd_mixer_selem_channel_id_t] {
    [SND_MIXER_SCHN_FRONT_LEFT, SND_MIXER_SCHN_FRONT_RIGHT]
  }

  private static func playbackSwitch(_ element: OpaquePointer) -> Bool? {
    guard snd_mixer_selem_has_playback_switch(element) != 0 else { return nil }
    return channels.contains { channel in
      var value: Int32 = 0
      return snd_mixer_selem_get_playback_switch(element, channel, &value) == 0 && value != 0
    }
  }

  private static func captureSwitch(_ element: OpaquePointer) -> Bool? {
    guard snd_mixer_selem_has_capture_switch(element) != 0 else { return nil }
    return channels.contains { channel in
      var value: Int32 = 0
      return snd_mixer_selem_get_capture_switch(element, channel, &value) == 0 && value != 0
    }
  }

  private static func playbackVolume(_ element: OpaquePointer) -> Bool? {
    var (lowest, highest) = (0, 0)
    guard snd_mixer_selem_has_playback_volume(element) != 0,
      snd_mixer_selem_get_playback_volume_range(element, &lowest, &highest) == 0, lowest < highest
    else { return nil }
    return channels.contains { channel in
      var value = lowest
      return snd_mixer_selem_get_playback_volume(element, channel, &value) == 0 && value > lowest
    }
  }

  private static func captureVolume(_ element: OpaquePointer) -> Bool? {
    var (lowest, highest) = (0, 0)
    guard snd_mixer_selem_has_capture_volume(element) != 0,
      snd_mixer_selem_get_capture_volume_range(element, &lowest, &highest) == 0, lowest < highest
    else { return nil }
    return channels.contains { channel in
      var value = lowest
      return snd_mixer_selem_get_capture_volume(element, channel, &value) == 0 && value > lowest
    }
  }
}
