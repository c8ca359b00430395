public import ConfigFile
public import MediaCore

/// `[upload]`: where archives go when they have ended.
public struct UploadSettings: SettingGroup, Hashable {
  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` provides.
  public static let credentialName = "upload-credentials"

  public enum Destination: Sendable, Hashable {
    case bucket(Bucket)
    /// Files are PUT below this URL.
    case folder(url: String)
  }

  /// Of an S3-compatible store.
  public struct Bucket: Sendable, Hashable {
    /// `https://host[:port]`.
    public var endpoint: String
    public var name: String
    public var region: String
    /// Whether the bucket stands in the path; it is part of the host's name otherwise.
    public var isPathStyle: Bool
    public var checksums: Checksums
  }

  /// What goes with each body besides its signed SHA-256 digest.
  public enum Checksums: String, Sendable, CaseIterable {
    /// `x-amz-checksum-sha256`, until the store refuses it; then what it takes.
    case auto
    case sha256, md5, none
  }

  /// Nil uploads nothing.
  public var destination: Destination?
  /// Comes before the path of each archive; empty, or with a slash at its end.
  public var prefix = ""
  /// Holds `KEYID:SECRET` for a bucket, the `Authorization` field's value for a folder; nil when systemd provides it.
  public var credentialsFile: String?
  /// Certificates of authorities that are trusted besides the system's.
  public var authorityFile: String?
  /// The certificate (PEM) whose owner alone can read what is uploaded; nil uploads archives as they are.
  public var certificateFile: String?
  /// Nil for as fast as it goes.
  public var maximumBitrate: Bitrate?
  /// While there is a call; zero pauses.
  public var maximumBitrateInCalls = Bitrate.kilobits(0)
  /// Whether, when room is needed, archives go first that the store has.
  public var deletesUploadedFirst = false
  /// What the file says of a destination.
  private var written = WrittenDestination()

  private struct WrittenDestination: Sendable, Hashable {
    var endpoint: String?
    var bucket: String?
    var region = "us-east-1"
    var isPathStyle = true
    var checksums = Checksums.auto
    var url: String?
    var isPlainAllowed = false
  }

  public init() {}

  static let settings: [Setting<UploadSettings>] = [
    Setting(
      "endpoint", \.written.endpoint,
      urlType { text, isPlainAllowed throws(ConfigValueError) in
        try Bucket.endpoint(text, isPlainAllowed: isPlainAllowed)
      },
      example: "\"https://s3.eu-central-1.amazonaws.com\"", "The S3-compatible store that takes archives."),
    Setting(
      "bucket", \.written.bucket, .text("string", text: \.self, parse: Bucket.name), example: "\"recordings\"",
      "The store's bucket; required with `endpoint`."),
    Setting("region", \.written.region, .text("string", text: \.self, parse: Bucket.region), "The bucket's region."),
    Setting(
      "path_style", \.written.isPathStyle, .bool,
      "Whether the bucket is part of the path; with `false` it is part of the host's name."),
    Setting(
      "checksums", \.written.checksums, .choice(),
      """
      What goes with each body besides its signed digest: what the store takes, or sha256 (x-amz-checksum-sha256), \
      md5 (Content-MD5), or none.
      """),
    Setting(
      "url", \.written.url,
      urlType { text, isPlainAllowed throws(ConfigValueError) in
        try ServiceURL.check(
          text, of: "a folder that takes files", example: "https://nas.example/incoming",
          exposure: "shows recordings and password to the network", isPlainAllowed: isPlainAllowed)
      }, example: "\"https://nas.example/incoming\"",
      "In place of `endpoint`: a folder of a web server; files are PUT below this URL."),
    Setting(
      "credentials_file", \.credentialsFile, .absolutePath, example: "\"/etc/livesessions/upload-credentials\"",
      """
      KEYID:SECRET for a bucket, the Authorization field's value for `url`, in a file with mode 0600. Without it the \
      credentials come from systemd (`LoadCredential=upload-credentials:/path`).
      """),
    Setting(
      "prefix", \.prefix, .text("string", text: \.self, parse: prefix), "Comes before each archive's path."),
    Setting(
      "ca_file", \.authorityFile, .absolutePath, example: "\"/etc/livesessions/store-ca.pem\"",
      "Certificates (PEM) of authorities that are trusted besides the system's."),
    Setting("allow_plain_http", \.written.isPlainAllowed, .bool, "Permit plain http to another machine."),
    Setting(
      "encrypt_for", \.certificateFile, .absolutePath, example: "\"/etc/livesessions/recordings.pem\"",
      """
      A certificate (PEM, RSA) whose owner alone can read what is uploaded; objects are then named NAME.cms.
      """),
    Setting(
      "max_bitrate", \.maximumBitrate, .bitrate(16_000...10_000_000_000), example: "\"2Mbit/s\"",
      "How fast is uploaded; without it as fast as possible."),
    Setting(
      "max_bitrate_in_calls", \.maximumBitrateInCalls, .bitrate(0...10_000_000_000),
      "How fast is uploaded while there is a call; `\"0kbit/s\"` pauses."),
    Setting(
      "delete_uploaded_first", \.deletesUploadedFirst, .bool,
      "When room is needed, delete archives that the store has before all others."),
  ]

  private static func urlType(
    _ parse: @escaping @Sendable (String, Bool) throws(ConfigValueError) -> String
  ) -> SettingType<String> {
    SettingType(
      "URL", form: .text,
      read: { table, key in
        table.value(key) { text throws(ConfigValueError) in try parse(text, table.isTrue("allow_plain_http")) }
      }, text: TOMLText.string)
  }

  /// For people: where archives go, without secrets; nil where they go nowhere.
  public var destinationText: String? {
    switch destination {
    case .bucket(let bucket): "\(bucket.endpoint)/\(bucket.name)/\(prefix)"
    case .folder(let url): url + (url.hasSuffix("/") ? "" : "/") + prefix
    case nil: nil
    }
  }

  /// Reads the credentials from the configured file or else from systemd's.
  ///
  /// - Parameter credentialsDirectory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  /// - Returns: nil when neither is there.
  /// - Throws: when the file is missing, empty, or readable by others.
  public func credentials(credentialsDirectory: String?) throws(ConfigErrors) -> String? {
    if let credentialsFile { return try SecretFile.read(path: credentialsFile) }
    guard let credentialsDirectory else { return nil }
    let path = "\(credentialsDirectory)/\(Self.credentialName)"
    return SecretFile.exists(path: path) ? try SecretFile.read(path: path) : nil
  }
}

