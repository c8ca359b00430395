/// An error of the interface: its name and parameter on the wire, and the control error that it stands for.
struct InterfaceError: Sendable {
  let name: String
  /// The names of its parameters, all texts.
  let parameters: [String]
  /// A sentence for those who write clients.
  let documentation: String
  /// Of parameters in their order.
  let make: @Sendable ([String]) -> DeviceControlError
  /// The parameters of such an error; nil for another.
  let read: @Sendable (DeviceControlError) -> [String]?

  /// As Varlink's interface language has it.
  var text: String { "error \(name) (\(parameters.map { "\($0): string" }.joined(separator: ", ")))" }
}

/// The errors that methods return beside those of every Varlink service.
enum InterfaceErrors {
  static let all: [InterfaceError] = [
    InterfaceError(
      name: "ActionRefused", parameters: ["name", "message"],
      documentation: "The policy, a limit or the PIN is against it, it is being done already, or it failed.",
      make: { .actionRefused(name: $0[0], message: $0[1]) },
      read: { if case .actionRefused(let name, let message) = $0 { [name, message] } else { nil } }),
    one("NoSuchSession", "sessionID", make: { .noSuchSession($0) }) {
      if case .noSuchSession(let id) = $0 { id } else { nil }
    },
    one("NoSuchArchive", "archiveID", make: { .noSuchArchive($0) }) {
      if case .noSuchArchive(let id) = $0 { id } else { nil }
    },
    one(
      "ArchiveInUse", "archiveID", "The archive is being recorded, repaired or exported.", make: { .archiveInUse($0) }
    ) { if case .archiveInUse(let id) = $0 { id } else { nil } },
    one("ArchiveLocked", "archiveID", make: { .archiveLocked($0) }) {
      if case .archiveLocked(let id) = $0 { id } else { nil }
    },
    InterfaceError(
      name: "NotConnected", parameters: [], documentation: "The hub cannot be reached.",
      make: { _ in .notConnected }, read: { $0 == .notConnected ? [] : nil }),
    one("NoSuchUser", "user", "No user who is online has this id or title.", make: { .noSuchUser($0) }) {
      if case .noSuchUser(let user) = $0 { user } else { nil }
    },
    one("AmbiguousUser", "message", "Several have this title; one line each.", make: { .ambiguousUser(message: $0) }) {
      if case .ambiguousUser(let message) = $0 { message } else { nil }
    },
    one("InvalidConfiguration", "message", make: { .invalidConfiguration(message: $0) }) {
      if case .invalidConfiguration(let message) = $0 { message } else { nil }
    },
    one("Failed", "message", make: { .failed(message: $0) }) {
      if case .failed(let message) = $0 { message } else { nil }
    },
  ]

  /// With one parameter.
  private static func one(
    _ name: String, _ parameter: String, _ documentation: String = "",
    make: @escaping @Sendable (String) -> DeviceControlError,
    read: @escaping @Sendable (DeviceControlError) -> String?
  ) -> InterfaceError {
    InterfaceError(
      name: name, parameters: [parameter], documentation: documentation, make: { make($0[0]) },
      read: { read($0).map { [$0] } })
  }
}

extension VarlinkError {
  /// How a control error is named on the wire.
  public init(_ error: DeviceControlError) {
    switch error {
    case .invalidParameter(let name): self = .invalidParameter(name)
    case .notPermitted: self = .permissionDenied
    case .noSuchSession, .noSuchArchive, .archiveInUse, .archiveLocked, .actionRefused, .noSuchUser, .ambiguousUser,
      .notConnected, .invalidConfiguration, .failed:
      let rows = InterfaceErrors.all.lazy.compactMap { row in row.read(error).map { (row, $0) } }
      guard let (row, values) = rows.first else { preconditionFailure("\(error) has no row") }
      self.init(
        "\(DeviceInterface.name).\(row.name)", Dictionary(uniqueKeysWithValues: zip(row.parameters, values)))
    }
  }

  /// The control error of this name; nil for others.
  public var deviceControlError: DeviceControlError? {
    if name == Self.permissionDenied.name { return .notPermitted }
    if name == Self.invalidParameter("").name { return .invalidParameter(parameters["parameter"] ?? "") }
    let row = InterfaceErrors.all.first { "\(DeviceInterface.name).\($0.name)" == name }
    return row.map { row in row.make(row.parameters.map { parameters[$0] ?? "" }) }
  }
}
