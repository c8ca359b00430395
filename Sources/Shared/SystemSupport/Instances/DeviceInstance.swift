import Glibc

/// One of the daemons of a machine, and what is its own: folders, sockets, unit and credentials.
///
/// The one without a name is what the packages set up. A further one is made by its configuration: the folder of its
/// name in ``folder``, with device.toml and policy.toml.
public struct DeviceInstance: Sendable, Hashable {
  /// Where the configuration of all daemons is.
  public static let folder = "/etc/livesessions"
  public static let unnamed = DeviceInstance(validName: nil)

  /// 1 to 32 of a to z, 0 to 9, - and _, beginning with a letter or digit; nil for the one without a name.
  public let name: String?

  private static let configurationName = "device.toml"
  private static let policyName = "policy.toml"

  private init(validName: String?) { name = validName }

  /// - Returns: nil for a text that is no name. systemd escapes none of those that are.
  public init?(name: String) {
    guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte),
      let first = name.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "_")
    else { return nil }
    self.init(validName: name)
  }

  /// The instance that a configuration or policy belongs to; a file elsewhere than in ``folder`` belongs to the unnamed
  /// one.
  public init(configurationPath path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = Self.folder.split(separator: "/", omittingEmptySubsequences: false)
    let names = [Self.configurationName, Self.policyName]
    guard parts.count == folder.count + 2, parts.starts(with: folder), names.contains(String(parts[folder.count + 1])),
      let instance = DeviceInstance(name: String(parts[folder.count]))
    else {
      self = .unnamed
      return
    }
    self = instance
  }

  /// The instance whose usual control socket has this path; the unnamed one for any other path.
  public init(socket path: String) {
    let named = path.split(separator: "@").dropFirst().first?.split(separator: "/").first
    let instance = named.flatMap { DeviceInstance(name: String($0)) } ?? .unnamed
    self = instance.socket == path ? instance : .unnamed
  }

  /// The instances whose configuration is there, the unnamed one among them, by their names.
  public static func configured() -> [DeviceInstance] {
    let named = FolderEntries.names(in: folder).sorted().compactMap { DeviceInstance(name: $0) }
    return ([unnamed] + named).filter { access($0.configurationPath, F_OK) == 0 }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension DeviceInstance {
  public var configurationPath: String { "\(configurationFolder)/\(Self.configurationName)" }
  public var policyPath: String { "\(configurationFolder)/\(Self.policyName)" }
  /// Where state is kept unless the configuration says otherwise.
  public var stateDirectory: String { "/var/lib/livesessions\(suffix)" }
  /// The control socket unless the configuration says otherwise.
  public var socket: String { "/run/livesessions\(suffix)/control" }
  /// systemd's unit, without `.service`.
  public var unit: String { "livesessionsd\(suffix)" }
  /// The option by which commands find this daemon, after a space; empty for the unnamed one.
  public var option: String { name.map { " --instance \($0)" } ?? "" }

  /// The file name, in systemd's store of credentials, of what the unit passes as `credential`.
  public func credentialFile(_ credential: String) -> String { "livesessions\(suffix).\(credential)" }

  private var configurationFolder: String { name.map { "\(Self.folder)/\($0)" } ?? Self.folder }
  private var suffix: String { name.map { "@\($0)" } ?? "" }
}
