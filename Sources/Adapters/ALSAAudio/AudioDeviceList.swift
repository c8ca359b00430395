internal import CALSA

/// A sound device that can be opened.
public struct AudioDeviceDescription: Sendable, Hashable {
  /// The ALSA name, naming the card by its id, which survives reboots: `hw:CARD=Device,DEV=0`.
  public let name: String
  /// What the driver calls the card.
  public let title: String
  public let canCapture: Bool
  public let canPlay: Bool
  /// What the driver calls the device of the card, for example `HDMI 0`.
  let deviceName: String

  /// Takes the values unchecked.
  public init(name: String, title: String, canCapture: Bool, canPlay: Bool, deviceName: String = "") {
    self.name = name
    self.title = title
    self.canCapture = canCapture
    self.canPlay = canPlay
    self.deviceName = deviceName
  }

  func can(_ direction: AudioDirection) -> Bool {
    switch direction {
    case .capture: canCapture
    case .playback: canPlay
    }
  }

  /// It most likely leads to no audible output, or comes from nowhere: a digital output, of which the card does not
  /// know whether anything is plugged in, or a driver that only pretends.
  fileprivate var isUnlikely: Bool {
    let texts = [name, title, deviceName].map { $0.lowercased() }
    return Self.unlikelyWords.contains { word in texts.contains { $0.contains(word) } }
  }

  private static let unlikelyWords = ["hdmi", "displayport", "iec958", "s/pdif", "spdif", "loopback", "dummy"]
}

extension [AudioDeviceDescription] {
  /// Those with this direction, the one that `auto` takes first. A loudspeaker that is a microphone, too, comes before others:
  /// that is the one meant for speech.
  public func inPreference(for direction: AudioDirection) -> [AudioDeviceDescription] {
    let rank = { (device: AudioDeviceDescription) in
      device.isUnlikely ? 2 : direction == .playback && !device.canCapture ? 1 : 0
    }
    let usable = filter { $0.can(direction) }.enumerated()
    return usable.sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
  }
}

/// Finds sound devices.
public enum AudioDeviceList {
  /// The devices of every card, in the order of ALSA's numbers; opens none for sound.
  public static func current() -> [AudioDeviceDescription] {
    calsa_silence_errors()
    var devices: [AudioDeviceDescription] = []
    var card: Int32 = -1
    while snd_card_next(&card) == 0, card >= 0 { devices += self.devices(ofCard: card) }
    return devices
  }

  private static func devices(ofCard card: Int32) -> [AudioDeviceDescription] {
    var control: OpaquePointer?
    var info: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(card)", 0) == 0 else { return [] }
    defer { snd_ctl_close(control) }
    guard snd_ctl_card_info_malloc(&info) == 0 else { return [] }
    defer { snd_ctl_card_info_free(info) }
    guard snd_ctl_card_info(control, info) == 0 else { return [] }
    let id = String(cString: snd_ctl_card_info_get_id(info))
    let title = String(cString: snd_ctl_card_info_get_name(info))
    var devices: [AudioDeviceDescription] = []
    var device: Int32 = -1
    while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
      devices.append(
        AudioDeviceDescription(
          name: "hw:CARD=\(id),DEV=\(device)", title: title,
          canCapture: has(SND_PCM_STREAM_CAPTURE, device, control),
          canPlay: has(SND_PCM_STREAM_PLAYBACK, device, control), deviceName: deviceName(device, control)))
    }
    return devices
  }

  private static func has(_ direction: snd_pcm_stream_t, _ device: Int32, _ control: OpaquePointer?) -> Bool {
    name(direction, device, control) != nil
  }

  private static func deviceName(_ device: Int32, _ control: OpaquePointer?) -> String {
    name(SND_PCM_STREAM_PLAYBACK, device, control) ?? name(SND_PCM_STREAM_CAPTURE, device, control) ?? ""
  }

  /// What the driver calls a device; nil where it lacks the direction.
  private static func name(_ direction: snd_pcm_stream_t, _ device: Int32, _ control: OpaquePointer?) -> String? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0 else { return nil }
    defer { snd_pcm_info_free(info) }
    snd_pcm_info_set_device(info, UInt32(clamping: device))
    snd_pcm_info_set_subdevice(info, 0)
    snd_pcm_info_set_stream(info, direction)
    guard snd_ctl_pcm_info(control, info) == 0 else { return nil }
    return snd_pcm_info_get_name(info).map { String(cString: $0) } ?? ""
  }
}