extension UploadSettings {
  static func check(_ table: ConfigTable, _ settings: inout UploadSettings) {
    let bucket = settings.bucket(table)
    settings.destination = bucket.map { .bucket($0) } ?? settings.written.url.map { .folder(url: $0) }
    if table.contains("endpoint"), table.contains("url") {
      table.addError(
        "archives go either to a bucket (endpoint) or to a folder (url)", remedy: "remove one of the two", at: "url")
    }
    guard !table.isEmpty, !table.contains("endpoint"), !table.contains("url") else { return }
    table.addMissing("endpoint", example: "\"https://s3.eu-central-1.amazonaws.com\"")
  }

  /// Nil where the file names no store; what is missing is logged.
  private func bucket(_ table: ConfigTable) -> Bucket? {
    guard table.contains("endpoint") else {
      for key in ["bucket", "region", "path_style", "checksums"] where table.contains(key) {
        table.addError("\(key) does nothing without endpoint", remedy: "add the store's endpoint", at: key)
      }
      return nil
    }
    if !table.contains("bucket") { table.addMissing("bucket", example: "\"recordings\"") }
    guard let endpoint = written.endpoint, let name = written.bucket else { return nil }
    let bucket = Bucket(
      endpoint: endpoint, name: name, region: written.region, isPathStyle: written.isPathStyle,
      checksums: written.checksums)
    if !bucket.isPathStyle { bucket.checkHostName(table) }
    return bucket
  }

  private static func prefix(_ text: String) throws(ConfigValueError) -> String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isUsual = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard text.utf8.count <= 256, isUsual, !text.hasPrefix("/"), !parts.contains(where: { $0 == "." || $0 == ".." })
    else {
      throw ConfigValueError(
        "prefix cannot be \"\(text)\"", remedy: "write for example prefix = \"front-door\", without . and .. in it")
    }
    return text.isEmpty || text.hasSuffix("/") ? text : text + "/"
  }
}

extension UploadSettings.Bucket {
  /// The bucket becomes a label of the host's name: an address has none, and a certificate for `*.host` covers one.
  fileprivate func checkHostName(_ table: ConfigTable) {
    let host = endpointHost.prefix { $0 != ":" }
    if host.hasPrefix("[") || host.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }) {
      table.addError(
        "path_style = false puts the bucket before the name of the host, and \(endpoint) has none",
        remedy: "remove path_style, or give the store a name", at: "path_style")
    } else if name.contains("."), endpoint.hasPrefix("https") {
      table.addError(
        "the certificate for *.\(host) does not cover \(name).\(host)",
        remedy: "remove path_style, or take a bucket without dots in its name", at: "path_style")
    }
  }

  fileprivate static func endpoint(_ text: String, isPlainAllowed: Bool) throws(ConfigValueError) -> String {
    let url = try ServiceURL.check(
      text, of: "an S3-compatible store", example: "https://s3.eu-central-1.amazonaws.com",
      exposure: "shows recordings to the network", isPlainAllowed: isPlainAllowed)
    let bare = url.hasSuffix("/") ? String(url.dropLast()) : url
    guard bare.count(where: { $0 == "/" }) == 2 else {
      throw ConfigValueError(
        "endpoint has a path", remedy: "name the bucket with bucket, and what comes before each archive with prefix")
    }
    return bare
  }

  fileprivate static func name(_ text: String) throws(ConfigValueError) -> String {
    let isUsual = text.utf8.allSatisfy {
      (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || "-._".utf8.contains($0)
    }
    guard (3...63).contains(text.utf8.count), isUsual, !text.hasPrefix("."), !text.hasPrefix("-") else {
      throw ConfigValueError(
        "\"\(text)\" cannot be a bucket's name", remedy: "it has 3 to 63 letters, digits, dots and dashes")
    }
    return text
  }

  fileprivate static func region(_ text: String) throws(ConfigValueError) -> String {
    let isUsual = text.utf8.allSatisfy {
      (97...122).contains($0) || (48...57).contains($0) || "-_".utf8.contains($0)
    }
    guard (1...64).contains(text.utf8.count), isUsual else {
      throw ConfigValueError("\"\(text)\" cannot be a region", remedy: "write for example region = \"eu-central-1\"")
    }
    return text
  }

  /// `https://` or `http://`.
  public var scheme: String { endpoint.lowercased().hasPrefix("https") ? "https://" : "http://" }

  /// The endpoint's host, with its port where it has one.
  public var endpointHost: String { String(endpoint.dropFirst(scheme.count)) }
}
