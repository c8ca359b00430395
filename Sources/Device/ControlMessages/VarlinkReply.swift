import FoundationEssentials

/// The error that a reply names, with the one parameter that the errors of this service have at most.
public struct VarlinkError: Error, Sendable, Hashable {
  /// Interface and error, as in `org.varlink.service.MethodNotFound`.
  public var name: String
  public var parameters: [String: String]

  public init(_ name: String, _ parameters: [String: String] = [:]) {
    self.name = name
    self.parameters = parameters
  }

  public static func interfaceNotFound(_ interface: String) -> VarlinkError {
    VarlinkError("org.varlink.service.InterfaceNotFound", ["interface": interface])
  }
  public static func methodNotFound(_ method: String) -> VarlinkError {
    VarlinkError("org.varlink.service.MethodNotFound", ["method": method])
  }
  public static func invalidParameter(_ parameter: String) -> VarlinkError {
    VarlinkError("org.varlink.service.InvalidParameter", ["parameter": parameter])
  }
  /// The method only makes sense with `more`.
  public static let expectedMore = VarlinkError("org.varlink.service.ExpectedMore")
  public static let permissionDenied = VarlinkError("org.varlink.service.PermissionDenied")
}

/// Makes and reads replies.
public enum VarlinkReply {
  /// The message of a reply, with its NUL.
  public static func encode(_ parameters: some Encodable, continues: Bool = false) throws -> [UInt8] {
    Array(try JSONEncoder().encode(Outgoing(parameters: parameters, continues: continues ? true : nil))) + [0]
  }

  /// The JSON of the parameters in the message of a last reply, as ``encode(_:continues:)`` makes it.
  public static func parameters(of message: [UInt8]) -> ArraySlice<UInt8> {
    message.dropFirst("{\"parameters\":".utf8.count).dropLast("}\0".utf8.count)
  }

  /// The message of an error, with its NUL.
  public static func encode(error: VarlinkError) throws -> [UInt8] {
    Array(try JSONEncoder().encode(OutgoingError(error: error.name, parameters: error.parameters))) + [0]
  }

  /// Reads a reply without its NUL.
  ///
  /// - Throws: ``VarlinkError`` when the reply names one, and what the JSON decoder throws.
  public static func decode<Parameters: Decodable>(
    _ type: Parameters.Type, from message: [UInt8]
  ) throws -> (parameters: Parameters, continues: Bool) {
    let data = Data(message)
    let envelope = try JSONDecoder().decode(Envelope.self, from: data)
    if let name = envelope.error {
      let details = try? JSONDecoder().decode(ErrorDetails.self, from: data)
      throw VarlinkError(name, details?.parameters ?? [:])
    }
    let reply = try JSONDecoder().decode(Incoming<Parameters>.self, from: data)
    return (reply.parameters, envelope.continues ?? false)
  }

  private struct Outgoing<Parameters: Encodable>: Encodable {
    var parameters: Parameters
    var continues: Bool?
  }

  private struct OutgoingError: Encodable {
    var error: String
    var parameters: [String: String]
  }

  private struct Envelope: Decodable {
    var error: String?
    var continues: Bool?
  }

  private struct ErrorDetails: Decodable { var parameters: [String: String]? }

  private struct Incoming<Parameters: Decodable>: Decodable { var parameters: Parameters }
}
