/// The methods of `org.livesessions.Device`: what is called, described and permitted all follows from these rows.
public enum MethodTable {
  static let methods: [InterfaceMethod] = device + calls + media + actions + archives + events

  /// The row of a method.
  ///
  /// - Parameter access: of who calls it.
  /// - Throws: ``VarlinkError/methodNotFound(_:)``, ``DeviceControlError/notPermitted``.
  public static func method(_ name: String, for access: ControlAccess) throws -> InterfaceMethod {
    guard let method = byName[name] else { throw VarlinkError.methodNotFound("\(DeviceInterface.name).\(name)") }
    guard access.includes(method.access) else { throw DeviceControlError.notPermitted }
    return method
  }

  private static let byName = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
}
