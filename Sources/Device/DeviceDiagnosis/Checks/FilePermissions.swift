import CallPolicy
import ConfigFile
import ControlMessages
import DeviceConfiguration
import Glibc
import MediaCore
import SystemSupport

/// Whether the daemon's user may use the files, secrets and devices that the configuration needs.
struct FilePermissions {
  let subject: Subject
  let configurationPaths: [String]

  func findings() -> [Finding] {
    let problems = files() + secrets() + devices()
    guard problems.isEmpty else { return problems }
    let groups = subject.unit.supplementaryGroups
    let note = groups.isEmpty ? "" : ", with the groups \(groups.joined(separator: ", ")) of the service"
    return [Finding(.permissions, .ok, "the user \(subject.account.name) may use all that is configured\(note)")]
  }

  private func files() -> [Finding] {
    let settings = subject.configuration
    let sounds = settings.sounds.announcements.compactMap { announcement -> String? in
      if case .file(let path) = announcement { path } else { nil }
    }
    let paths =
      configurationPaths + sounds
      + [
        settings.network.turnAuthorityFile, settings.upload.authorityFile, settings.upload.certificateFile,
        settings.mqtt.authorityFile, settings.mqtt.certificateFile,
      ].compactMap(\.self) + settings.publications.compactMap(\.authorityFile)
    return paths.compactMap { problem(.read, $0, remedy: "change its owner or mode, as root") }
      + [stateDirectory()].compactMap(\.self)
  }

  /// systemd makes it, and the daemon does.
  private func stateDirectory() -> Finding? {
    let path = subject.configuration.identity.stateDirectory
    guard case .denied(let text) = subject.account.permission([.read, .write, .execute], path) else { return nil }
    return Finding(.permissions, .failure, text, remedy: "run: chown -R \(subject.account.name) '\(path)'")
  }

  private func problem(_ rights: ServiceAccount.Rights, _ path: String, remedy: String) -> Finding? {
    switch subject.account.permission(rights, path) {
    case .granted: nil
    case .denied(let text): Finding(.permissions, .failure, text, remedy: remedy)
    case .absent: Finding(.permissions, .failure, "there is no file \(path)", remedy: "make it, or name another")
    case .unknown: Finding(.permissions, .warning, "\(path) is not readable for you", remedy: "run this as root")
    }
  }
}

// MARK: - Secrets

extension FilePermissions {
  private func secrets() -> [Finding] {
    let pins = (subject.policy?.actions.rules ?? []).compactMap(\.pin)
    let configuration = subject.configuration
    let files = [
      configuration.hub.proxyCredentialsFile, configuration.upload.credentialsFile, configuration.mqtt.passwordFile,
      configuration.mqtt.keyFile,
    ]
    return enrolmentKey() + pins.flatMap { pin($0) }
      + (files.compactMap(\.self) + configuration.publications.compactMap(\.tokenFile)).flatMap { secret($0) }
  }

  private func enrolmentKey() -> [Finding] {
    if let path = subject.configuration.hub.enrolmentKeyFile { return secret(path) }
    guard !SecretFile.exists(path: subject.credential), geteuid() == 0 else { return [] }
    return [
      Finding(
        .permissions, .warning, "there is no enrolment key, so the device logs in anonymously, if the hub lets it",
        remedy: "make one at the hub with livesessions-hub enrol-device, and put it into \(subject.credential)")
    ]
  }

  private func pin(_ source: ActionRule.PINSource) -> [Finding] {
    guard case .file(let path) = source else { return [] }
    return secret(path)
  }

  private func secret(_ path: String) -> [Finding] {
    if let finding = problem(.read, path, remedy: "run: chown \(subject.account.name) '\(path)'") { return [finding] }
    do throws(ConfigErrors) {
      _ = try SecretFile.read(path: path)
      return []
    } catch {
      // Of a file that is not theirs others learn nothing but that.
      guard geteuid() == 0 || geteuid() == subject.account.userID else { return [] }
      return error.errors.map { Finding(.permissions, .failure, "\($0.file): \($0.problem)", remedy: $0.remedy) }
    }
  }
}

// MARK: - Devices

extension FilePermissions {
  /// Device files of one kind.
  private struct Kind {
    var paths: [String]
    /// The group that owns them as a rule.
    var group: String
    /// As `DeviceAllow=` names it.
    var device: String
  }

