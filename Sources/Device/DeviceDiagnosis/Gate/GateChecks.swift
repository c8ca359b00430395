import ControlMessages
import DeviceConfiguration
import MediaCore
import MediaPlaneAPI
import SystemSupport
import V4L2Capture

/// The checks of the gate. The daemon runs, and what it has open is left to it.
struct GateChecks: Sendable {
  private static let snapshotLimit = Duration.seconds(40)

  let subject: Subject

  func daemon() -> Finding {
    switch subject.daemon {
    case .running(let status, _):
      guard status.version == ProgramVersion.text else {
        return Finding(
          .daemon, .failure, "the daemon is version \(status.version), but \(ProgramVersion.text) is installed",
          remedy: "systemctl restart \(subject.instance.unit)")
      }
      return Finding(.daemon, .ok, "runs, version \(status.version)")
    case .stopped:
      return Finding(
        .daemon, .failure, "the daemon is not running", remedy: "journalctl -u \(subject.instance.unit) says why")
    case .silent(let reason): return Finding(.daemon, .failure, reason)
    }
  }

  /// A frame of each, through the daemon: driver, permissions and conversion are those of calls.
  func cameras() -> [Finding] {
    let main = subject.configuration.video.cameras.contains(.none) ? [] : [String?.none]
    let names = main + subject.configuration.cameras.map { Optional($0.name) }
    guard !names.isEmpty else { return [Finding(.camera, .ok, "none is configured")] }
    return names.map(camera)
  }

  private func camera(_ name: String?) -> Finding {
    let title = name.map { "\($0): " } ?? ""
    if let problem = absence(name) { return Finding(.camera, .failure, title + problem.text, remedy: problem.remedy) }
    let device = subject.daemon.status?.devices.first { $0.target == .camera && $0.camera == name }
    guard device?.isMuted != true else { return Finding(.camera, .ok, "\(title)is muted") }
    do throws(ControlClientError) {
      var client = try ControlClient(path: subject.configuration.control.socket)
      _ = try client.call(.snapshot, SnapshotParameters(camera: name), timeout: Self.snapshotLimit)
      return Finding(.camera, .ok, "\(title)delivers frames")
    } catch {
      return Finding(.camera, .failure, title + error.description)
    }
  }

  /// Where `auto` finds none, the daemon sends test bars instead.
  private func absence(_ name: String?) -> (text: String, remedy: String)? {
    guard name == nil, subject.configuration.video.cameras == [.automatic], CameraList.survey().cameras.isEmpty else {
      return nil
    }
    return ("none is there", "on a device without, set camera = \"none\" in [video]")
  }

  func microphone() -> [Finding] { sound(.microphone).microphone() }

  func speaker() -> [Finding] { sound(.speaker).speaker() }

  /// A card that the daemon does not use at the moment is opened for a moment, as without the daemon.
  private func sound(_ target: MuteTarget) -> SoundCheck {
    let isIdle = subject.daemon.status?.devices.contains { $0.target == target && $0.state != "idle" } == false
    var subject = subject
    if isIdle { subject.daemon = .stopped }
    return SoundCheck(subject: subject, needsCard: true)
  }

  func hub() -> [Finding] {
    guard subject.daemon.status?.isOnline != true else { return HubCheck(subject: subject).findings() }
    var alone = subject
    alone.daemon = .stopped
    let findings = HubCheck(subject: alone, forgivesAbsence: true).findings()
    guard findings.allSatisfy({ $0.verdict == .ok }) else { return findings }
    return [Finding(.hub, .failure, "it takes this device, but the daemon is not there yet")]
  }
}
