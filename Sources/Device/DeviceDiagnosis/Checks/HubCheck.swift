import ConfigFile
import ControlMessages
import DeviceConfiguration
import HTTPConnections
import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime
import TLSClient

/// Whether the hub can be reached, is the one it says it is, and takes this device.
struct HubCheck {
  private static let requestTimeout = 6

  let subject: Subject
  /// Whether a hub that cannot be reached is a doubt, no failure.
  var forgivesAbsence = false
  private var url: String { subject.configuration.hub.url }

  func findings() -> [Finding] {
    guard let status = subject.daemon.status else { return proxy() + ask() }
    let lasting = (status.problems ?? []).first { $0.lasts && $0.part == .hub }?.text
    guard !status.isOnline else {
      let shown = Finding(.hub, .ok, "\(status.hubURL) shows this device as \"\(status.hubTitle ?? status.title)\"")
      return [shown] + (lasting.map { [Finding(.hub, .warning, $0)] } ?? [])
    }
    let problem = lasting ?? status.outage
    return [Finding(.hub, .failure, problem ?? "\(status.hubURL) does not show this device; the daemon's log says why")]
  }

  /// By which proxy it is reached.
  private func proxy() -> [Finding] {
    guard let origin = HTTPOrigin(url) else { return [] }
    guard let route = subject.route else {
      return [Finding(.hub, .warning, "the proxy's settings cannot be read", remedy: "run: sudo livesessions doctor")]
    }
    let proxy = route.proxy(to: origin.host, port: origin.port, isSecure: origin.isSecure)
    return proxy.map { [Finding(.hub, .ok, "is reached through the proxy \($0)")] } ?? []
  }

  /// Reaches it as the daemon would. A login leaves nothing at the hub but a line in its log.
  private func ask() -> [Finding] {
    let key: String?
    let settings: HubClientConfiguration
    do {
      key = try enrolmentKey()
      settings = try self.settings(key)
    } catch {
      return [Finding(.hub, .failure, "\(error)")]
    }
    let limit = TimeSpan.seconds(Int64(2 * Self.requestTimeout + 1))
    return Promise.value(of: { await findings(settings, hasKey: key != nil) }, within: limit)
      ?? [Finding(.hub, forgivesAbsence ? .warning : .failure, "\(url) does not answer")]
  }

  private func settings(_ key: String?) throws(HubClientError) -> HubClientConfiguration {
    var settings = try HubClientConfiguration(
      baseURL: url, title: subject.configuration.identity.title, enrolmentKey: key.map { HubEnrolmentKey($0) })
    if let route = subject.route { settings.route = route }
    settings.requestTimeout = .seconds(Self.requestTimeout)
    settings.maximumAttempts = 1
    settings.isClockSynchronized = { ClockTrust.isSynchronized }
    return settings
  }

  private func enrolmentKey() throws(ConfigErrors) -> String? {
    if let key = try subject.configuration.hub.enrolmentKey(credentialsDirectory: nil) { return key }
    guard SecretFile.exists(path: subject.credential) else { return nil }
    return try SecretFile.read(path: subject.credential)
  }

  private func findings(_ settings: HubClientConfiguration, hasKey: Bool) async -> [Finding] {
    let client = HubClient(settings, logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() })
    var findings: [Finding] = []
    do throws(HubClientError) {
      _ = try await client.signingKeys()
      findings.append(Finding(.hub, .ok, "\(url) answers\(url.hasPrefix("https") ? ", its certificate is good" : "")"))
      _ = try await client.users(limit: 1)
      let title = await client.userTitle ?? settings.title
      findings.append(
        Finding(.hub, .ok, "takes this device \(hasKey ? "by its key" : "without a key") as \"\(title)\""))
    } catch {
      let verdict: Finding.Verdict = forgivesAbsence && error.mayBeAnothers ? .warning : .failure
      findings.append(Finding(.hub, verdict, HubOutage(error, of: url, began: .now).text))
    }
    await client.shutdown()
    return findings
  }
}

extension HubClientError {
  /// Whether network or hub may be at fault, rather than this device: nothing came, or the hub was not able to serve.
  fileprivate var mayBeAnothers: Bool {
    switch self {
    case .unreachable: !isTLSFailure || !ClockTrust.isSynchronized
    case .timedOut, .eventsHeldBack: true
    case .refused(let status, _, _): status == 429 || status >= 500
    case .invalidURL, .invalidIdentifier, .malformedAnswer: false
    }
  }
}
