import DeviceConfiguration
import Signalling
import Testing

@testable import EngineControl

struct EntityCommandTests {
  private static let plan = EntityPlan.example

  private func command(_ key: String, _ text: String, isRetained: Bool = false) throws -> EntityCommand? {
    try EntityCommand(
      topic: "livesessions/gate/\(key)/set", payload: Array(text.utf8), isRetained: isRetained, Self.plan)
  }

  @Test func buttonsSwitchesAndLocksAreUnderstood() throws {
    #expect(try command("action_light", "PRESS") == .run(action: "light", pin: nil))
    #expect(try command("home", "ON") == .run(action: "arrive", pin: nil))
    #expect(try command("home", "OFF") == .run(action: "leave", pin: nil))
    #expect(try command("action_open-door", "LOCK") == .lock(action: "open-door"))
    #expect(try command("action_open-door", "UNLOCK") == .run(action: "open-door", pin: nil))
    let withPIN = #"{"command": "UNLOCK", "code": "1234"}"#
    #expect(try command("action_open-door", withPIN) == .run(action: "open-door", pin: "1234"))
    #expect(
      try command("action_open-door", #"{"command": "UNLOCK", "code": null}"#) == .run(action: "open-door", pin: nil))
  }

  @Test func retainedCommandsAreRefused() {
    #expect(throws: EntityCommandError.retained) { try command("action_light", "PRESS", isRetained: true) }
  }

  @Test(arguments: [
    "PRESS", "ON", "{", "{}", #"{"command": 1}"#, #"{"command": "OPEN", "code": "1"}"#, "[[[[", "unlock",
    #"{"command": "UNLOCK", "code": {"a": {"b": {}}}}"#, "",
  ]) func aLockTakesNothingElse(_ text: String) {
    #expect(throws: EntityCommandError.unknownCommand) { try command("action_open-door", text) }
  }

  @Test func unknownTopicsAndLongPayloadsAreRefused() {
    #expect(throws: EntityCommandError.unknownTopic) { try command("action_other", "PRESS") }
    #expect(throws: EntityCommandError.unknownTopic) { try command("a/b", "PRESS") }
    #expect(throws: EntityCommandError.unknownCommand) { try command("call_state", "PRESS") }
    let long = String(repeating: "x", count: EntityCommand.longestPayload + 1)
    #expect(throws: EntityCommandError.tooLong) { try command("action_light", long) }
  }

  @Test func homeAssistantsBirthIsUnderstood() throws {
    func command(_ text: String) throws -> EntityCommand? {
      try EntityCommand(topic: "homeassistant/status", payload: Array(text.utf8), isRetained: true, Self.plan)
    }
    #expect(try command("online") == .homeAssistantStarted)
    #expect(try command("offline") == nil)
  }

  @Test func ratesAreLimited() {
    var allowance = CommandAllowance()
    for _ in 0..<CommandAllowance.burst {
      let result1 = allowance.take(now: 5_000)
      #expect(result1 == .allowed)
    }
    let result2 = allowance.take(now: 5_000)
    #expect(result2 == .refused(isFirst: true))
    let result3 = allowance.take(now: 5_999)
    #expect(result3 == .refused(isFirst: false))
    let result4 = allowance.take(now: 6_000)
    #expect(result4 == .allowed)
    let result5 = allowance.take(now: 6_000)
    #expect(result5 == .refused(isFirst: true))
  }
}

extension EntityPlan {
  /// A gate with a light, a door with a PIN, and somebody at home or not.
  static var example: EntityPlan {
    var plan = EntityPlan(topics: EntityTopics(prefix: "livesessions", node: "gate", discoveryPrefix: "homeassistant"))
    plan.sources = [Source(name: "Yard", kind: .motion), Source(name: "Bell wire", kind: .input)]
    plan.actions = [
      Action(name: "open-door", needsPIN: true), Action(name: "light", needsPIN: false),
      Action(name: "arrive", needsPIN: false), Action(name: "leave", needsPIN: false),
    ]
    plan.homeActions = ["arrive": true, "leave": false]
    plan.images = .events
    plan.hasButtons = true
    plan.hasPosition = true
    plan.hasTemperature = true
    return plan
  }
}
