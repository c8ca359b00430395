internal import ALSAAudio
internal import V4L2Capture

/// What `auto` means on this machine now, found without opening a device for media.
///
/// Blocks for moments while it scans `/dev`; the choice is repeated when a source starts.
public struct SourcePreview: Sendable, Hashable {
  /// A name to configure by, and a description for people.
  public struct Source: Sendable, Hashable {
    public var name: String
    public var description: String
  }

  /// The first of the cameras configured.
  public var camera: Source
  public var microphone: Source
  public var speaker: Source

  public init(_ configuration: MediaPipelineConfiguration, speaker: SpeakerSelection) {
    camera = Self.source(configuration.cameras[0])
    let devices = AudioDeviceList.current()
    microphone = Self.source(configuration.microphone, devices)
    self.speaker = Self.source(speaker, devices)
  }

  private static func source(_ selection: VideoSourceSelection) -> Source {
    switch selection {
    case .automatic:
      guard let camera = CameraList.current().first else {
        return Source(name: "test:bars", description: "test:bars (no camera was found)")
      }
      let path = camera.stablePath ?? camera.path
      return Source(name: path, description: "\(camera.name) at \(path)")
    case .camera, .file, .testBars, .testStreet, .program, .none:
      return Source(name: selection.name, description: selection.name)
    }
  }

  private static func source(_ selection: AudioSourceSelection, _ devices: [AudioDeviceDescription]) -> Source {
    switch selection {
    case .automatic:
      guard let device = devices.inPreference(for: .capture).first else {
        return Source(name: "test:tone", description: "test:tone (no microphone was found)")
      }
      return Source(name: device.name, description: "\(device.title) at \(device.name)")
    case .device(let name): return Source(name: name, description: name)
    case .file(let path, _): return Source(name: "file:\(path)", description: "file:\(path)")
    case .testTone(let frequency): return Source(name: "test:tone", description: "test:tone of \(frequency) Hz")
    case .program(let program): return Source(name: program.name, description: program.name)
    case .none: return Source(name: "none", description: "none")
    }
  }

  private static func source(_ selection: SpeakerSelection, _ devices: [AudioDeviceDescription]) -> Source {
    switch selection {
    case .automatic:
      guard let device = devices.inPreference(for: .playback).first else {
        return Source(name: "none", description: "none was found")
      }
      return Source(name: device.name, description: "\(device.title) at \(device.name)")
    case .device(let name): return Source(name: name, description: name)
    case .testNull: return Source(name: "test:null", description: "test:null")
    case .none: return Source(name: "none", description: "none")
    }
  }
}
