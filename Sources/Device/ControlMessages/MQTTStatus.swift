/// The connection to an MQTT broker; what is counted is counted since the daemon's start.
public struct MQTTStatus: Codable, Sendable, Hashable {
  /// Host and port.
  public var broker: String
  public var isConnected = false
  /// Times that it was connected to.
  public var connections = 0
  public var sentMessages = 0
  public var receivedMessages = 0
  /// Messages that wait for the broker.
  public var waitingMessages = 0
  /// Messages that waited too long, or were too many.
  public var droppedMessages = 0
  /// Messages to the device's topics that were no command, or too many.
  public var refusedCommands = 0

  public init(broker: String) { self.broker = broker }
}

/// The connection to a broker as the control socket shows it.
public protocol MQTTReporting: Sendable {
  /// Nil where none is configured.
  var mqttStatus: MQTTStatus? { get }
}
