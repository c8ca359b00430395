// link: -lstdc++
// sources: Sources/Device/EngineControl/HomeAssistant/JSONDocument.swift Sources/Device/EngineControl/HomeAssistant/EntityTopics.swift
// sources: Sources/Device/EngineControl/HomeAssistant/Entity.swift Sources/Device/EngineControl/HomeAssistant/EntityCommand.swift
// sources: Sources/Device/EngineControl/HomeAssistant/DiscoveryDocuments.swift
import ControlMessages
import DeviceConfiguration
import FoundationEssentials
import MediaCore
import Signalling

/// Takes the first octet as flags and the length of a topic, the rest as topic and payload of a message; then all as what a
/// file says that stands at the broker.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let octets = UnsafeBufferPointer(start: data, count: size)
  let rest = octets.dropFirst()
  let topic = String(decoding: rest.prefix(Int(octets[0] & 0x7F)), as: UTF8.self)
  let payload = Array(rest.dropFirst(Int(octets[0] & 0x7F)))
  for topic in [topic, "l/n/\(topic)/set", "l/n/action_door/set", "l/n/home/set"] {
    guard let command = try? EntityCommand(topic: topic, payload: payload, isRetained: octets[0] & 0x80 != 0, plan)
    else { continue }
    check(command, octets[0] & 0x80 != 0)
  }
  readRecord(String(decoding: rest, as: UTF8.self))
  return 0
}

private let plan = {
  var plan = EntityPlan(topics: EntityTopics(prefix: "l", node: "n", discoveryPrefix: "h"))
  plan.actions = [
    EntityPlan.Action(name: "door", needsPIN: true), EntityPlan.Action(name: "in", needsPIN: false),
    EntityPlan.Action(name: "out", needsPIN: false),
  ]
  plan.homeActions = ["in": true, "out": false]
  return plan
}()

private func check(_ command: EntityCommand, _ isRetained: Bool) {
  switch command {
  case .run(let action, let pin):
    precondition(!isRetained && plan.actions.contains { $0.name == action })
    precondition((pin?.utf8.count ?? 0) <= 6 * EntityCommand.longestPayload)
  case .lock(let action): precondition(!isRetained && action == "door")
  case .homeAssistantStarted: break
  }
}

private func readRecord(_ text: String) {
  guard let record = DiscoveryDocuments.Record(text) else { return }
  precondition(DiscoveryDocuments.Record(record.text) == record)
  let documents = DiscoveryDocuments(.device, plan.topics, title: "title", version: "1")
  precondition(documents.messages(for: plan, after: record).0.count <= 2 * 256 + 2)
}
