internal import CALSA

/// A sound device that can be opened.
public struct AudioDeviceDescription: Sendable, Hashable {
  /// The ALSA name, naming the card by its id, which survives reboots: `hw:CARD=Device,DEV=0`.
  public let name: String
  /// What the driver calls the card.
  public let title: String
  public let canCapture: Bool
  public let canPlay: Bool
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
          canPlay: has(SND_PCM_STREAM_PLAYBACK, device, control)))
    }
    return devices
  }

  private static func has(_ direction: snd_pcm_stream_t, _ device: Int32, _ control: OpaquePointer?) -> Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0 else { return false }
    defer { snd_pcm_info_free(info) }
    snd_pcm_info_set_device(info, UInt32(clamping: device))
    snd_pcm_info_set_subdevice(info, 0)
    snd_pcm_info_set_stream(info, direction)
    return snd_ctl_pcm_info(control, info) == 0
  }
}
