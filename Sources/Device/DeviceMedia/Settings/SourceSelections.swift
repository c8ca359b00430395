import AudioProcessing
public import DeviceConfiguration
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import V4L2Capture

extension VideoSettings {
  /// Without sound and masks.
  var pipelineConfiguration: MediaPipelineConfiguration {
    var configuration = MediaPipelineConfiguration(
      cameras: selections, pixelFormat: pixelFormat, microphone: .none, width: width, height: height,
      frameRate: frameRate, videoBitrate: bitrate, temporalLayers: temporalLayers)
    configuration.findsStillness = savesStillScenes
    configuration.cameraSetup = CameraSetup(
      input: input, standard: standard.map(\.setup), powerLine: powerLineFrequency.map(\.setup))
    return configuration
  }

  /// Numbers distinguish programs of the same name.
  private var selections: [VideoSourceSelection] {
    var names: [String: Int] = [:]
    return cameras.map { camera in
      guard case .program(var program) = camera.selection else { return camera.selection }
      let number = names[program.name, default: 0] + 1
      names[program.name] = number
      if number > 1 { program.name += "#\(number)" }
      return .program(program)
    }
  }
}

extension VideoStandard {
  fileprivate var setup: CameraSetup.Standard {
    switch self {
    case .pal: .pal
    case .ntsc: .ntsc
    case .secam: .secam
    }
  }
}

extension PowerLineFrequency {
  fileprivate var setup: CameraSetup.PowerLine {
    switch self {
    case .hertz50: .hertz50
    case .hertz60: .hertz60
    case .automatic: .automatic
    case .off: .off
    }
  }
}

extension CameraSource {
  var selection: VideoSourceSelection {
    switch self {
    case .automatic: .automatic
    case .device(let path): .camera(path: path)
    case .file(let path, let repeats): .file(path: path, repeats: repeats)
    case .testBars: .testBars
    case .testStreet: .testStreet
    case .program(let program): .program(program.program)
    case .none: .none
    }
  }
}

extension MicrophoneSource {
  var selection: AudioSourceSelection {
    switch self {
    case .automatic: .automatic
    case .device(let name): .device(name)
    case .file(let path, let repeats): .file(path: path, repeats: repeats)
    case .testTone: .testTone(frequency: 1_000)
    case .program(let program):
      .program(
        AudioProgram(
          name: programName(program.command), command: program.command, rate: program.rate, channels: program.channels))
    case .none: .none
    }
  }
}

extension CameraProgram {
  fileprivate var program: VideoProgram {
    VideoProgram(
      name: programName(command), command: command, format: format.program, width: width, height: height,
      frameRate: frameRate)
  }
}

extension CameraProgram.Format {
  fileprivate var program: VideoProgram.Format {
    switch self {
    case .y4m: .y4m
    case .yuv420p: .yuv420p
    case .nv12: .nv12
    case .mjpeg: .mjpeg
    }
  }
}

extension AudioSettings {
  /// A loudspeaker that no microphone picks up costs nothing but this.
  public var cancelsEcho: Bool { echoCancellation != .off && speaker != .none }

  var echoControl: EchoControlSettings {
    var settings = EchoControlSettings()
    settings.duplex = echoCancellation == .halfDuplex ? .half : .full
    settings.noiseReduction = Float(noiseReduction)
    settings.speechLevel = speechLevel.map { Float($0) }
    return settings
  }
}

extension SpeakerSink {
  var selection: SpeakerSelection {
    switch self {
    case .automatic: .automatic
    case .device(let name): .device(name)
    case .none: .none
    }
  }
}
