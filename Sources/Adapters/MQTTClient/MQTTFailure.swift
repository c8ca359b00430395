/// Why there is no connection to a broker, or a part of it does not work.
public enum MQTTFailure: Error, Sendable, Hashable {
  /// The credentials or certificates cannot be read; with file, cause and remedy.
  case unreadable(String)
  case unknownHost
  /// Nothing accepts connections there; with the system's message.
  case unreachable(String)
  /// It ended the connection before it let the client in.
  case cutOff
  /// TLS failed; with OpenSSL's message.
  case untrusted(String)
  /// User or password is wrong, or missing.
  case badCredentials
  /// The broker does not let this client in.
  case notAuthorized
  /// It does not speak this version of MQTT.
  case unsupportedVersion
  case clientIDRefused
  /// It refused the connection for another reason, by its code.
  case refused(code: Int)
  /// It connected, and did not answer within the time.
  case silent
  /// The connection ended; with the library's message.
  case lost(String)
  /// It sends more than a device has to read.
  case tooMuchData
  /// Another client with the same id has taken the connection over.
  case takenOver
  /// libmosquitto failed; with the function and its message.
  case library(function: String, String)
}

extension MQTTFailure: CustomStringConvertible {
  /// What is wrong and what to do about it, for people.
  public var description: String {
    switch self {
    case .unreadable(let text): text
    case .unknownHost: "its host name is not known: check broker, and the machine's DNS"
    case .unreachable(let cause):
      "it cannot be reached (\(cause)): check that it runs, its port, whether mqtt:// or mqtts:// is "
        + "right, and firewalls"
    case .cutOff:
      "it ends connections before it lets the client in: it may ask for a certificate (certificate_file); its log says why"
    case .untrusted(let cause):
      "TLS failed (\(cause)): ca_file must hold the certificate of the broker's authority, its certificate the name in "
        + "broker, and a broker that asks for certificates needs certificate_file"
    case .badCredentials: "it refuses user or password: check user and password_file, and the broker's password file"
    case .notAuthorized: "it does not let this client in: check user and password_file, and the broker's access list"
    case .unsupportedVersion: "it does not speak this version of MQTT: set version to the other one"
    case .clientIDRefused: "it refuses the client id: set another node"
    case .refused(let code): "it refuses the connection with code \(code): its log says why"
    case .silent: "it does not answer: see whether it hangs"
    case .lost(let cause): "the connection was lost (\(cause))"
    case .tooMuchData: "it sends more than the device reads: see who publishes to the device's topics"
    case .takenOver: "another client with the same id has connected: give each device its own node"
    case .library(let function, let text): "\(function) failed: \(text)"
    }
  }
}
