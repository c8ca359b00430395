internal import CALSA
internal import Glibc

/// A sound device could not be opened or has failed; says which call on which device, and what may help.
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
    case EBUSY: "; another program is using the device"
    case ENOENT: "; no such device: arecord -L lists them"
    case ENODEV, ENXIO: "; the device was unplugged"
    case EINVAL where call.hasPrefix("snd_pcm_hw_params"): "; the card lacks this: name it plughw: instead of hw:"
    default: ""
    }
  }
}

extension ALSAError {
  /// No card is there to choose from.
  public static var noCard: ALSAError { ALSAError("snd_card_next", -ENOENT, "auto") }
}
