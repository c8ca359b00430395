/// The methods of `org.livesessions.Device`: what is called, described and permitted all follows from these rows.
public enum MethodTable {
  static let methods: [InterfaceMethod] = device + calls + media + actions + archives + events

  /// The row of a method; nil for an unknown name.
  public static subscript(name: String) -> InterfaceMethod? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
}
