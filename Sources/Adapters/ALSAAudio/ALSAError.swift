internal import CALSA
internal import Glibc

/// A sound device could not be opened or has failed; with the call, the device and a remedy.
public struct ALSAError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function.
  public let call: String
  /// The `errno` that it returned, positive.
  public let errno: Int32
  /// The ALSA name of the device.
  public let device: String

  init(_ call: String, _ result: Int32, _ device: String) {
    self.call = call
    errno = -result
    self.device = device
  }

  /// Whether the device is gone (unplugged, or its driver unbound).
  public var isDeviceGone: Bool { [ENODEV, ENXIO, ENOENT].contains(errno) }

  public var description: String { "\(device): \(call): \(String(cString: snd_strerror(-errno)))\(advice)" }

  private var advice: String {
    switch errno {
    case EACCES, EPERM: "; the daemon's user must be in the group that owns /dev/snd (usually audio)"
    case EBUSY: "; another program uses the card: end it, or share the card by a dsnoop: or dmix: name or PipeWire"
    case ENOENT where call == "snd_card_next": "; no sound card is there, or it lacks this direction"
    case ENOENT: "; no such device: livesessions devices and arecord -L list them"
    case ENODEV, ENXIO: "; the card was unplugged, or lacks this direction"
    case ETIMEDOUT: "; the card takes no samples: it or its driver hangs"
    case EINVAL where call.hasPrefix("snd_pcm_hw_params"): "; the card lacks \(lacking): name it plughw: instead of hw:"
    default: ""
    }
  }

  /// What a refused parameter requested.
  private var lacking: String {
    switch call {
    case "snd_pcm_hw_params_set_access": "interleaved access"
    case "snd_pcm_hw_params_set_format": "16, 24 and 32 bits"
    case "snd_pcm_hw_params_set_channels": "1 to 32 channels"
    case "snd_pcm_hw_params_set_rate": "rates from 8 to 192 kHz"
    default: "this"
    }
  }
}

extension ALSAError {
  /// No card is there to choose from.
  public static var noCard: ALSAError { ALSAError("snd_card_next", -ENOENT, "auto") }
}
