import CallPolicy
import FoundationEssentials
import HubClient
import SystemSupport
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
internal import JournalLogging

/// What parties of calls ask the device to do, by signals and by keys of a telephone: one action at a time of each
/// call, and each is answered.
///
/// Each caller has a budget, for signals and keys together; what is beyond it is refused once a second, and logged once.
actor ActionRequests {
  private static let longestRequest = 1_024

  private let actions: any CallActions
  private let environment: EngineEnvironment
  /// The calls for whose party something is being done.
  private var acting: Set<SessionID> = []
  /// What the parties have dialled of an action's code.
  private var entries: [SessionID: DTMFEntry] = [:]
  private nonisolated let budget = Mutex(CallerBudget())
  private nonisolated let tasks = OwnedTasks()

  /// Nil for a device without actions.
  init?(_ environment: EngineEnvironment) {
    guard let actions = environment.actions else { return nil }
    self.actions = actions
    self.environment = environment
  }

  /// Sends a party the actions that it may use; nothing if there are none.
  func offer(to party: CallActionParty, in sessionID: SessionID) async {
    let offers = await actions.offers(to: party)
    if !offers.actions.isEmpty { await send(ActionSignal.offers, offers, in: sessionID) }
  }

  /// The same, and returns at once.
  nonisolated func beginOffer(to party: CallActionParty, in sessionID: SessionID) {
    tasks.begin { [weak self] in await self?.offer(to: party, in: sessionID) }
  }

  /// Takes a signal of the type ``Signalling/ActionSignal/command`` and returns at once.
  ///
  /// - Parameter party: the call's; nil where requests are not permitted.
  nonisolated func take(_ signal: SignalEvent, of party: CallActionParty?) {
    guard let party, signal.userID == party.party.userID, let command = Self.command(signal.data) else {
      return environment.logger.notice(
        "a wish for an action in call \(session: signal.sessionID) is not understood, or not of its party")
    }
    begin(command, for: party, in: signal.sessionID)
  }

  /// What callers ask for ends with this.
  nonisolated func stop() { tasks.cancel() }

  private nonisolated func begin(_ command: ActionCommand, for party: CallActionParty, in sessionID: SessionID) {
    switch budget.withLock({ $0.admit(party.party.userID, now: environment.now()) }) {
    case .admitted: tasks.begin { [weak self] in await self?.perform(command, for: party, in: sessionID) }
    case .refused(let refusal): refuse(command, refusal, of: party.party, in: sessionID)
    }
  }

  private nonisolated func refuse(
    _ command: ActionCommand, _ refusal: CallerBudget.Refusal, of party: ActionParty, in sessionID: SessionID
  ) {
    if refusal.isFirst {
      environment.logger.warning(
        "call \(session: sessionID): \(party.userID) asks for actions too often, and is refused for a while")
    }
    guard refusal.isAnswered else { return }
    let limit = ActionRefusal.limit(wait: refusal.wait)
    let answer = ActionAnswer(name: command.name, isDone: false, reason: limit.reasonCode, wait: limit.waitSeconds)
    tasks.begin { [weak self] in await self?.send(ActionSignal.result, answer, in: sessionID) }
  }

  private static func command(_ text: String) -> ActionCommand? {
    guard text.utf8.count <= longestRequest,
      let command = try? JSONDecoder().decode(ActionCommand.self, from: Data(text.utf8)),
      command.name.utf8.count <= MessageLimits.code
    else { return nil }
    return command
  }

  /// Takes a key that a party has pressed on its telephone.
  func take(_ digit: DTMFDigit, of party: CallActionParty, in sessionID: SessionID) async {
    let (dialled, now) = (await actions.dialledActions(for: party.party), environment.now())
    entries = entries.filter { $0.key == sessionID || !$0.value.isAbandoned(now: now) }
    guard let command = entries[sessionID, default: DTMFEntry()].take(digit, of: dialled, now: now) else { return }
    begin(ActionCommand(name: command.name, pin: command.pin), for: party, in: sessionID)
  }

  private func perform(_ command: ActionCommand, for party: CallActionParty, in sessionID: SessionID) async {
    guard acting.insert(sessionID).inserted else {
      let answer = ActionAnswer(name: command.name, isDone: false, reason: "busy")
      return await send(ActionSignal.result, answer, in: sessionID)
    }
    let answer = await actions.run(command, for: party, in: sessionID)
    acting.remove(sessionID)
    await send(ActionSignal.result, answer, in: sessionID)
  }

  private func send(_ type: String, _ content: some Encodable, in sessionID: SessionID) async {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(content) else { return }
    let signal = SessionSignal(type: type, data: String(decoding: data, as: UTF8.self))
    do {
      try await environment.hub.send(.signal(signal), sessionID: sessionID)
    } catch {
      environment.logger.info("call \(session: sessionID): actions were not sent to the other side: \(error)")
    }
  }
}
