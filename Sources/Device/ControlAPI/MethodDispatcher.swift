import ControlMessages

/// Translates calls into what ``DeviceControl`` offers, and its results into replies.
struct MethodDispatcher: Sendable {
  typealias Outcome = InterfaceMethod.Outcome

  let control: any DeviceControl
  let info: ServiceInfo
  let access: ControlAccess

  /// Carries out one call. A failure becomes an error reply; only a result that cannot be encoded throws.
  func handle(_ call: VarlinkCall) async throws -> Outcome {
    do {
      return try await dispatch(call)
    } catch {
      return .reply(try VarlinkReply.encode(error: VarlinkError(translating: error)))
    }
  }

  /// Places a call for ``Outcome/follow(_:)`` and returns its id.
  func place(_ parameters: CallParameters) async throws(VarlinkError) -> String {
    do {
      return try await control.call(user: parameters.user, media: parameters.media)
    } catch {
      throw VarlinkError(translating: error)
    }
  }

  /// Begins a hunt for ``Outcome/followHunt(_:)`` and returns its name.
  func begin(_ parameters: HuntParameters) async throws(VarlinkError) -> String {
    do {
      return try await control.hunt(parameters)
    } catch {
      throw VarlinkError(translating: error)
    }
  }

  private func dispatch(_ call: VarlinkCall) async throws -> Outcome {
    guard let dot = call.method.lastIndex(of: ".") else { throw VarlinkError.methodNotFound(call.method) }
    let method = String(call.method[call.method.index(after: dot)...])
    switch call.method[..<dot] {
    case VarlinkServiceInterface.name[...]: return try describe(method, call)
    case DeviceInterface.name[...]:
      return try await MethodTable.method(method, for: access).carryOut(call, control)
    case let other: throw VarlinkError.interfaceNotFound(String(other))
    }
  }

  private func describe(_ method: String, _ call: VarlinkCall) throws -> Outcome {
    switch method {
    case "GetInfo":
      _ = try call.parameters(NoParameters.self)
      return try reply(info)
    case "GetInterfaceDescription":
      let interface = try call.parameters(InterfaceParameters.self).interface
      switch interface {
      case VarlinkServiceInterface.name:
        return try reply(DescriptionReply(description: VarlinkServiceInterface.description))
      case DeviceInterface.name: return try reply(DescriptionReply(description: InterfaceDescription.text))
      default: throw VarlinkError.interfaceNotFound(interface)
      }
    default: throw VarlinkError.methodNotFound(call.method)
    }
  }

  private func reply(_ parameters: some Encodable) throws -> Outcome { .reply(try VarlinkReply.encode(parameters)) }
}

extension VarlinkError {
  /// How what a method throws is named on the wire.
  init(translating error: any Error) {
    self =
      switch error {
      case let error as VarlinkError: error
      case VarlinkMessageError.invalidParameter(let name): .invalidParameter(name)
      case is VarlinkMessageError: .invalidParameter("parameters")
      case let error as DeviceControlError: VarlinkError(error)
      default: VarlinkError(.failed(message: String(describing: error)))
      }
  }
}
