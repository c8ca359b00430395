import CallPolicy
import ConfigFile
import DeviceConfiguration
import Signalling
import Testing

@Suite("policy.toml")
struct PolicyFileTests {
  private func errors(_ text: String, cameras: [String]? = nil) -> String? {
    let errors = #expect(throws: ConfigErrors.self) {
      try PolicyFile.read(text: text, file: "p.toml", cameras: cameras)
    }
    return errors?.description
  }

  @Test("an empty policy rejects everybody")
  func empty() throws {
    let policy = try PolicyFile.read(text: "", file: "p.toml")
    #expect(policy == CallPolicy(rules: []))
  }

  @Test("a rule with every key is read as written")
  func everyKey() throws {
    let text = """
      default = "reject"
      [[rule]]
      name = "control room"
      caller = ["role:operator", "user:u1", "group:guards"]
      media = ["video"]
      hours = ["Mon-Fri 07:00-19:00 Europe/Berlin", "Sat 08:00-12:00"]
      within = "200mi"
      call_up = false
      recent_calls = { at_least = 2, last = "10m" }
      action = "answer"
      after = "2s"
      publish = ["audio"]
      talk = false
      max_talkers = 2
      max_duration = "10m"
      record = true
      tone = false
      control = ["archive", "mute"]
      [[rule]]
      action = "ring"
      control = []
      ring_timeout = "20s"
      then = "reject"
      reason = "busy"
      """
    let policy = try PolicyFile.read(text: text, file: "p.toml")
    var answer = AnswerSettings()
    answer.delay = .seconds(2)
    answer.publishesVideo = false
    answer.mayTalk = false
    answer.maxTalkers = 2
    answer.maxDuration = .seconds(600)
    answer.isRecorded = true
    answer.playsTone = false
    answer.control = [.mute, .archive]
    let weekdays = try #require(WeeklyHours("Mon-Fri 07:00-19:00 Europe/Berlin"))
    let saturday = try #require(WeeklyHours("Sat 08:00-12:00"))
    let first = try PolicyRule(
      name: "control room",
      conditions: [
        .caller([.role(.operator), .user("u1"), .group("guards")]), .media(audio: false, video: true),
        .hours([weekdays, saturday]), .within(metres: 200 * 1_609.344), .callUp(false),
        .recentCalls(count: 2, span: .seconds(600)),
      ], decision: .answer(answer))
    var uncontrolled = AnswerSettings()
    uncontrolled.control = []
    let ring = RingSettings(timeout: .seconds(20), then: .reject(.busy), answer: uncontrolled)
    let second = try PolicyRule(name: "rule 2", conditions: [], decision: .ring(ring))
    #expect(policy == CallPolicy(rules: [first, second]))
  }

  @Test("a misspelt condition is an error, so that the rule does not answer everybody")
  func misspelt() {
    let text = "[[rule]]\nname = \"near\"\n  whitin = \"200mi\"\naction = \"answer\"\n"
    #expect(errors(text) == "p.toml:3:3: unknown key \"whitin\" in [[rule]]; did you mean \"within\"?")
    #expect(errors("[[rules]]\naction = \"answer\"\n") == "p.toml:1:3: unknown key \"rules\"; did you mean \"rule\"?")
  }

  @Test("all mistakes of a policy are found at once")
  func golden() {
    let text = """
      default = "answer"
      [[rule]]
      caller = ["title:Gate", "role:operater", 7]
      media = []
      hours = "Mon-Fri 7:00-19:00"
      within = 200
      call_up = "yes"
      action = "anwser"
      publish = ["sound"]
      [[rule]]
      within = "200mi"
      action = "answer"
      [[rule]]
      caller = []
      [[rule]]
      name = "rule 1"
      hours = "daily 07:00-08:00 Europe/Belrin"
      action = "reject"
      reason = "bussy"
      record = true
      """
    let expected = """
      p.toml:1:11: default cannot be "answer"; it is one of reject
      p.toml:3:11: "title:Gate" is not a caller; write user:ID, group:NAME or role: with one of operator, user, device, anonymous, guest, viewer
      p.toml:3:25: "role:operater" is not a caller; did you mean "role:operator"?
      p.toml:3:42: caller holds an integer where a string belongs; write for example caller = ["…"]
      p.toml:4:9: media is an empty list; leave it out to match any
      p.toml:5:9: "Mon-Fri 7:00-19:00" is not understood; write for example "Mon-Fri 07:00-19:00 Europe/Berlin"
      p.toml:6:10: within must be a string with a unit, not an integer; write for example within = "200mi"
      p.toml:7:11: call_up must be true or false, not a string; write for example call_up = true
      p.toml:8:10: action cannot be "anwser"; did you mean "answer"?
      p.toml:9:12: publish cannot be "sound"; it is one of audio, video
      p.toml:11:10: the rule tests only the distance, which callers report themselves; add for example caller = ["role:operator"]
      p.toml:13:1: action is missing in [[rule]]; write for example action = "answer"
      p.toml:16:8: another rule is named "rule 1"; give each its own name
      p.toml:17:9: there is no time zone "Europe/Belrin" on this system; see timedatectl list-timezones
      p.toml:19:10: reason cannot be "bussy"; did you mean "busy"?
      p.toml:20:10: record has no effect with action reject; remove it
      """
    #expect(errors(text) == expected)
  }

  @Test("how many calls one caller may have up is read as written")
  func limits() throws {
    #expect(try PolicyFile.read(text: "", file: "p.toml").callsPerCaller == 2)
    let policy = try PolicyFile.read(text: "[limits]\ncalls_per_caller = 5\n", file: "p.toml")
    #expect(policy == CallPolicy(rules: [], callsPerCaller: 5))
    #expect(errors("[limits]\ncalls_per_caller = 0\n") == "p.toml:2:20: calls_per_caller is 0, outside 1 to 16")
    #expect(
      errors("[limits]\ncalls_per_callers = 3\n")
        == "p.toml:2:1: unknown key \"calls_per_callers\" in [limits]; did you mean \"calls_per_caller\"?")
  }

  @Test("what operators control is read strictly")
  func controlMistakes() {
    let text = """
      [[rule]]
      action = "answer"
      control = ["mute", "swap_camera", "reboot", 7]
      [[rule]]
      action = "reject"
      control = []
      [outgoing]
      control = "mute"
      """
    let expected = """
      p.toml:3:20: control cannot be "swap_camera"; did you mean "swap-camera"?
      p.toml:3:35: control cannot be "reboot"; it is one of mute, swap-camera, choose-camera, archive
      p.toml:3:45: control holds an integer where a string belongs; write for example control = ["…"]
      p.toml:6:11: control has no effect with action reject; remove it
      p.toml:8:11: control must be an array of strings, not a string; write for example control = ["…"]
      """
    #expect(errors(text) == expected)
  }

  @Test("what callers see is read as written, and only what there is")
  func cameras() throws {
    let text = "[[rule]]\naction = \"answer\"\ncamera = \"yard\"\n"
    var answer = AnswerSettings()
    answer.camera = "yard"
    for cameras in [nil, ["device", "yard"]] {
      let policy = try PolicyFile.read(text: text, file: "p.toml", cameras: cameras)
      #expect(policy.rules.map(\.decision) == [.answer(answer)])
    }
    #expect(
      errors(text, cameras: ["device", "yards"])
        == "p.toml:3:10: there is no [[camera]] named \"yard\"; did you mean \"yards\"?")
    #expect(
      errors(text, cameras: ["device"])
        == "p.toml:3:10: there is no [[camera]] named \"yard\"; it is one of \"device\"")
    #expect(
      errors(text + "publish = [\"audio\"]\n", cameras: ["device", "yard"])
        == "p.toml:3:10: camera has no effect without video; add \"video\" to publish")
    #expect(
      errors("[[rule]]\naction = \"reject\"\ncamera = \"yard\"\n")
        == "p.toml:3:10: camera has no effect with action reject; remove it")
  }

  @Test("whom the device calls, and how, is read as written")
  func outgoing() throws {
    let text = """
      [outgoing]
      allowed = ["user:u1", "user:u2"]
      publish = ["video"]
      talk = false
      record = true
      max_duration = "5m"
      control = ["swap-camera", "choose-camera"]
      camera = "yard"
      preview = true
      """
    var expected = OutgoingSettings()
    expected.showsPreview = true
    expected.control = [.swapCamera, .chooseCamera]
    expected.camera = "yard"
    #expect(expected.permittedControl == [.swapCamera])
    #expect(throws: ConfigErrors.self) { try PolicyFile.read(text: text, file: "p.toml", cameras: ["device"]) }
    expected.receivers = .users(["u1", "u2"])
    expected.publishesAudio = false
    expected.mayTalk = false
    expected.isRecorded = true
    expected.maxDuration = .seconds(300)
    #expect(try PolicyFile.read(text: text, file: "p.toml").outgoing == expected)
    #expect(try PolicyFile.read(text: "[outgoing]\nallowed = false\n", file: "p.toml").outgoing.receivers == .noOne)
    #expect(try PolicyFile.read(text: "[outgoing]\nallowed = true\n", file: "p.toml").outgoing == OutgoingSettings())
  }

  @Test("mistakes about the calls that the device places are found with their places")
  func outgoingMistakes() {
    let text = """
      [outgoing]
      allowed = ["group:family", "anna"]
      publish = ["sound"]
      recrod = true
      """
    #expect(
      errors(text) == """
        p.toml:2:12: "group:family" is no user to call; write user:ID, with an id that livesessions users shows
        p.toml:2:28: "anna" is no user to call; write user:ID, with an id that livesessions users shows
        p.toml:3:12: publish cannot be "sound"; it is one of audio, video
        p.toml:4:1: unknown key "recrod" in [outgoing]; did you mean "record"?
        """)
    #expect(
      errors("[outgoing]\nallowed = []\n")
        == "p.toml:2:11: allowed is an empty list; write allowed = false to permit no calls")
    #expect(
      errors("[outgoing]\npublish = [\"audio\"]\npreview = true\n")
        == "p.toml:3:11: there is no preview without video; add video to publish")
    #expect(
      errors("[outgoing]\npreview_audio = true\n")
        == "p.toml:2:17: there is no preview with sound; write preview = true")
    #expect(
      errors("[outgoing]\nallowed = \"yes\"\n")
        == "p.toml:2:11: allowed must be true or false, not a string; write for example allowed = true")
  }

  @Test("who may have the device record by hand is nobody unless it is written")
  func recording() throws {
    #expect(try PolicyFile.read(text: "", file: "p.toml").recording.allowed.isEmpty)
    #expect(
      errors("[recording]\nmanagers = []\n") == "p.toml:2:12: managers is an empty list; leave it out to permit no one")
    let text = "[recording]\nallowed = [\"user:u1\", \"group:family\", \"role:operator\"]\n"
    let expected: [CallerPattern] = [.user("u1"), .group("family"), .role(.operator)]
    #expect(try PolicyFile.read(text: text, file: "p.toml").recording.allowed == expected)
    #expect(
      errors("[recording]\nallowed = [\"anna\"]\nalowed = 1\n") == """
        p.toml:2:12: "anna" is not a caller; write user:ID, group:NAME or role: with one of operator, user, device, anonymous, guest, viewer
        p.toml:3:1: unknown key "alowed" in [recording]; did you mean "allowed"?
        """)
    #expect(
      errors("[recording]\nallowed = []\n") == "p.toml:2:11: allowed is an empty list; leave it out to permit no one")
    #expect(
      errors("[recording]\nallowed = true\n")
        == "p.toml:2:11: allowed must be an array of strings, not a boolean; write for example allowed = [\"…\"]")
  }

  @Test("an empty list of callers is refused")
  func noCallers() {
    #expect(
      errors("[[rule]]\ncaller = []\naction = \"answer\"\n")
        == "p.toml:2:10: caller is an empty list; leave it out to match everybody")
  }

  @Test("recent_calls needs both its keys, and takes no other")
  func recentCalls() {
    let text = "[[rule]]\nrecent_calls = { atleast = 2 }\naction = \"reject\"\n"
    let expected = """
      p.toml:2:1: at_least is missing in [rule.recent_calls]; write for example at_least = 3
      p.toml:2:1: last is missing in [rule.recent_calls]; write for example last = "10m"
      p.toml:2:18: unknown key "atleast" in [rule.recent_calls]; did you mean "at_least"?
      """
    #expect(errors(text) == expected)
  }
}
