import ControlMessages
import DeviceConfiguration
import MediaCore
import MediaPlaneAPI
import SystemSupport
import V4L2Capture

/// Whether video can be captured.
struct CameraCheck {
  let subject: Subject

  func findings() -> [Finding] {
    let further = subject.configuration.cameras
    if let status = subject.daemon.status {
      let report = DeviceReport(status: status, instance: subject.instance)
      return report.findings(.camera, .camera) + further.flatMap { report.findings(.camera, .camera, $0.name) }
    }
    return findings(subject.configuration.video)
      + further.flatMap { camera in
        findings(camera.video).map { Finding($0.part, $0.verdict, "\(camera.name): \($0.text)", remedy: $0.remedy) }
      }
  }

  private func findings(_ video: VideoSettings) -> [Finding] { video.cameras.flatMap { findings($0, video) } }

  private func findings(_ camera: CameraSource, _ video: VideoSettings) -> [Finding] {
    switch camera {
    case .none: return [Finding(.camera, .ok, "none is configured")]
    case .testBars: return [Finding(.camera, .ok, "test bars are configured")]
    case .testStreet: return [Finding(.camera, .ok, "the test street is configured")]
    case .file(let path, _): return [file(path, .camera, subject.account)]
    case .program(let program): return [ProgramCheck(part: .camera, account: subject.account).source(program.command)]
    case .device(let path): return [device(path, name: nil, video)]
    case .automatic: return automatic(video)
    }
  }

  private func automatic(_ video: VideoSettings) -> [Finding] {
    let (found, failures) = CameraList.survey()
    let problems = failures.map { Finding(.camera, .warning, $0.description) }
    guard let first = found.first else {
      return problems + [
        Finding(
          .camera, .warning, "none is there, so test bars are sent",
          remedy: "plug one in; on a device without, set camera = \"none\" in [video]")
      ]
    }
    return problems + [device(first.path, name: first.name, video)]
  }

  private func device(_ path: String, name: String?, _ video: VideoSettings) -> Finding {
    let request = CaptureRequest(
      width: video.width, height: video.height, frameRate: video.frameRate, format: video.pixelFormat)
    do throws(V4L2Error) {
      let mode = try CameraDetails(path: path, request: request).choice.get()
      let rate = mode.highestFrameRate.map { ", up to \(Int(saturating: $0.rounded()))/s" } ?? ""
      let title = name.map { "\($0), \(path)" } ?? path
      return Finding(.camera, .ok, "\(title): \(mode.format) \(mode.width)×\(mode.height)\(rate)")
    } catch {
      return Finding(.camera, .failure, error.description, remedy: "see livesessions devices for what is there")
    }
  }
}

/// A file that stands for a camera or a microphone.
func file(_ path: String, _ part: Finding.Part, _ account: ServiceAccount) -> Finding {
  switch account.permission(.read, path) {
  case .granted: Finding(part, .ok, "the file \(path)")
  case .denied(let text): Finding(part, .failure, text, remedy: "change its owner or mode")
  case .absent: Finding(part, .failure, "there is no file \(path)", remedy: "make it, or name another")
  case .unknown: Finding(part, .warning, "\(path) is not readable for you", remedy: "run this as root")
  }
}

/// What the running daemon reports of a camera, a microphone or a loudspeaker.
struct DeviceReport {
  let status: DeviceStatus
  var instance = DeviceInstance.unnamed

  /// - Parameter camera: the name of a further one.
  func findings(_ part: Finding.Part, _ target: MuteTarget, _ camera: String? = nil) -> [Finding] {
    let title = camera.map { "\($0): " } ?? ""
    let lasting = (status.problems ?? []).filter {
      $0.lasts && $0.part == DevicePart(target) && $0.camera == camera
    }
    guard lasting.isEmpty else { return lasting.map { Finding(part, .failure, title + $0.text) } }
    let devices = status.devices.filter { $0.target == target && $0.camera == camera && $0.name != "none" }
    guard !devices.isEmpty else {
      guard let camera else { return [Finding(part, .ok, "none is configured")] }
      return [
        Finding(
          part, .warning, "\(camera): the daemon does not know it yet", remedy: "systemctl restart \(instance.unit)")
      ]
    }
    return devices.map { device in
      let failures = device.failures.flatMap { $0 > 0 ? ", failed \($0) times since the start" : nil } ?? ""
      let details = device.details.map { ", \($0)" } ?? ""
      let text = "\(title)\(device.name) is \(device.state)\(details)\(failures)"
      return Finding(part, failures.isEmpty ? .ok : .warning, text)
    }
  }
}
