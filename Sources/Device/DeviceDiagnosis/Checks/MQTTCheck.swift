import ConfigFile
import ControlMessages
import DeviceConfiguration
import EngineControl
import MediaCore
import MQTTClient

/// Whether the broker lets the device in.
struct MQTTCheck {
  private static let limit = TimeSpan.seconds(12)

  let subject: Subject
  private var settings: MQTTSettings { subject.configuration.mqtt }

  func findings() -> [Finding] {
    guard let place = settings.broker else { return [Finding(.mqtt, .ok, "none is configured")] }
    let credentials: MQTTCredentials?
    do {
      credentials = try self.credentials()
    } catch {
      return error.errors.map { Finding(.mqtt, .failure, "\($0.file): \($0.problem)", remedy: $0.remedy) }
    }
    switch outcome(place, credentials) {
    case .success: return [Finding(.mqtt, .ok, "\(place.endpoint) lets the device in")]
    case .failure(let failure): return [Finding(.mqtt, .failure, "\(place.endpoint): \(failure)")]
    case nil: return [Finding(.mqtt, .failure, "\(place.endpoint): \(MQTTFailure.silent)")]
    }
  }

  /// Under another id, so that the daemon's connection stays.
  private func outcome(_ place: MQTTSettings.Broker, _ credentials: MQTTCredentials?) -> Result<Void, MQTTFailure>? {
    let topics = EntityTopics(settings, title: subject.configuration.identity.title)
    var broker = MQTTBroker(settings, place, topics)
    broker.clientID += "-doctor"
    broker.will = nil
    let promise = Promise<Result<Void, MQTTFailure>>()
    let client = MQTTClient(broker, topics: [], credentials: { () throws(MQTTFailure) in credentials }) { event in
      switch event {
      case .connected: promise.fulfil(.success(()))
      case .failed(let failure): promise.fulfil(.failure(failure))
      case .message, .subscriptionRefused, .publicationRefused, .probed: break
      }
    }
    defer { client.stop() }
    guard (try? client.start()) != nil else { return nil }
    return promise.wait(Self.limit)
  }

  private func credentials() throws(ConfigErrors) -> MQTTCredentials? {
    var password = try settings.password(credentialsDirectory: nil)
    let path = "\(subject.credentialStore)/livesessions.\(MQTTSettings.credentialName)"
    if password == nil, settings.user != nil, SecretFile.exists(path: path) {
      password = try SecretFile.read(path: path)
    }
    return settings.user.map { MQTTCredentials(user: $0, password: password) }
  }
}
