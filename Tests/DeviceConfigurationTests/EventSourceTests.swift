import ConfigFile
import DeviceConfiguration
import EventDetection
import MediaCore
import MotionDetection
import Signalling
import Testing

@Suite struct EventSourceTests {
  private func read(_ text: String) throws(ConfigErrors) -> EventSettings { try GateFile.read(text).events }

  private func complaint(_ text: String) -> String { GateFile.complaint(text) }

  @Test func withoutSourcesNothingIsLookedFor() throws {
    let events = try read("")
    #expect(events.sources.isEmpty)
    #expect(events.maximumAge == .seconds(30 * 86_400))
  }

  @Test func everythingOfASource() throws {
    let events = try read(
      """
      [events]
      sensitivity = 70
      masks = [[[0, 0], [1, 0], [1, 0.2], [0, 0.2]]]
      max_total = "64MiB"
      [[event]]
      name = "yard"
      kind = "motion"
      zone = [[0.1, 0.5], [0.9, 0.5], [0.5, 1.0]]
      smallest = 0.01
      min_duration = "1s"
      post = "8s"
      min_gap = "30s"
      [[event]]
      name = "camera"
      kind = "tamper"
      [[event]]
      name = "glass"
      kind = "sound"
      threshold = 25
      [[event]]
      name = "hall"
      kind = "smoke-alarm"
      """)
    #expect(events.sensitivity == 70)
    #expect(events.masks.count == 1)
    #expect(events.maximumTotal == 64 * 1_048_576)
    #expect(events.sources.map(\.name) == ["yard", "camera", "glass", "hall"])
    #expect(events.sources.map(\.kind) == [.motion, .tamper, .sound, .smokeAlarm])
    #expect((events.sources[2].source as? SoundSource)?.decibels == 25)
    #expect(events.sources[2].timing.minimumDuration == .milliseconds(100))
    let zone = try #require(events.sources[0].source as? MotionSource).zone
    #expect(zone.area?.corners.count == 3)
    #expect(zone.smallestObject == 0.01)
    #expect(
      events.sources[0].timing
        == EventTiming(minimumDuration: .seconds(1), post: .seconds(8), minimumGap: .seconds(30)))
    #expect(events.motion(of: nil).sensitivity == 70)
  }

  @Test func aRunningDeviceFeedsWhatItHasBeenStartedWith() throws {
    let camera = "[[camera]]\nname = \"gate\"\npath = \"test:bars\"\n"
    let sources = """
      [[event]]
      name = "yard"
      kind = "motion"
      [[event]]
      name = "gate"
      kind = "tamper"
      camera = "gate"
      [[event]]
      name = "glass"
      kind = "sound"
      [[event]]
      name = "speed"
      kind = "speed"
      threshold = "90km/h"
      [[event]]
      name = "mains"
      kind = "power"
      on = "mains-lost"
      """
    let all = try GateFile.read(camera + "[location]\nenabled = true\n" + sources)
    func fed(_ text: String) throws -> [String] {
      let running = try GateFile.read(text)
      return all.events.sources.filter { running.feeds($0) }.map(\.name)
    }
    #expect(try fed(camera + "[location]\nenabled = true\n") == ["yard", "gate", "glass", "speed", "mains"])
    #expect(try fed("[location]\nenabled = false\n") == ["yard", "glass", "mains"])
    let bare = "[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\n[location]\nenabled = false\n"
    #expect(try fed(bare) == ["mains"])
  }

  @Test func aSourceWaitsForAButtonThatTheRunningDeviceHas() throws {
    let button = "[[button]]\nname = \"Bell\"\npress = \"answer\"\nkey = { device = \"d\", code = 31, grab = true }\n"
    let running = try GateFile.read(button)
    let fresh = try GateFile.read("[[event]]\nname = \"lid\"\nkind = \"input\"\nkey = { device = \"d\", code = 30 }\n")
    let source = try #require(fresh.events.sources.first)
    #expect(fresh.feeds(source) && !running.feeds(source))
  }

  @Test(arguments: [("full", true, true), ("thinned", true, false), ("time-lapse\"\nevery = \"10s", true, true)])
  func aPlanWaitsForWhatItRecords(stream: String, layered: Bool, single: Bool) throws {
    let plan = "[[plan]]\nname = \"p\"\nwhen = \"always\"\nstream = \"\(stream)\"\n"
    let layers = "[video]\ntemporal_layers = "
    let fresh = try GateFile.read(plan + layers + "3\n")
    #expect(fresh.serves(fresh.plans[0]) == layered)
    #expect(try GateFile.read(layers + "1\n").serves(fresh.plans[0]) == single)
    #expect(try !GateFile.read("[video]\ncamera = \"none\"\n").serves(fresh.plans[0]) == (stream != "full"))
  }

  @Test func geofencesAreSourcesLikeOthers() throws {
    let events = try read(
      """
      [[geofence]]
      name = "depot"
      latitude = 52.5163
      longitude = 13.3777
      radius = "200m"
      [[geofence]]
      name = "harbour"
      polygon = [[52, 179.9], [52, -179.9], [52.1, -179.9]]
      on = "both"
      min_stay = "30s"
      [[event_rule]]
      name = "stolen"
      event = ["depot"]
      kind = ["geofence"]
      webhook = true
      """)
    #expect(events.sources.map(\.name) == ["depot", "harbour"])
    let fences = events.sources.compactMap { ($0.source as? GeofenceSource)?.fence }
    let (depot, harbour) = (try #require(fences.first), try #require(fences.last))
    #expect(depot.occasion == .leave)
    #expect(depot.stay == .seconds(10))
    #expect(depot.area.circle?.radius == 200)
    #expect(harbour.occasion == .both)
    #expect(harbour.area.polygon != nil)
  }

  @Test func mistakesOfGeofencesAreToldWithTheirPlaces() {
    let fence = "[[geofence]]\nname = \"a\"\n"
    #expect(complaint(fence).contains("there is no area"))
    #expect(complaint(fence + "latitude = 1\nlongitude = 2").contains("radius"))
    #expect(complaint(fence + "latitude = 91\nlongitude = 2\nradius = \"50m\"").contains("device.toml:7:"))
    #expect(complaint(fence + "latitude = 1\nlongitude = 2\nradius = \"1m\"").contains("10 m to 500 km"))
    #expect(complaint(fence + "polygon = [[1, 2], [3, 4]]").contains("device.toml:7:"))
    #expect(complaint(fence + "on = \"leaves\"").contains("did you mean \"leave\"?"))
    let whole = fence + "latitude = 1\nlongitude = 2\nradius = \"50m\"\n"
    #expect(complaint(whole + "[location]\nenabled = false").contains("no positions for \"a\""))
    #expect(complaint(whole + whole).contains("named \"a\""))
  }

  @Test func speedHasAUnit() throws {
    let events = try read(
      """
      [[event]]
      name = "van"
      kind = "speed"
      threshold = "90km/h"
      [[event]]
      name = "boat"
      kind = "speed"
      threshold = "12kn"
      hysteresis = "1kn"
      min_duration = "0s"
      post = "10s"
      """)
    let limits = events.sources.compactMap { ($0.source as? SpeedSource)?.limit }
    let (van, boat) = (try #require(limits.first), try #require(limits.last))
    #expect(abs(van.threshold - 25) < 1e-9)
    #expect(abs(van.hysteresis - 2.5) < 1e-9)
    #expect(van.unit == .kilometresPerHour)
    #expect(boat.unit == .knots)
    #expect(events.sources[0].timing.minimumDuration == .seconds(3))
    #expect(events.sources[1].timing.post == .seconds(10))
  }

  @Test func mistakesOfSpeedAreToldWithTheirPlaces() {
    let source = "[[event]]\nname = \"a\"\nkind = \"speed\"\n"
    #expect(complaint(source).contains("threshold is missing"))
    #expect(complaint(source + "threshold = 90").contains("a string with a unit"))
    #expect(complaint(source + "threshold = \"90kmh\"").contains("device.toml:8:"))
    #expect(complaint(source + "threshold = \"9000km/h\"").contains("outside 0.5 m/s to 300 m/s"))
    #expect(complaint(source + "threshold = \"9km/h\"\nhysteresis = \"9km/h\"").contains("device.toml:9:"))
    #expect(complaint(source + "threshold = \"9km/h\"\nzone = []").contains("zone does nothing"))
    #expect(
      complaint(source + "threshold = \"9km/h\"\n[location]\nenabled = false").contains("no positions for \"a\""))
  }

  @Test func theMachineItself() throws {
    let events = try read(
      """
      [[event]]
      name = "hot"
      kind = "temperature"
      [[event]]
      name = "disk"
      kind = "temperature"
      sensor = "nvme/Composite"
      threshold = 70.5
      hysteresis = 5
      [[event]]
      name = "mains"
      kind = "power"
      on = "mains-lost"
      supply = "AC"
      [[event]]
      name = "battery"
      kind = "power"
      on = "battery-low"
      threshold = 20
      [[event]]
      name = "supply"
      kind = "power"
      on = "under-voltage"
      [[event_rule]]
      name = "power"
      kind = ["power", "temperature"]
      webhook = true
      """)
    let conditions: [HardwareCondition] = events.sources.compactMap {
      if case .sensor(let condition) = $0.watching { condition } else { nil }
    }
    #expect(
      conditions == [
        .temperature(TemperatureLimit(threshold: 80, hysteresis: 3)),
        .temperature(TemperatureLimit(sensor: "nvme/Composite", threshold: 70.5, hysteresis: 5)),
        .mainsLost(supply: "AC"), .batteryLow(BatteryLimit(threshold: 20)), .underVoltage,
      ])
    #expect(events.sources.map(\.kind) == [.temperature, .temperature, .power, .power, .power])
    #expect(events.sources.map(\.timing.minimumDuration)[1...2] == [.seconds(10), .zero])
  }

  @Test func mistakesAboutTheMachineAreToldWithTheirPlaces() {
    let heat = "[[event]]\nname = \"a\"\nkind = \"temperature\"\n"
    #expect(complaint(heat + "threshold = \"80\"").contains("device.toml:8:"))
    #expect(complaint(heat + "threshold = 200").contains("outside -40.0 to 150.0"))
    #expect(complaint(heat + "sensor = \"\"").contains("1 to 127 bytes"))
    #expect(complaint(heat + "on = \"mains-lost\"").contains("on does nothing"))
    let power = "[[event]]\nname = \"a\"\nkind = \"power\"\n"
    #expect(complaint(power).contains("on is missing"))
    #expect(complaint(power + "on = \"mains\"").contains("device.toml:8:"))
    #expect(complaint(power + "on = \"mains-lost\"\nthreshold = 15").contains("threshold does nothing with on"))
    #expect(complaint(power + "on = \"under-voltage\"\nsupply = \"AC\"").contains("supply does nothing with on"))
    #expect(complaint(power + "on = \"battery-low\"\nthreshold = 0").contains("outside 1.0 to 99.0"))
  }

  @Test func inputsAreKeysSwitchesAndLines() throws {
    let events = try read(
      """
      [[event]]
      name = "door"
      kind = "input"
      gpio = { chip = "gpiochip0", line = "DOOR", active_low = true, bias = "pull-up" }
      debounce = "50ms"
      post = "30s"
      [[event]]
      name = "lid"
      kind = "input"
      key = { device = "Lid Switch", code = "SW_LID" }
      min_duration = "2s"
      [[event_rule]]
      name = "open"
      kind = ["input"]
      webhook = true
      """)
    guard case .input(.line(let door)) = events.sources[0].watching,
      case .input(.key(let lid)) = events.sources[1].watching
    else { return #expect(Bool(false)) }
    #expect(door.line == .name("DOOR"))
    #expect(door.isActiveLow)
    #expect(door.debounce == .milliseconds(50))
    #expect(lid.device == "Lid Switch")
    #expect("\(lid.code)" == "switch 0")
    #expect(events.sources[0].timing.minimumDuration == .zero)
    #expect(events.sources[0].timing.post == .seconds(30))
  }

  @Test func mistakesOfInputsAreToldWithTheirPlaces() {
    let input = "[[event]]\nname = \"a\"\nkind = \"input\"\n"
    let line = "gpio = { chip = \"c\", line = 1 }\n"
    let key = "key = { device = \"d\", code = 30 }\n"
    #expect(complaint(input).contains("key is missing in [[event]]"))
    #expect(complaint(input + line + key).contains("an input has a key or a line, not both"))
    #expect(complaint(input + "gpio = { chip = \"c\" }").contains("line is missing"))
    #expect(complaint(input + "gpio = { chip = \"c\", line = 1, lien = 2 }").contains("unknown key \"lien\""))
    #expect(complaint(input + "key = { device = \"d\", code = \"SW_LIT\" }").contains("did you mean \"SW_LID\"?"))
    #expect(complaint(input + key + "debounce = \"1s\"").contains("device.toml:9:"))
    #expect(complaint(input + line + "debounce = \"1m\"").contains("outside 0 to 10 seconds"))
    #expect(complaint(input + line + "threshold = 1").contains("threshold does nothing"))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"tamper\"\n" + line).contains("gpio does nothing"))
    let button = "[[button]]\nname = \"Bell\"\npress = \"answer\"\n"
    #expect(
      complaint(input + line + button + line).contains("event \"a\" and button \"Bell\" both need the line 1 of c"))
    let action = "[[action]]\nname = \"door\"\ngpio = { chip = \"c\", line = 1, pulse = \"3s\" }\n"
    #expect(complaint(action + input + line).contains("event \"a\" and action \"door\" both need the line 1 of c"))
    #expect(complaint(action + button + line).contains("button \"Bell\" and action \"door\" both need the line 1 of c"))
    let second = button.replacing("Bell", with: "Yard")
    #expect(complaint(button + line + second + line).contains("button \"Yard\" and button \"Bell\" both need"))
    #expect(
      complaint(input + key + button + "key = { device = \"d\", code = 31, grab = true }")
        .contains("both need the device d"))
    #expect(!complaint(input + key + button + "key = { device = \"d\", code = 31 }").contains("both need"))
  }

  @Test func darknessHasALevelAndATime() throws {
    let events = try read(
      """
      [[camera]]
      name = "gate"
      path = "test:bars"
      [[event]]
      name = "lamp"
      kind = "dark"
      camera = "gate"
      level = 15.5
      for = "30s"
      [[event]]
      name = "hall"
      kind = "dark"
      """)
    #expect(events.sources.compactMap { ($0.source as? DarkSource)?.level } == [15.5, 10])
    #expect(events.sources.map(\.timing.minimumDuration) == [.seconds(30), .seconds(10)])
    #expect(events.sources.map(\.camera) == ["gate", nil])
    let dark = "[[event]]\nname = \"a\"\nkind = \"dark\"\n"
    #expect(complaint(dark + "level = 0").contains("outside 1.0 to 90.0"))
    #expect(complaint(dark + "for = \"1h\"").contains("device.toml:8:"))
    #expect(complaint(dark + "min_duration = \"1s\"").contains("min_duration does nothing"))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"motion\"\nfor = \"1s\"").contains("for does nothing"))
    #expect(complaint("[video]\ncamera = \"none\"\n" + dark).contains("nothing to watch"))
  }

  @Test func equalTablesAreEqualSources() throws {
    func source(_ more: String) throws -> EventSourceSettings {
      try #require(read("[[event]]\nname = \"a\"\nkind = \"sound\"\n\(more)").sources.first)
    }
    #expect(try source("") == source("threshold = 20"))
    #expect(try source("") != source("threshold = 21"))
    #expect(try source("") != source("post = \"9s\""))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"geofence\"").contains("write [[geofence]]"))
  }

  /// Each need of a kind is what its source is judged by, so that it is given what it waits for.
  @Test(arguments: EventKind.allCases) func aKindIsJudgedByWhatItNeeds(kind: EventKind) throws {
    let fence = "[[geofence]]\nname = \"a\"\nlatitude = 1\nlongitude = 2\nradius = \"50m\""
    let event = "[[event]]\nname = \"a\"\nkind = \"\(kind.rawValue)\"\n\(Self.required[kind] ?? "")"
    let table = kind == .geofence ? fence : event
    let source = try #require(read(table).sources.first)
    #expect(source.kind == kind)
    let need: EventNeed =
      switch source.watching {
      case .frames: .camera
      case .sound: .microphone
      case .positions: .positions
      case .sensor: .sensors
      case .input: .lines
      }
    #expect(source.need == need)
  }

  private static let required: [EventKind: String] = [
    .speed: "threshold = \"90km/h\"", .power: "on = \"mains-lost\"",
    .input: "gpio = { chip = \"gpiochip0\", line = 1 }",
  ]

  @Test func mistakesAreToldWithTheirPlaces() {
    #expect(complaint("[[event]]\nkind = \"motion\"").contains("name"))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"motoin\"").contains("device.toml:7:8"))
    #expect(
      complaint("[[event]]\nname = \"a\"\nkind = \"motion\"\nzone = [[0.1, 0.5], [0.9, 0.5]]").contains(
        "device.toml:8:"))
    #expect(
      complaint("[[event]]\nname = \"a\"\nkind = \"motion\"\nzone = [[0.1, 0.5], [1.9, 0.5], [0, 0]]").contains("zone"))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"motion\"\nzon = 1").contains("unknown key"))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"tamper\"\npost = \"9s\"").contains("post does nothing"))
    #expect(
      complaint("[[event]]\nname = \"a\"\nkind = \"tamper\"\n[[event]]\nname = \"a\"\nkind = \"tamper\"").contains(
        "named \"a\""))
    #expect(complaint("[events]\nsensitivity = 0").contains("1 to 100"))
    #expect(
      complaint("[video]\ncamera = \"none\"\n[[event]]\nname = \"a\"\nkind = \"tamper\"").contains("nothing to watch")
    )
    #expect(
      complaint("[audio]\nmicrophone = \"none\"\n[[event]]\nname = \"a\"\nkind = \"sound\"").contains(
        "nothing to listen to"))
    #expect(complaint("[[event]]\nname = \"a\"\nkind = \"sound\"\nzone = []").contains("zone does nothing"))
  }
}
