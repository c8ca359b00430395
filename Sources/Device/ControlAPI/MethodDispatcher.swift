import ControlMessages

/// Translates calls into what ``DeviceControl`` offers, and its results into replies.
struct MethodDispatcher: Sendable {
  /// What a connection does about a call.
  enum Outcome: Sendable {
    /// Send this message.
    case reply([UInt8])
    /// Send events for as long as the client listens.
    case monitor
    /// Place a call, and send its events for as long as it lasts and the client listens.
    case follow(CallParameters)
    /// Begin a hunt, and send its events likewise.
    case followHunt(HuntParameters)
  }

  let control: any DeviceControl
  let info: ServiceInfo
  let access: ControlAccess

  /// Carries out one call. A failure becomes an error reply; only a result that cannot be encoded throws.
  func handle(_ call: VarlinkCall) async throws -> Outcome {
    do {
      return try await dispatch(call)
    } catch {
      return .reply(try VarlinkReply.encode(error: Self.translate(error)))
    }
  }

  /// Places a call for ``Outcome/follow(_:)`` and returns its id.
  func place(_ parameters: CallParameters) async throws(VarlinkError) -> String {
    do {
      return try await control.call(user: parameters.user, media: parameters.media)
    } catch {
      throw Self.translate(error)
    }
  }

  /// Begins a hunt for ``Outcome/followHunt(_:)`` and returns its name.
  func begin(_ parameters: HuntParameters) async throws(VarlinkError) -> String {
    do {
      return try await control.hunt(parameters)
    } catch {
      throw Self.translate(error)
    }
  }

  private static func translate(_ error: any Error) -> VarlinkError {
    switch error {
    case let error as VarlinkError: error
    case VarlinkMessageError.invalidParameter(let name): .invalidParameter(name)
    case is VarlinkMessageError: .invalidParameter("parameters")
    case let error as DeviceControlError: VarlinkError(error)
    default: VarlinkError(.failed(message: String(describing: error)))
    }
  }

  private func dispatch(_ call: VarlinkCall) async throws -> Outcome {
    guard let dot = call.method.lastIndex(of: ".") else { throw VarlinkError.methodNotFound(call.method) }
    let method = String(call.method[call.method.index(after: dot)...])
    switch call.method[..<dot] {
    case VarlinkServiceInterface.name[...]: return try describe(method, call)
    case DeviceInterface.name[...]:
      guard let known = DeviceMethod(rawValue: method) else { throw VarlinkError.methodNotFound(call.method) }
      guard access.permits(known) else { throw DeviceControlError.notPermitted }
      return try await carryOut(known, call)
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
      case DeviceInterface.name: return try reply(DescriptionReply(description: DeviceInterface.description))
      default: throw VarlinkError.interfaceNotFound(interface)
      }
    default: throw VarlinkError.methodNotFound(call.method)
    }
  }

  private func reply(_ parameters: some Encodable) throws -> Outcome { .reply(try VarlinkReply.encode(parameters)) }
}

extension MethodDispatcher {
  private func carryOut(_ method: DeviceMethod, _ call: VarlinkCall) async throws -> Outcome {
    switch method {
    case .status, .getTelemetry, .users, .listActions, .reload, .swapCamera:
      _ = try call.parameters(NoParameters.self)
      return try await carryOutPlain(method)
    case .monitor:
      _ = try call.parameters(NoParameters.self)
      guard call.wantsMore, !call.isOneway else { throw VarlinkError.expectedMore }
      return .monitor
    case .call:
      let parameters = try call.parameters(CallParameters.self)
      guard !call.wantsMore || call.isOneway else { return .follow(parameters) }
      return try reply(CallReply(sessionID: try await place(parameters)))
    case .hunt:
      let parameters = try call.parameters(HuntParameters.self)
      guard !call.wantsMore || call.isOneway else { return .followHunt(parameters) }
      return try reply(HuntReply(hunt: try await begin(parameters)))
    case .snapshot:
      let camera = try call.parameters(SnapshotParameters.self).camera
      return try reply(SnapshotReply(picture: try await control.snapshot(camera: camera)))
    case .say:
      try await control.say(try call.parameters(SayParameters.self))
      return try reply(NoParameters())
    case .runAction:
      let parameters = try call.parameters(RunActionParameters.self)
      try await control.runAction(name: parameters.name, pin: parameters.pin)
      return try reply(NoParameters())
    case .setHome:
      try await control.setHome(try call.parameters(SetHomeParameters.self).isHome)
      return try reply(NoParameters())
    case .eventList, .eventExplain: return try await carryOutOnEvents(method, call)
    case .answer, .reject, .hangUp, .mute, .chooseCamera, .chat: return try await carryOutOnSession(method, call)
    case .archiveStart, .archiveStop, .archiveList, .archiveVerify: return try await carryOutOnArchive(method, call)
    case .archiveShow, .archiveRepair, .archiveLock, .archiveRename, .archiveDelete:
      return try await careForArchive(method, call)
    }
  }

