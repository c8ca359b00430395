import DeviceConfiguration
import DeviceEvents
import MediaPipeline
import Testing

@Suite struct EventSourcesTests {
  private func configuration(_ text: String) throws -> DeviceConfiguration {
    try DeviceConfiguration(
      text: """
        [device]
        title = "Gate"
        [hub]
        url = "http://127.0.0.1:1"
        [video]
        camera = "/dev/video0"
        [[camera]]
        name = "gate"
        path = "/dev/video2"
        \(text)
        """, file: "device.toml")
  }

  private func ids(_ sources: EventSources) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: sources.centerSources.map { ($1.name, $0) })
  }

  private static let yard = """
    [[event]]
    name = "yard"
    kind = "motion"
    """
  private static let gate = """
    [[event]]
    name = "gate"
    kind = "motion"
    camera = "gate"
    """
  private static let glass = """
    [[event]]
    name = "glass"
    kind = "sound"
    """

  private func sources(_ text: String) throws -> EventSources {
    let configuration = try configuration(text)
    return EventSources(configuration.events, configuration.cameras)
  }

  @Test func aSourceKeepsItsIdForAsLongAsItStaysAsItIs() throws {
    var sources = try sources([Self.yard, Self.gate, Self.glass].joined(separator: "\n"))
    #expect(ids(sources) == ["yard": 0, "gate": 1, "glass": 2])
    let changed = [Self.glass + "\nthreshold = 30", Self.gate, Self.yard].joined(separator: "\n")
    try sources.apply(configuration(changed).events)
    #expect(ids(sources) == ["yard": 0, "gate": 1, "glass": 3], "whatever their order")
    try sources.apply(configuration("").events)
    #expect(sources.centerSources.isEmpty)
    try sources.apply(configuration(Self.yard).events)
    #expect(ids(sources) == ["yard": 4], "no id comes back")
  }

  @Test func eachWatchIsToldItsOwn() throws {
    let sources = try sources([Self.yard, Self.gate, Self.glass].joined(separator: "\n"))
    #expect(sources.sceneSettings[nil]?.sources.map(\.id) == [0])
    #expect(sources.sceneSettings["gate"]?.sources.map(\.id) == [1])
    #expect(sources.soundSettings.sources.map(\.id) == [2])
    #expect(sources.placeSources.isEmpty && sources.hardwareSources.isEmpty && sources.inputSources.isEmpty)
  }
}
