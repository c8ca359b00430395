internal import ALSAAudio
internal import Glibc
internal import RealtimeRuntime
internal import V4L2Capture

/// Says why the devices that are configured cannot work, before they are needed.
///
/// Opens cameras for moments, which turns no light on and disturbs no stream, and named sound cards, which should be
/// unused at that time. Blocks as long as a driver does.
public struct SourceProbe: Sendable {
  private let configuration: MediaPipelineConfiguration
  private let sources: @Sendable () -> MediaSources
  private let speaker: SpeakerSelection

  /// - Parameter pipeline: what captures by this configuration.
  public init(_ configuration: MediaPipelineConfiguration, speaker: SpeakerSelection, of pipeline: MediaPipeline) {
    self.configuration = configuration
    self.speaker = speaker
    sources = { pipeline.sources }
  }

  /// The first problem of the cameras configured, with what to do about it; nil if there is none.
  public var cameraProblem: String? { sources().cameras.lazy.compactMap { problem(of: $0) }.first }

  /// What keeps the microphone from working.
  public var microphoneProblem: String? {
    switch sources().microphone {
    case .automatic:
      AudioDeviceList.current().contains(where: \.canCapture) ? nil : AudioDeviceList.accessProblem?.description
    case .device(let name): Self.problem(of: name, .capture)
    case .file(let path, _): Self.problem(ofFile: path)
    case .program(let program): Self.problem(ofProgram: program.command[0], program.name)
    case .testTone, .none: nil
    }
  }

  /// What keeps the loudspeaker from working.
  public var speakerProblem: String? {
    switch speaker {
    case .automatic:
      AudioDeviceList.current().contains(where: \.canPlay) ? nil : AudioDeviceList.accessProblem?.description
    case .device(let name): Self.problem(of: name, .playback)
    case .testNull, .none: nil
    }
  }

  private func problem(of selection: VideoSourceSelection) -> String? {
    switch selection {
    case .automatic:
      let (cameras, failures) = CameraList.survey()
      return cameras.isEmpty ? failures.first?.description : nil
    case .camera(let path): return problem(ofCamera: path)
    case .file(let path, _): return Self.problem(ofFile: path)
    case .program(let program): return Self.problem(ofProgram: program.command[0], program.name)
    case .testBars, .testStreet, .none: return nil
    }
  }

  private func problem(ofCamera path: String) -> String? {
    let request = CaptureRequest(
      width: configuration.width, height: configuration.height, frameRate: configuration.frameRate,
      format: configuration.pixelFormat)
    do throws(V4L2Error) {
      guard case .failure(let error) = try CameraDetails(path: path, request: request).choice else { return nil }
      return error.description
    } catch {
      return error.description
    }
  }

  private static func problem(of name: String, _ direction: AudioDirection) -> String? {
    do throws(ALSAError) {
      _ = try AudioDeviceList.capabilities(of: name, direction)
      return nil
    } catch {
      return error.description
    }
  }

  private static func problem(ofProgram name: String, _ title: String) -> String? {
    guard let path = ProgramSearch.absolutePath(of: name) else {
      return "\(title): no folder of PATH has \(name); install it, or write its whole path"
    }
    guard access(path, X_OK) != 0 else { return nil }
    return "\(title): \(path): \(String(cString: strerror(errno))); the daemon's user must be able to run it"
  }

  private static func problem(ofFile path: String) -> String? {
    guard access(path, R_OK) != 0 else { return nil }
    return "\(path): \(String(cString: strerror(errno))); the daemon's user must be able to read it"
  }
}
