public import ConfigFile
import MediaCore

/// `[telemetry]`: who may read the daemon's metrics besides the control socket's clients.
public struct TelemetrySettings: SettingGroup, Hashable {
  /// Where Prometheus finds them.
  public enum PrometheusAddress: Sendable, Hashable {
    /// An address of this machine.
    case loopback(ServiceEndpoint)
    /// A Unix socket's absolute path.
    case unix(path: String)
  }

  /// Nil serves no metrics.
  public var prometheus: PrometheusAddress?

  public init() {}

  static let settings: [Setting<TelemetrySettings>] = [
    Setting(
      "prometheus", \.prometheus, .text("address of loopback with its port, or path of a Unix socket", parse: address),
      example: "\"127.0.0.1:9151\"",
      """
      Where Prometheus finds the figures of `livesessions stats`, at `/metrics`: an address of loopback, which every \
      user of this machine can read, or the path of a Unix socket, which the group `livesessions-monitor` can. An \
      address that other machines reach is refused. Without it the figures are not served.
      """)
  ]

  private static let remedy = "write for example prometheus = \"127.0.0.1:9151\", or a path for a Unix socket"

  private static func address(_ text: String) throws(ConfigValueError) -> PrometheusAddress {
    if text.hasPrefix("/") { return try socket(text) }
    guard var endpoint = ServiceEndpoint(text) else {
      throw ConfigValueError("prometheus cannot be \"\(text)\"", remedy: remedy)
    }
    if endpoint.host == "localhost" { endpoint.host = "127.0.0.1" }
    guard isLoopback(endpoint) else {
      throw ConfigValueError(
        "prometheus = \"\(text)\" would show the figures to other machines, without a password",
        remedy: "use an address of loopback, and let a proxy or ssh carry them further")
    }
    return .loopback(endpoint)
  }

  private static func socket(_ path: String) throws(ConfigValueError) -> PrometheusAddress {
    guard path.utf8.count <= 107 else {
      throw ConfigValueError("prometheus is longer than the 107 bytes that Linux permits", remedy: "shorten it")
    }
    return .unix(path: path)
  }

  private static func isLoopback(_ endpoint: ServiceEndpoint) -> Bool {
    guard TransportAddress(host: endpoint.host, port: endpoint.port) != nil else { return false }
    return endpoint.host == "::1" || endpoint.host.hasPrefix("127.")
  }
}
