import ControlMessages
import DeviceConfiguration
import GPSDLocation
import MediaCore
import RealtimeRuntime

/// Whether a position comes from gpsd, where one is wanted.
struct PositionCheck {
  /// How long gpsd may take for a connection and a fix; receivers report one a second.
  private static let timeout = TimeSpan.seconds(4)

  let subject: Subject

  func findings() -> [Finding] {
    let location = subject.configuration.location
    guard location.isEnabled else { return [Finding(.position, .ok, "none is published")] }
    guard let gpsd = location.gpsd else { return [Finding(.position, .ok, "that of the configuration is published")] }
    if let position = subject.daemon.status?.position, let age = position.age ?? (position.refused > 0 ? Int.max : nil)
    {
      return [known(position, age: age)]
    }
    // gpsd has room for more than the daemon, and says more about itself than the daemon does.
    return [ask(gpsd)]
  }

  /// Receivers report one a second.
  private static let maximumAge = 60

  private func known(_ position: PositionStatus, age: Int) -> Finding {
    let refused = position.doubt.map { ", \(position.refused) left out, the newest because \($0)" } ?? ""
    guard age > Self.maximumAge else {
      let text = "gpsd reported it \(age) s ago\(refused)"
      return refused.isEmpty ? Finding(.position, .ok, text) : Finding(.position, .warning, text, remedy: Self.remedy)
    }
    let since = age == .max ? "gpsd has reported none that can be true" : "gpsd has reported none for \(age) s"
    return Finding(
      .position, .warning, since + (position.isStale ? ", so none is published" : "") + refused, remedy: Self.remedy)
  }

  private static let remedy = "does the receiver see the sky? cgps -s shows what it sees"

  private func untold(_ gpsd: ServiceEndpoint, connection: GPSDLocation.Change?) -> Finding {
    let place = "gpsd at \(gpsd.host):\(gpsd.port)"
    if case .disconnected(let cause)? = connection {
      return Finding(
        .position, .warning, "\(place) cannot be reached: \(cause)",
        remedy: "start gpsd; or set enabled = false or static in [location] for a device without a receiver")
    }
    return Finding(
      .position, .warning, "\(place) reports no position",
      remedy: "does the receiver see the sky? cgps -s shows what it sees")
  }

  /// Listens to gpsd for a while.
  private func ask(_ gpsd: ServiceEndpoint) -> Finding {
    let place = "gpsd at \(gpsd.host):\(gpsd.port)"
    let connection = Promise<GPSDLocation.Change>()
    let fixes = GPSDLocation(host: gpsd.host, port: gpsd.port).fixes { connection.fulfil($0) }
    let fix = Promise<PositionFix>()
    let reading = Task { for await found in fixes { fix.fulfil(found) } }
    defer { reading.cancel() }
    guard let change = connection.wait(Self.timeout), change == .connected else {
      return untold(gpsd, connection: connection.wait(.zero) ?? .disconnected("no answer"))
    }
    guard let fix = fix.wait(Self.timeout) else { return untold(gpsd, connection: nil) }
    let error = fix.horizontalError.map { ", to \(Int(saturating: $0.rounded(.up))) m" } ?? ""
    return Finding(.position, .ok, "\(place) reports it\(error)")
  }
}
