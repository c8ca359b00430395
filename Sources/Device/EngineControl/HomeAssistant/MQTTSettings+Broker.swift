public import DeviceConfiguration
public import MQTTClient

extension EntityTopics {
  /// As the settings have them, for a device of this title.
  public init(_ settings: MQTTSettings, title: String) {
    self.init(
      prefix: settings.prefix, node: settings.node ?? Self.identifier(title), discoveryPrefix: settings.discoveryPrefix)
  }
}

extension MQTTBroker {
  /// As the settings have it; the last will takes the device's availability back.
  public init(_ settings: MQTTSettings, _ place: MQTTSettings.Broker, _ topics: EntityTopics) {
    self.init(host: place.endpoint.host, port: place.endpoint.port, clientID: "livesessions-\(topics.node)")
    if place.isEncrypted {
      let certificate = settings.certificateFile.flatMap { file in
        settings.keyFile.map { Certificate(file: file, keyFile: $0) }
      }
      tls = TLS(authorityFile: settings.authorityFile, certificate: certificate)
    }
    switch settings.version {
    case .three: version = .three
    case .five: version = .five
    }
    keepAlive = UInt16(clamping: settings.keepAlive.components.seconds)
    will = MQTTMessage(topic: topics.availability, text: "offline", isRetained: true)
  }
}

extension MQTTSettings {
  /// User and password; nil for a broker that lets everybody in.
  ///
  /// - Parameter directory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  public func credentials(_ directory: String?) throws(MQTTFailure) -> MQTTCredentials? {
    do {
      let password = try password(credentialsDirectory: directory)
      return user.map { MQTTCredentials(user: $0, password: password) }
    } catch {
      throw .unreadable("\(error)")
    }
  }
}
