internal import ConfigFile
internal import Foundation
internal import HTTPConnections

/// `[[webhook]]`: the receivers of events at devices.
public struct WebhookConfiguration: Sendable, Equatable {
  public static let maxCount = 8

  /// `http://` or `https://` with a host, maybe a path and a query, which may hold secrets.
  public var url: String
  /// With which what is sent is signed; nil for none.
  public var secret: WebhookSecret?

  public init(url: String, secret: WebhookSecret? = nil) {
    self.url = url
    self.secret = secret
  }
}

/// The octets of a webhook's secret.
public struct WebhookSecret: Sendable, Equatable {
  private static let prefix = "whsec_"
  private static let shortest = 16

  let octets: [UInt8]

  /// `whsec_` and base64, or any other text as it is; nil for less than 16 octets.
  public init?(_ text: String) {
    let octets =
      text.hasPrefix(Self.prefix)
      ? Data(base64Encoded: String(text.dropFirst(Self.prefix.count))).map { Array($0) } : Array(text.utf8)
    guard let octets, octets.count >= Self.shortest else { return nil }
    self.octets = octets
  }
}

extension WebhookConfiguration {
  /// A webhook whose secret is read once everything else of the configuration is right.
  struct File: SettingGroup, Equatable {
    var url: String?
    var secretFile: String?

    static let settings: [Setting<File>] = [
      Setting(
        "url", \.url, .text("URL", text: \.self, parse: parseURL),
        example: "\"https://alarms.example.org/livesessions\"", isRequired: true, isSecret: true,
        "An http or https URL, to which each event is posted as JSON. No redirect is followed."),
      Setting(
        "secret_file", \.secretFile, .string, example: "\"/etc/livesessions/webhook.secret\"",
        """
        A file of mode 0600 with the secret by which what is posted is signed (Standard Webhooks), at least 16 bytes; \
        `openssl rand -base64 32` makes one.
        """),
    ]
  }

  static func read(_ root: ConfigTable) -> [File] {
    let tables = root.tables("webhook")
    if tables.count > maxCount {
      root.addError("there are \(tables.count) webhooks, more than \(maxCount)", at: "webhook")
    }
    return tables.map { File.settings.values(of: $0) }
  }

  init(_ file: File) throws(ConfigErrors) {
    url = file.url ?? ""
    guard let secretFile = file.secretFile else { return }
    secret = WebhookSecret(try SecretFile.read(path: secretFile))
    guard secret == nil else { return }
    throw ConfigErrors([
      ConfigError(
        file: secretFile, position: nil, problem: "a webhook's secret has 16 bytes at least",
        remedy: "run: openssl rand -base64 32 > '\(secretFile)'")
    ])
  }

  private static func parseURL(_ text: String) throws(ConfigValueError) -> String {
    guard text.utf8.count <= 2_048, WebhookTarget(text) != nil else {
      throw ConfigValueError(
        "url is no http or https URL", remedy: #"write for example "https://alarms.example.org/livesessions""#)
    }
    return text
  }
}

/// A webhook's URL in the parts that a request needs.
struct WebhookTarget: Sendable, Equatable {
  /// Scheme, host and port: what logs may show.
  var origin: HTTPOrigin
  /// Path and query.
  var path: String

  /// Nil unless it is an `http` or `https` URL of printable ASCII without user and fragment.
  init?(_ url: String) {
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
    let rest = url.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count)
    guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !path.contains("#"),
      let origin = HTTPOrigin(scheme + authority)
    else { return nil }
    self.origin = origin
    self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
  }
}
