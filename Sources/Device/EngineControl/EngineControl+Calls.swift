import CallEngine
public import ControlMessages
import HubClient
import MediaCore
import Signalling

extension EngineControl {
  public func call(user: String, media: ControlCallMedia?) async throws -> String {
    // A hub that is away is reported at once, not after the timeout of asking it for its users.
    guard engine.isHubConnected else { throw DeviceControlError.notConnected }
    let receiver = try Self.find(user, among: try await onlineUsers())
    do {
      return try await engine.call(receiver, media.map { Set($0) }).text
    } catch {
      throw Self.translate(error, calling: receiver)
    }
  }

  public func hunt(_ parameters: HuntParameters) async throws -> String {
    let plan = try await plan(parameters)
    do {
      try await engine.hunt(plan)
    } catch {
      throw Self.translate(error)
    }
    return plan.name
  }

  private func plan(_ parameters: HuntParameters) async throws -> HuntPlan {
    guard engine.isHubConnected else { throw DeviceControlError.notConnected }
    guard (1...HuntPlan.maxParties).contains(parameters.users.count) else {
      throw DeviceControlError.invalidParameter("users")
    }
    let ringFor = parameters.ringFor ?? 20
    guard (1...60).contains(ringFor) else { throw DeviceControlError.invalidParameter("ringFor") }
    let parties = try await parties(parameters.users)
    guard Set(parties.map(\.userID)).count == parties.count else { throw DeviceControlError.invalidParameter("users") }
    return HuntPlan(
      name: HuntPlan.commandName, parties: parties,
      order: parameters.order == .allAtOnce ? .allAtOnce : .inTurn, ringFor: .seconds(Int64(ringFor)),
      media: parameters.media.map { Set($0) })
  }

  /// Asks the hub for users only where that is needed. One who is offline is passed over in a hunt, and no mistake.
  private func parties(_ names: [String]) async throws -> [CallParty] {
    let prefix = "user:"
    let online = names.allSatisfy { $0.hasPrefix(prefix) } ? [] : try await onlineUsers()
    var parties: [CallParty] = []
    for name in names {
      guard name.hasPrefix(prefix) else {
        parties.append(try await party(name, among: online))
        continue
      }
      let userID = String(name.dropFirst(prefix.count))
      guard (1...128).contains(userID.utf8.count) else { throw DeviceControlError.invalidParameter("users") }
      parties.append(CallParty(userID: userID, userTitle: userID))
    }
    return parties
  }

  private func party(_ name: String, among online: [NearbyUser]) async throws -> CallParty {
    do throws(DeviceControlError) {
      return try Self.find(name, among: online)
    } catch .noSuchUser(let name) {
      // A hub that does not know either, or knows no such request, leaves the first error.
      guard let account = (try? await resolveTitles([name]))?.first else { throw DeviceControlError.noSuchUser(name) }
      return CallParty(userID: account.userID, userTitle: account.userTitle)
    }
  }

  private static func translate(_ error: EngineError) -> DeviceControlError {
    switch error {
    case .huntRuns:
      .failed(
        message: "others are being called, or talked with, already; livesessions hangup with the session ends that")
    case .notConnected: .notConnected
    case .stopped: .failed(message: "the daemon is being stopped")
    case .noSuchCall, .noSuchArchive, .archiveRefused, .invalidMessage, .notAllowed, .alreadyInCall, .invalidHunt,
      .tooManyCalls:
      .failed(message: "\(error)")
    }
  }

  /// The one whom `name` means: an id, else a title as it is written, else whatever its letters' case.
  ///
  /// - Throws: `noSuchUser` or `ambiguousUser`.
  static func find(_ name: String, among users: [NearbyUser]) throws(DeviceControlError) -> CallParty {
    let ways: [(NearbyUser) -> Bool] = [
      { $0.userID == name }, { $0.userTitle == name }, { $0.userTitle.lowercased() == name.lowercased() },
    ]
    for way in ways {
      let found = users.filter(way)
      guard let first = found.first else { continue }
      guard found.count == 1 else { throw .ambiguousUser(message: matches(found, name)) }
      return CallParty(userID: first.userID, userTitle: first.userTitle)
    }
    throw .noSuchUser(name)
  }

  private static func matches(_ users: [NearbyUser], _ name: String) -> String {
    let lines = users.map { "  \($0.userID)  \($0.userTitle)  \($0.kind.rawValue)" }
    return (["several who are online have the title \"\(name)\"; call one by the id:"] + lines)
      .joined(separator: "\n")
  }

  private static func translate(_ error: EngineError, calling receiver: CallParty) -> DeviceControlError {
    let name = "\(receiver.userTitle) (\(receiver.userID))"
    switch error {
    case .notConnected: return .notConnected
    case .notAllowed:
      return .failed(message: "the policy does not let the device call \(name); see allowed in its [outgoing]")
    case .alreadyInCall: return .failed(message: "there is a call with \(name) already")
    case .tooManyCalls: return .failed(message: "too many calls are up; end one first")
    case .stopped: return .failed(message: "the daemon is being stopped")
    case .noSuchCall, .noSuchArchive, .archiveRefused, .invalidMessage, .huntRuns, .invalidHunt:
      return .failed(message: "\(error)")
    }
  }
}

extension Set<MediaKind> {
  fileprivate init(_ media: ControlCallMedia) {
    switch media {
    case .audio: self = [.audio]
    case .video: self = [.video]
    case .both: self = [.audio, .video]
    }
  }
}