  private func devices() -> [Finding] {
    kinds().flatMap { kind in
      let denied = kind.paths.lazy.compactMap { path -> (path: String, text: String)? in
        if case .denied(let text) = subject.account.permission(rights(of: kind), path) { (path, text) } else { nil }
      }.first
      let user = denied.map {
        Finding(
          .permissions, .failure, $0.text,
          remedy: DeviceNodeRemedy($0.path).text(user: subject.account.name, usualGroup: kind.group))
      }
      return [user, service(kind)].compactMap(\.self)
    }
  }

  private func rights(of kind: Kind) -> ServiceAccount.Rights { kind.group == "input" ? .read : [.read, .write] }

  /// What the unit's list of devices leaves out.
  private func service(_ kind: Kind) -> Finding? {
    guard subject.unit.isInstalled, let allowed = subject.unit.devices, !kind.paths.isEmpty else { return nil }
    guard !allowed.contains(where: { $0 == kind.device || kind.paths.contains($0) }) else { return nil }
    let right = kind.group == "input" ? "r" : "rw"
    return Finding(
      .permissions, .failure, "\(subject.instance.unit).service does not let the daemon open \(kind.paths[0])",
      remedy:
        "run: systemctl edit \(subject.instance.unit).service, and add DeviceAllow=\(kind.device) \(right) below [Service]"
    )
  }

  private func kinds() -> [Kind] {
    let settings = subject.configuration
    var kinds: [Kind] = []
    let cameras = ([settings.video] + settings.cameras.map(\.video)).flatMap(\.devicePaths)
    if !cameras.isEmpty { kinds.append(Kind(paths: cameras, group: "video", device: "char-video4linux")) }
    if settings.audio.usesCard {
      let nodes = FolderEntries.names(in: "/dev/snd").filter { $0.hasPrefix("pcm") || $0.hasPrefix("control") }
      kinds.append(Kind(paths: nodes.sorted().map { "/dev/snd/\($0)" }, group: "audio", device: "char-alsa"))
    }
    if settings.usesGPIO {
      let chips = FolderEntries.names(in: "/dev").filter { $0.hasPrefix("gpiochip") }
      kinds.append(Kind(paths: chips.sorted().map { "/dev/\($0)" }, group: "gpio", device: "char-gpiochip"))
    }
    if settings.usesKeys {
      let inputs = FolderEntries.names(in: "/dev/input").filter { $0.hasPrefix("event") }
      kinds.append(Kind(paths: inputs.sorted().map { "/dev/input/\($0)" }, group: "input", device: "char-input"))
    }
    return kinds
  }
}

/// How a user gets to use a device file.
struct DeviceNodeRemedy {
  /// The file's mode bits for its group, and the group; nil for a group that should have no members.
  private let group: String?

  init(_ path: String) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    self.init(group: isThere ? status.st_gid : 0, mode: isThere ? status.st_mode : 0)
  }

  init(group: gid_t, mode: mode_t) {
    let isUsable = group != 0 && mode & S_IRGRP != 0
    self.group = isUsable ? getgrgid(group).map { String(cString: $0.pointee.gr_name) } : nil
  }

  /// Being in a group helps where the file gives that group something; else the file has to be given to one.
  func text(user: String, usualGroup: String) -> String {
    guard let group else {
      return "no group may use it: have udev give it to one, by a rule with GROUP=\"\(usualGroup)\", MODE=\"0660\" in"
        + " /etc/udev/rules.d; then run: udevadm control --reload, udevadm trigger, adduser \(user) \(usualGroup),"
        + " and restart the daemon"
    }
    return "run: adduser \(user) \(group), and restart the daemon"
  }
}

extension VideoSettings {
  /// The nodes of the cameras that are there; all that there are where the first is taken.
  fileprivate var devicePaths: [String] {
    cameras.flatMap { camera -> [String] in
      switch camera {
      case .device(let path): [path]
      case .automatic: FolderEntries.names(in: "/dev").filter { $0.hasPrefix("video") }.map { "/dev/\($0)" }
      case .file, .testBars, .testStreet, .program, .none: []
      }
    }
  }
}

extension AudioSettings {
  fileprivate var usesCard: Bool {
    let captures =
      switch microphone {
      case .automatic, .device: true
      case .file, .testTone, .program, .none: false
      }
    return captures || speaker != .none
  }
}

extension DeviceConfiguration {
  fileprivate var usesGPIO: Bool {
    actions.contains { $0.line != nil } || inputs.contains { if case .line = $0 { true } else { false } }
  }

  fileprivate var usesKeys: Bool { inputs.contains { if case .key = $0 { true } else { false } } }

  private var inputs: [InputPlace] {
    buttons.map(\.place) + events.sources.compactMap { if case .input(let place) = $0.watching { place } else { nil } }
  }
}
