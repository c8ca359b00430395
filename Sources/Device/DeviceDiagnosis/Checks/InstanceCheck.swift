import ConfigFile
import ControlMessages
import DeviceConfiguration
import Glibc
import SystemSupport

/// Whether another daemon of this machine that runs wants what this one wants, too.
struct InstanceCheck {
  let subject: Subject
  /// The others that run, with what their files say now.
  var others: [(instance: DeviceInstance, configuration: DeviceConfiguration)]

  init(subject: Subject) {
    self.init(
      subject: subject,
      others: DeviceInstance.configured().filter { $0 != subject.instance }.compactMap { instance in
        guard let configuration = try? DeviceConfiguration(path: instance.configurationPath),
          DaemonState(socket: configuration.control.socket).isThere
        else { return nil }
        return (instance, configuration)
      })
  }

  init(subject: Subject, others: [(DeviceInstance, DeviceConfiguration)]) {
    self.subject = subject
    self.others = others
  }

  func findings() -> [Finding] { others.flatMap { findings($0.instance, $0.configuration) } }

  private func findings(_ instance: DeviceInstance, _ other: DeviceConfiguration) -> [Finding] {
    let own = subject.configuration
    let claims: [(part: Finding.Part, verdict: Finding.Verdict, what: String?, key: String)] = [
      (
        .camera, .warning, own.claimedCameras.shared(with: other.claimedCameras),
        "camera of [video] or path of [[camera]]"
      ),
      (.microphone, .warning, own.claimedMicrophones.shared(with: other.claimedMicrophones), "microphone of [audio]"),
      (.network, .failure, own.claimedPorts.shared(with: other.claimedPorts), "port of [network]"),
      (.state, .failure, own.claimedFolders.shared(with: other.claimedFolders), "state_directory of [device]"),
      (.daemon, .failure, own.claimedSockets.shared(with: other.claimedSockets), "the address in one of the files"),
    ]
    return claims.compactMap { part, verdict, what, key in
      what.map { Finding(part, verdict, "\($0) belongs to \(instance.unit), too", remedy: "change \(key)") }
    }
  }
}

extension DeviceConfiguration {
  /// As the file names them.
  fileprivate var claimedCameras: [String] {
    ([video] + cameras.map(\.video)).flatMap(\.cameras).compactMap { camera in
      switch camera {
      case .device(let path): Self.resolved(path)
      case .automatic: "the first camera"
      case .file, .testBars, .testStreet, .program, .none: nil
      }
    }
  }

  fileprivate var claimedMicrophones: [String] {
    switch audio.microphone {
    case .device(let name): [name]
    case .automatic: ["the first microphone"]
    case .file, .testTone, .program, .none: []
    }
  }

  fileprivate var claimedPorts: [String] { network.port == 0 ? [] : ["UDP port \(network.port)"] }

  fileprivate var claimedFolders: [String] { Array(Set([identity.stateDirectory, archive.directory])) }

  fileprivate var claimedSockets: [String] {
    [control.socket] + [control.monitorSocket, http.listen?.text, telemetry.prometheus?.text].compactMap(\.self)
  }

  /// Names below /dev/v4l lead to the same nodes.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}

extension [String] {
  fileprivate func shared(with others: [String]) -> String? { first { others.contains($0) } }
}

extension LocalAddress {
  fileprivate var text: String {
    switch self {
    case .loopback(let endpoint): "\(endpoint.host):\(endpoint.port)"
    case .unix(let path): path
    }
  }
}
