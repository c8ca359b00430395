import DeviceConfiguration
import FoundationEssentials
import Testing

@testable import EngineControl

struct DiscoveryDocumentsTests {
  private let plan = EntityPlan.example
  private var none: DiscoveryDocuments.Record { DiscoveryDocuments.Record() }

  private func documents(_ form: MQTTSettings.Discovery) -> DiscoveryDocuments {
    DiscoveryDocuments(form, plan.topics, title: "Gate", version: "1.0")
  }

  private func text(_ message: EntityMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

  @Test func aDeviceIsOneDocument() throws {
    let (messages, record) = documents(.device).messages(for: plan, after: none)
    let message = try #require(messages.first)
    #expect(messages.count == 1)
    #expect(message.topic == "homeassistant/device/gate/config")
    #expect(message.isRetained)
    #expect(text(message).contains(#""platform":"lock""#))
    #expect(record.entries.count == plan.entities.count)
    #expect(DiscoveryDocuments.Record(record.text) == record)
  }

  @Test func eachEntityHasItsDocumentAndID() {
    let (messages, _) = documents(.component).messages(for: plan, after: none)
    #expect(messages.count == plan.entities.count)
    #expect(messages.contains { $0.topic == "homeassistant/binary_sensor/gate/event_yard/config" })
    #expect(messages.allSatisfy { text($0).contains(#""availability":[{"topic":"livesessions/gate/availability"}]"#) })
    #expect(Set(plan.entities.map(\.key)).count == plan.entities.count)
  }

  @Test func changingTheFormMovesAndRemoves() {
    let (_, old) = documents(.component).messages(for: plan, after: none)
    let (messages, record) = documents(.device).messages(for: plan, after: old)
    let count = plan.entities.count
    #expect(messages.count == 2 * count + 1)
    #expect(messages[..<count].allSatisfy { text($0) == #"{"migrate_discovery":true}"# && !$0.isRetained })
    #expect(messages[count].topic == "homeassistant/device/gate/config")
    #expect(messages[(count + 1)...].allSatisfy { $0.payload.isEmpty && $0.isRetained })
    let (back, _) = documents(.component).messages(for: plan, after: record)
    #expect(text(back[0]) == #"{"migrate_discovery":true}"#)
    #expect(back.last?.topic == "homeassistant/device/gate/config")
    #expect(back.last?.payload.isEmpty == true)
  }

  @Test func whatHasGoneIsRemoved() {
    var smaller = plan
    smaller.images = .none
    let (_, byDevice) = documents(.device).messages(for: plan, after: none)
    let (messages, record) = documents(.device).messages(for: smaller, after: byDevice)
    #expect(messages.count == 2)
    #expect(text(messages[0]).contains(#""camera":{"platform":"camera"}"#))
    #expect(!text(messages[1]).contains(#""camera""#))
    #expect(documents(.device).messages(for: smaller, after: record).0.count == 1)
    let (_, byComponent) = documents(.component).messages(for: plan, after: none)
    let removals = documents(.component).messages(for: smaller, after: byComponent).0.filter(\.payload.isEmpty)
    #expect(
      Set(removals.map(\.topic)) == [
        "homeassistant/image/gate/last_event/config", "homeassistant/camera/gate/camera/config",
      ])
    #expect(documents(.none).messages(for: plan, after: byComponent).0.count == plan.entities.count)
  }

  @Test func anotherNodeLeavesNothingBehind() {
    let (_, old) = documents(.device).messages(for: plan, after: none)
    let topics = EntityTopics(prefix: "livesessions", node: "door", discoveryPrefix: "homeassistant")
    var moved = plan
    moved.topics = topics
    let (messages, _) = DiscoveryDocuments(.device, topics, title: "Gate", version: "1.0").messages(
      for: moved, after: old)
    #expect(messages.map(\.topic) == ["homeassistant/device/gate/config", "homeassistant/device/door/config"])
    #expect(messages[0].payload.isEmpty)
  }

  @Test(arguments: ["", "device", "device a b c\n", "other homeassistant gate\n", "device homeassistant gate\nx y\n"])
  func aDamagedRecordIsNone(_ text: String) { #expect(DiscoveryDocuments.Record(text) == nil) }

  @Test(arguments: [("Front gate", "front-gate"), ("Tür/+#1", "t-r-1"), ("…", "device"), ("a_b-", "a_b")])
  func namesBecomeIDs(_ name: String, _ id: String) { #expect(EntityTopics.identifier(name) == id) }
}