  /// Methods without parameters.
  private func carryOutPlain(_ method: DeviceMethod) async throws -> Outcome {
    switch method {
    case .status: return try reply(StatusReply(status: try await control.status()))
    case .getTelemetry: return try reply(TelemetryReply(telemetry: try await control.telemetry()))
    case .users: return try reply(UsersReply(users: try await control.users()))
    case .listActions: return try reply(ListActionsReply(actions: try await control.actions()))
    case .reload: try await control.reload()
    default: try await control.swapCamera()
    }
    return try reply(NoParameters())
  }

  private func carryOutOnSession(_ method: DeviceMethod, _ call: VarlinkCall) async throws -> Outcome {
    switch method {
    case .answer: try await control.answer(sessionID: try call.parameters(SessionParameters.self).sessionID)
    case .hangUp: try await control.hangUp(sessionID: try call.parameters(SessionParameters.self).sessionID)
    case .reject:
      let parameters = try call.parameters(RejectParameters.self)
      try await control.reject(sessionID: parameters.sessionID, reason: parameters.reason)
    case .mute:
      let parameters = try call.parameters(MuteParameters.self)
      try await control.setMuted(parameters.target, parameters.isMuted)
    case .chooseCamera:
      let parameters = try call.parameters(ChooseCameraParameters.self)
      try await control.chooseCamera(sessionID: parameters.sessionID, camera: parameters.camera)
    default:
      let parameters = try call.parameters(ChatParameters.self)
      guard parameters.text.utf8.count <= 8_192 else { throw VarlinkError.invalidParameter("text") }
      try await control.sendChat(sessionID: parameters.sessionID, text: parameters.text)
    }
    return try reply(NoParameters())
  }

  private func carryOutOnEvents(_ method: DeviceMethod, _ call: VarlinkCall) async throws -> Outcome {
    if method == .eventExplain {
      let parameters = try call.parameters(EventExplainParameters.self)
      let score = parameters.score ?? 100
      guard (0...100).contains(score) else { throw VarlinkError.invalidParameter("score") }
      return try reply(
        EventExplainReply(explanation: try await control.explainEvent(source: parameters.source, score: score)))
    }
    let parameters = try call.parameters(EventListParameters.self)
    let limit = parameters.limit ?? 1_000
    guard (1...EventListParameters.mostEvents).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    let events = try await control.detectedEvents(since: parameters.since ?? 0, limit: limit)
    return try reply(EventListReply(events: events))
  }

  private func carryOutOnArchive(_ method: DeviceMethod, _ call: VarlinkCall) async throws -> Outcome {
    switch method {
    case .archiveStart:
      let sessionID = try call.parameters(ArchiveStartParameters.self).sessionID
      return try reply(ArchiveIDsReply(archiveIDs: try await control.startArchive(sessionID: sessionID)))
    case .archiveStop:
      let archiveID = try call.parameters(ArchiveParameters.self).archiveID
      return try reply(ArchiveIDsReply(archiveIDs: try await control.stopArchive(archiveID: archiveID)))
    case .archiveList:
      let limit = try call.parameters(ArchiveListParameters.self).limit ?? 1_000
      guard (1...100_000).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
      let archives = try await control.archives(limit: limit)
      // A list that is not full has all.
      let total = archives.count < limit ? archives.count : try await control.archiveCount()
      return try reply(ArchiveListReply(archives: archives, total: total))
    default:
      let archiveID = try call.parameters(ArchiveParameters.self).archiveID
      return try reply(ArchiveVerifyReply(reports: try await control.verifyArchives(archiveID: archiveID)))
    }
  }

  private func careForArchive(_ method: DeviceMethod, _ call: VarlinkCall) async throws -> Outcome {
    switch method {
    case .archiveShow:
      let archiveID = try call.parameters(OneArchiveParameters.self).archiveID
      return try reply(ArchiveShowReply(detail: try await control.showArchive(archiveID: archiveID)))
    case .archiveRepair:
      let archiveID = try call.parameters(OneArchiveParameters.self).archiveID
      return try reply(ArchiveRepairReply(result: try await control.repairArchive(archiveID: archiveID)))
    case .archiveLock:
      let parameters = try call.parameters(ArchiveLockParameters.self)
      try await control.setArchiveLocked(archiveID: parameters.archiveID, parameters.isLocked)
    case .archiveRename:
      let parameters = try call.parameters(ArchiveRenameParameters.self)
      try await control.renameArchive(archiveID: parameters.archiveID, name: parameters.name)
    default:
      let parameters = try call.parameters(ArchiveDeleteParameters.self)
      try await control.deleteArchive(archiveID: parameters.archiveID, isForced: parameters.isForced ?? false)
    }
    return try reply(NoParameters())
  }
}
