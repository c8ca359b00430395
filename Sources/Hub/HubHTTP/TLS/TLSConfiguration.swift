internal import ConfigFile

/// `[tls]`: the hub's own certificate.
public struct TLSConfiguration: Sendable, Equatable {
  /// The certificate (PEM), followed by those of the authorities between.
  public var certificateFile: String
  /// Its key (PEM).
  public var keyFile: String

  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

struct TLSKeys: SettingGroup {
  var certificateFile: String?
  var keyFile: String?

  static let settings: [Setting<Self>] = [
    Setting(
      "certificate_file", \.certificateFile, .string, example: "\"/etc/livesessions/hub.pem\"",
      "The certificate (PEM), followed by those of the authorities between. Required with this table."),
    Setting(
      "key_file", \.keyFile, .string, example: "\"/etc/livesessions/hub.key\"",
      "The certificate's key (PEM, without a password), in a file of mode 0600. Required with this table."),
  ]

  static func check(_ table: ConfigTable, _ keys: inout TLSKeys) {
    guard !table.isEmpty else { return }
    for setting in settings.map(\.description) where !table.contains(setting.name) {
      table.addMissing(setting.name, example: setting.example ?? "")
    }
  }

  /// Nil for a hub that speaks plain HTTP.
  ///
  /// - Throws: when others can read the key.
  func configuration() throws(ConfigErrors) -> TLSConfiguration? {
    guard let certificateFile, let keyFile else { return nil }
    try SecretFile.check(path: keyFile)
    return TLSConfiguration(certificateFile: certificateFile, keyFile: keyFile)
  }
}
