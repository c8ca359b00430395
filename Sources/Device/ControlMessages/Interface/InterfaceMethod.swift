/// A row of ``MethodTable``: a method, what it is for, who may call it, and how a call is carried out.
public struct InterfaceMethod: Sendable {
  /// What a connection does about a call.
  public enum Outcome: Sendable {
    /// Send this message.
    case reply([UInt8])
    /// Send events for as long as the client listens.
    case monitor
    /// Place a call, and send its events for as long as it lasts and the client listens.
    case follow(CallParameters)
    /// Begin a hunt, and send its events likewise.
    case followHunt(HuntParameters)
  }

  let name: String
  /// Sentences for those who write clients; a line break where one belongs.
  let documentation: String
  /// The access that a socket must give at least.
  public let access: ControlAccess
  public let parameters: any VarlinkParameters.Type
  let reply: any (Decodable & Sendable).Type
  public let carryOut: @Sendable (VarlinkCall, any DeviceControl) async throws -> Outcome

  /// A method that replies once.
  init<Parameters, Reply>(
    _ method: DeviceMethod<Parameters, Reply>, _ access: ControlAccess = .full, _ documentation: String = "",
    reply: @escaping @Sendable (any DeviceControl, Parameters) async throws -> Reply
  ) {
    self.init(method, access, documentation) { call, control in
      let result = try await reply(control, try call.parameters(Parameters.self))
      return .reply(try VarlinkReply.encode(result))
    }
  }

  /// A method that may do something else than to reply once.
  init<Parameters, Reply>(
    _ method: DeviceMethod<Parameters, Reply>, _ access: ControlAccess = .full, _ documentation: String,
    carryOut: @escaping @Sendable (VarlinkCall, any DeviceControl) async throws -> Outcome
  ) {
    name = method.name
    self.documentation = documentation
    self.access = access
    parameters = Parameters.self
    reply = Reply.self
    self.carryOut = carryOut
  }

  /// A method that returns nothing.
  init<Parameters>(
    _ method: DeviceMethod<Parameters, NoParameters>, _ documentation: String = "",
    perform: @escaping @Sendable (any DeviceControl, Parameters) async throws -> Void
  ) {
    self.init(method, .full, documentation) { control, parameters in
      try await perform(control, parameters)
      return NoParameters()
    }
  }
}
