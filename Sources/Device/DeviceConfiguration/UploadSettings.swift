public import ConfigFile
public import MediaCore

/// `[upload]`: where archives go when they have ended.
public struct UploadSettings: Sendable, Hashable {
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
  public var prefix: String
  /// Holds `KEYID:SECRET` for a bucket, the `Authorization` field's value for a folder; nil when systemd provides it.
  public var credentialsFile: String?
  /// Certificates of authorities that are trusted besides the system's.
  public var authorityFile: String?
  /// The certificate (PEM) whose owner alone can read what is uploaded; nil uploads archives as they are.
  public var certificateFile: String?
  /// Nil for as fast as it goes.
  public var maximumBitrate: Bitrate?
  /// While there is a call; zero pauses.
  public var maximumBitrateInCalls: Bitrate
  /// Whether, when room is needed, archives go first that the store has.
  public var deletesUploadedFirst: Bool

  init(_ table: ConfigTable) {
    let isPlainAllowed = table.bool("allow_plain_http", default: false)
    let bucket = Bucket(table, isPlainAllowed: isPlainAllowed)
    let url = table.value("url") { text throws(ConfigValueError) in
      try ServiceURL.check(
        text, of: "a folder that takes files", example: "https://nas.example/incoming",
        exposure: "shows recordings and password to the network", isPlainAllowed: isPlainAllowed)
    }
    prefix = table.value("prefix", parse: Self.prefix) ?? ""
    credentialsFile = table.absolutePath("credentials_file")
    authorityFile = table.absolutePath("ca_file")
    certificateFile = table.absolutePath("encrypt_for")
    maximumBitrate = table.bitrate("max_bitrate", in: 16_000...10_000_000_000).map { Bitrate(bitsPerSecond: $0) }
    maximumBitrateInCalls = Bitrate(
      bitsPerSecond: table.bitrate("max_bitrate_in_calls", default: 0, in: 0...10_000_000_000))
    deletesUploadedFirst = table.bool("delete_uploaded_first", default: false)
    destination = bucket.map { .bucket($0) } ?? url.map { .folder(url: $0) }
    check(table)
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
  private func check(_ table: ConfigTable) {
    if table.contains("endpoint"), table.contains("url") {
      table.addError(
        "archives go either to a bucket (endpoint) or to a folder (url)", remedy: "remove one of the two", at: "url")
    }
    guard !table.isEmpty, !table.contains("endpoint"), !table.contains("url") else { return }
    table.addMissing("endpoint", example: "\"https://s3.eu-central-1.amazonaws.com\"")
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
  /// Nil where the file names no store; what is missing is logged.
  init?(_ table: ConfigTable, isPlainAllowed: Bool) {
    let endpoint = table.value("endpoint") { text throws(ConfigValueError) in
      try Self.endpoint(text, isPlainAllowed: isPlainAllowed)
    }
    let name = table.value("bucket", parse: Self.name)
    let region = table.value("region", parse: Self.region) ?? "us-east-1"
    let isPathStyle = table.bool("path_style", default: true)
    let checksums = table.choice("checksums", as: UploadSettings.Checksums.self) ?? .auto
    guard table.contains("endpoint") else {
      for key in ["bucket", "region", "path_style", "checksums"] where table.contains(key) {
        table.addError("\(key) does nothing without endpoint", remedy: "add the store's endpoint", at: key)
      }
      return nil
    }
    if !table.contains("bucket") { table.addMissing("bucket", example: "\"recordings\"") }
    guard let endpoint, let name else { return nil }
    self.init(endpoint: endpoint, name: name, region: region, isPathStyle: isPathStyle, checksums: checksums)
    if !isPathStyle { checkHostName(table) }
  }

  /// The bucket becomes a label of the host's name: an address has none, and a certificate for `*.host` covers one.
  private func checkHostName(_ table: ConfigTable) {
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

  private static func endpoint(_ text: String, isPlainAllowed: Bool) throws(ConfigValueError) -> String {
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

  private static func name(_ text: String) throws(ConfigValueError) -> String {
    let isUsual = text.utf8.allSatisfy {
      (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || "-._".utf8.contains($0)
    }
    guard (3...63).contains(text.utf8.count), isUsual, !text.hasPrefix("."), !text.hasPrefix("-") else {
      throw ConfigValueError(
        "\"\(text)\" cannot be a bucket's name", remedy: "it has 3 to 63 letters, digits, dots and dashes")
    }
    return text
  }

  private static func region(_ text: String) throws(ConfigValueError) -> String {
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
