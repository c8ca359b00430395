import ControlMessages
import DeviceConfiguration
import EventDetection
import MediaCore
import HostSystem

/// Whether what sources of events read beside camera, microphone and positions is there.
struct EventSourceCheck {
  let subject: Subject

  func findings() -> [Finding] {
    let sources = subject.configuration.events.sources
    let findings = sources.compactMap(finding)
    if !findings.isEmpty { return findings }
    let text = sources.isEmpty ? "none is configured" : "\(sources.count) need camera, microphone or positions alone"
    return [Finding(.eventSources, .ok, text)]
  }

  private func finding(_ source: EventSourceSettings) -> Finding? {
    switch source.watching {
    case .frames, .sound, .positions: nil
    case .input(let place):
      InputCheck(part: .eventSources, name: "\"\(source.name)\"", isDaemonThere: subject.daemon.isThere).finding(place)
    case .sensor(let condition): reading(condition, of: source.name)
    }
  }

  private func reading(_ condition: HardwareCondition, of name: String) -> Finding {
    do throws(HardwareAbsence) {
      return Finding(
        .eventSources, .ok, "\"\(name)\": \(Self.words(try HardwareReader().read(condition), of: condition))")
    } catch {
      return Finding(.eventSources, .failure, "\"\(name)\": \(error)", remedy: "name another, or remove the [[event]]")
    }
  }

  private static func words(_ reading: HardwareReading, of condition: HardwareCondition) -> String {
    switch (reading, condition) {
    case (.value(let value), .temperature): "the sensor reports \(value) °C"
    case (.value(let value), _): "the battery holds \(Int(saturating: value)) %"
    case (.state(let holds), .mainsLost): holds ? "there are no mains now" : "the mains are there"
    case (.state(let holds), _): holds ? "the voltage is too low now" : "the voltage is high enough"
    }
  }
}
