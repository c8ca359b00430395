import ControlMessages

/// The definition of `org.livesessions.Device` in Varlink's interface language, made of ``MethodTable`` and ``InterfaceTypes``.
enum InterfaceDescription {
  static let text: String = {
    let head = """
      # Local control of a LiveSessions device. Times are milliseconds since 1970.
      interface \(DeviceInterface.name)
      """
    let types = InterfaceTypes.all.map { commented($0.documentation, "type \($0.name) \($0.shape.declaration)") }
    let methods = MethodTable.methods.map { method in
      let parameters = record(MessageSchema(of: method.parameters))
      return commented(
        method.documentation, "method \(method.name)\(parameters) -> \(record(MessageSchema(of: method.reply)))")
    }
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

  /// How ``VarlinkError`` names the cases of ``DeviceControlError``.
  private static let errors = """
    # The policy, a limit or the PIN is against it, it is being done already, or it failed.
    error ActionRefused (name: string, message: string)
    error NoSuchSession (sessionID: string)
    error NoSuchArchive (archiveID: string)
    # The archive is being recorded, repaired or exported.
    error ArchiveInUse (archiveID: string)
    error ArchiveLocked (archiveID: string)
    # The hub cannot be reached.
    error NotConnected ()
    # No user who is online has this id or title.
    error NoSuchUser (user: string)
    # Several have this title; one line each.
    error AmbiguousUser (message: string)
    error InvalidConfiguration (message: string)
    error Failed (message: string)
    """
}
