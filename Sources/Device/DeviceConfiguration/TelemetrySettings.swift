public import ConfigFile

/// `[telemetry]`: who may read the daemon's metrics besides the control socket's clients.
public struct TelemetrySettings: SettingGroup, Hashable {
  /// Where Prometheus finds them; nil serves no metrics.
  public var prometheus: LocalAddress?

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

  private static func address(_ text: String) throws(ConfigValueError) -> LocalAddress {
    try .parse(
      text, key: "prometheus", example: "127.0.0.1:9151",
      exposure: "show the figures to other machines, without a password")
  }
}
