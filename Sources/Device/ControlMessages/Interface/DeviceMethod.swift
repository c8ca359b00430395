/// The input of a method, as a Varlink call's `parameters` object.
public protocol VarlinkParameters: Codable, Sendable {}

extension VarlinkParameters {
  /// Every field's name; a call that has others is refused.
  static var fieldNames: [String] { MessageSchema(of: Self.self).fields.map(\.name) }
}

public struct NoParameters: VarlinkParameters {
  public init() {}
}

/// A method of ``DeviceInterface``: its name on the wire, and what it takes and returns.
///
/// What it does, who may call it and what it is for stands in the daemon's table of methods.
public struct DeviceMethod<Parameters: VarlinkParameters, Reply: Codable & Sendable>: Sendable {
  /// Without the interface.
  public let name: String

  init(_ name: String) { self.name = name }

  /// The name on the wire, with its interface.
  public var qualifiedName: String { "\(DeviceInterface.name).\(name)" }
}

/// The Varlink interface `org.livesessions.Device`.
public enum DeviceInterface {
  public static let name = "org.livesessions.Device"
}
