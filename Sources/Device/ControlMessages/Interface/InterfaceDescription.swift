/// The definition of `org.livesessions.Device` in Varlink's interface language, made of ``MethodTable``, ``InterfaceTypes`` and
/// ``InterfaceErrors``.
public enum InterfaceDescription {
  public static let text: String = {
    let head = """
      # Local control of a LiveSessions device. Times are milliseconds since 1970.
      interface \(DeviceInterface.name)
      """
    let messages = MethodTable.methods.flatMap { [$0.parameters, $0.reply] as [any Decodable.Type] }
    let types = InterfaceTypes.definitions(of: messages).map { commented($0.documentation, $0.text) }
    let methods = MethodTable.methods.map { method in
      let parameters = record(MessageSchema(of: method.parameters))
      let sentences = [method.documentation, method.access == .monitoring ? "Also at the monitor socket." : ""]
      return commented(
        sentences.filter { !$0.isEmpty }.joined(separator: "\n"),
        "method \(method.name)\(parameters) -> \(record(MessageSchema(of: method.reply)))")
    }
    let errors = InterfaceErrors.all.map { commented($0.documentation, $0.text) }.joined(separator: "\n")
    return ([head] + types + methods + [errors]).joined(separator: "\n\n") + "\n"
  }()

  private static func commented(_ documentation: String, _ member: String) -> String {
    let lines = documentation.split(separator: "\n").map { "# \($0)" }
    return (lines + [member]).joined(separator: "\n")
  }

  /// `(name: type, …)`, in several lines where it would be long.
  static func record(_ schema: MessageSchema) -> String {
    let fields = schema.fields.map { field in
      "\(field.name): \(field.isOptional ? "?" : "")\(typeName(field.value))"
    }
    let line = "(\(fields.joined(separator: ", ")))"
    return line.utf8.count <= 100 ? line : "(\n  \(fields.joined(separator: ",\n  "))\n)"
  }

  private static func typeName(_ value: MessageSchema.Value) -> String {
    switch value {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .string: "string"
    case .array(of: let element): "[]\(typeName(element))"
    case .named(let type): InterfaceTypes.name(of: type)
    }
  }
}
