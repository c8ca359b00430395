public import DeviceConfiguration
import Glibc
import MediaCore
import MediaPlaneAPI

extension SoundSettings {
  public var files: EventSoundFiles {
    EventSoundFiles(ringing: ringSound, recording: recording, ended: ended, refused: refused, action: action)
  }

  private var ringSound: RingSound? {
    switch ringing {
    case .tone: .tone
    case .announcement(let announcement): .announcement(announcement)
    case .none: nil
    }
  }

  /// What samples are multiplied by.
  public var gain: Float { pow(10, Float(volume) / 20) }
}
