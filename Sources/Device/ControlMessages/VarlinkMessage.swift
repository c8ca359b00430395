import FoundationEssentials

/// A call as it arrives, before its parameters are read.
public struct VarlinkCall: Sendable {
  /// Interface and method, as in `org.varlink.service.GetInfo`.
  public let method: String
  /// The caller takes more than one reply.
  public let wantsMore: Bool
  /// The caller wants no reply.
  public let isOneway: Bool
  private let message: Data

  /// Reads a message without its NUL.
  public init(message: [UInt8]) throws(VarlinkMessageError) {
    guard JSONNesting.isWithin(JSONNesting.defaultLimit, message) else { throw .tooDeep }
    self.message = Data(message)
    guard let envelope = try? JSONDecoder().decode(Envelope.self, from: self.message) else { throw .malformed }
    method = envelope.method
    wantsMore = envelope.more ?? false
    isOneway = envelope.oneway ?? false
  }

  /// A call that comes in another form.
  ///
  /// - Parameter parameters: a JSON object.
  public init(method: String, parameters: [UInt8]) throws(VarlinkMessageError) {
    guard JSONNesting.isWithin(JSONNesting.defaultLimit, parameters) else { throw .tooDeep }
    guard (try? JSONDecoder().decode(SomeObject.self, from: Data(parameters))) != nil else { throw .malformed }
    self.method = method
    wantsMore = false
    isOneway = false
    message = Data("{\"parameters\":".utf8 + parameters + "}".utf8)
  }

  /// Reads the parameters; fields that `Parameters` does not know are refused.
  public func parameters<Parameters: VarlinkParameters>(
    _ type: Parameters.Type = Parameters.self
  ) throws(VarlinkMessageError) -> Parameters {
    do {
      return try JSONDecoder().decode(ParametersEnvelope<Parameters>.self, from: message).parameters
    } catch {
      throw .invalidParameter(Self.fieldName(of: error))
    }
  }

  private static func fieldName(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "parameters" }
    switch error {
    case .keyNotFound(let key, _): return key.stringValue
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      return context.codingPath.last?.stringValue ?? "parameters"
    @unknown default: return "parameters"
    }
  }

  /// Makes the message of a call, with its NUL.
  public static func encode(_ method: String, _ parameters: some Encodable, wantsMore: Bool = false) throws -> [UInt8] {
    let call = OutgoingCall(method: method, parameters: parameters, more: wantsMore ? true : nil)
    return Array(try JSONEncoder().encode(call)) + [0]
  }
}

/// Why a message is refused.
public enum VarlinkMessageError: Error, Sendable, Hashable {
  /// Not a JSON object with a method.
  case malformed
  /// Nested deeper than ``JSONNesting/defaultLimit``.
  case tooDeep
  /// The parameter of that name is missing, unknown, or of the wrong type.
  case invalidParameter(String)
}

private struct Envelope: Decodable {
  var method: String
  var more: Bool?
  var oneway: Bool?
}

/// Any JSON object, and nothing behind it.
private struct SomeObject: Decodable {
  init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: FieldName.self) }
}

private struct OutgoingCall<Parameters: Encodable>: Encodable {
  var method: String
  var parameters: Parameters
  var more: Bool?
}

private struct ParametersEnvelope<Parameters: VarlinkParameters>: Decodable {
  let parameters: Parameters

  private enum CodingKeys: CodingKey { case parameters }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if try !container.contains(.parameters) || container.decodeNil(forKey: .parameters) {
      parameters = try JSONDecoder().decode(Parameters.self, from: Data("{}".utf8))
      return
    }
    let fields = try container.nestedContainer(keyedBy: FieldName.self, forKey: .parameters)
    if let unknown = fields.allKeys.first(where: { !Parameters.fieldNames.contains($0.stringValue) }) {
      throw DecodingError.keyNotFound(unknown, DecodingError.Context(codingPath: [], debugDescription: "unknown"))
    }
    parameters = try container.decode(Parameters.self, forKey: .parameters)
  }
}

private struct FieldName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
