public import CallEngine
import ControlMessages
public import DeviceConfiguration
import HTTPConnections
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime
public import TLSClient

extension DeviceConfiguration {
  /// The servers to which the device publishes.
  ///
  /// - Parameters:
  ///   - credentialsDirectory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  ///   - route: whether the servers are reached through a proxy.
  ///   - readStoredToken: asked where neither the file nor systemd has a token.
  public func publishTargets(
    credentialsDirectory: String?, route: ProxyRoute,
    readStoredToken: @escaping @Sendable (PublishSettings) throws -> String? = { _ in nil }
  ) -> [PublishTarget] {
    publications.compactMap { settings in
      guard let endpoint = HTTPLocation(settings.url) else { return nil }
      var target = PublishTarget(
        name: settings.name, endpoint: endpoint, occasion: PublishTarget.Occasion(settings.occasion),
        view: settings.camera.map { DeviceView(named: $0) } ?? .main, kinds: kinds(settings),
        authorityFile: settings.authorityFile
      ) {
        try settings.token(credentialsDirectory: credentialsDirectory) ?? readStoredToken(settings)
      }
      target.route = route
      return target
    }
  }

  private func kinds(_ settings: PublishSettings) -> Set<MediaKind> {
    var kinds: Set<MediaKind> = []
    if video.hasCamera { kinds.insert(.video) }
    if audio.microphone != .none, settings.hasSound { kinds.insert(.audio) }
    return kinds
  }
}

extension PublishTarget.Occasion {
  fileprivate init(_ occasion: PublishSettings.Occasion) {
    self =
      switch occasion {
      case .always: .always
      case .calls: .calls
      case .events: .events
      }
  }
}

extension PublicationStatus {
  /// - Parameter media: of the session, if there is one.
  init(_ status: PublisherStatus, _ media: MediaPlaneStatus.Session?, now: MonotonicInstant) {
    self.init(
      name: status.name, url: status.endpoint, state: status.state.rawValue, text: status.text,
      failures: status.failures)
    since = status.since.map { wallClockMilliseconds().saturatingSubtracting((now - $0).milliseconds) }
    sendBitrate = status.since == nil ? nil : media?.sendBitrate
    problem = status.problem.map { "\($0)" }
  }
}

extension PublisherStatus {
  fileprivate var text: String {
    let kinds = MediaKind.allCases.filter { self.kinds.contains($0) }.map { $0 == .audio ? "sound" : "video" }
    let subject = kinds.joined(separator: " and ")
    switch view {
    case .main: return subject
    case .camera(let name): return "\(subject) of camera \(name)"
    case .mosaic: return "\(subject) of all cameras"
    }
  }
}

/// What does not work of publishing, for the status.
struct PublishProblem {
  static func text(_ publications: [PublicationStatus]) -> String? {
    let failing = publications.compactMap { one in one.problem.map { "\(one.name): \($0)" } }
    return failing.isEmpty ? nil : failing.joined(separator: "; ")
  }
}
