import CallPolicy
import MediaPlaneAPI
import Signalling
import Testing

@testable import CallEngine

@Suite("Who muted what") struct MuteStateTests {
  @Test func aPartysMuteEndsWithItsCall() {
    var state = MuteState()
    state.mute(.camera, by: "anna", in: "s")
    #expect(state.isMuted(.camera) && state.mutedBy(.camera) == ["anna"] && state.targets == [.camera])
    state.end("other")
    #expect(state.isMuted(.camera))
    state.end("s")
    #expect(state == MuteState() && !state.isMuted(.camera))
  }

  @Test func ofTwoCallsTheLastOneEndsIt() {
    var state = MuteState()
    state.mute(.camera, by: "anna", in: "s")
    state.mute(.camera, by: "bert", in: "t")
    #expect(state.mutedBy(.camera) == ["anna", "bert"])
    #expect(state.unmute(.camera, in: "s") == .mutedByOther)
    #expect(state.mutedBy(.camera) == ["bert"])
    state.end("t")
    #expect(!state.isMuted(.camera))
  }

  @Test func noPartyEndsTheDevicesOwnMute() {
    var state = MuteState()
    state.setLocally(.microphone, true)
    #expect(state.unmute(.microphone, in: "s") == .mutedAtDevice)
    state.mute(.microphone, by: "anna", in: "s")
    #expect(state.mutedBy(.microphone) == ["device", "anna"])
    state.end("s")
    #expect(state.isMuted(.microphone) && state.mutedBy(.microphone) == ["device"])
  }

  @Test func theDevicesOwnUnmuteEndsEverybodys() {
    var state = MuteState()
    state.mute(.speaker, by: "anna", in: "s")
    state.setLocally(.speaker, true)
    state.setLocally(.speaker, false)
    #expect(state == MuteState())
    #expect(state.unmute(.speaker, in: "s") == nil)
  }
}

@Suite("Muting", .timeLimit(.minutes(1)))
struct MutingTests {
  @Test func aMuteMadeAtTheDeviceIsNotUndoneByACaller() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.setMuted(.microphone, true)
    await bench.control("unmute", "microphone")
    await bench.log.wait(for: "hub result s unmute not-allowed muted-at-device")
    #expect(await !bench.lines.contains("media unmute microphone"))
    await bench.engine.setMuted(.microphone, false)
    #expect(await bench.lines.contains("media unmute microphone"))
  }

  @Test func aMuteOfACallerEndsWithTheCall() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.control("mute", "camera")
    await bench.log.wait(for: "hub result s mute done")
    #expect(await bench.engine.status().muted.mutedBy(.camera) == ["anna"])
    await bench.hubEnds()
    await bench.log.wait(for: "media unmute camera")
    #expect(await bench.engine.status().muted.targets.isEmpty)
  }

  @Test func ofTwoCallersTheLastOneEndsIt() async throws {
    let bench = try EngineBench()
    await bench.connectedCall("s")
    await bench.connectedCall("t", callerID: "bert")
    await bench.control("mute", "camera")
    await bench.log.wait(for: "hub result s mute done")
    await bench.control("mute", "camera", sessionID: "t", userID: "bert")
    await bench.log.wait(for: "hub result t mute done")
    await bench.control("unmute", "camera")
    await bench.log.wait(for: "hub result s unmute not-allowed muted-by-other")
    await bench.hubEnds("s")
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains("media unmute camera"))
    await bench.hubEnds("t")
    await bench.log.wait(for: "media unmute camera")
  }

  @Test func thePolicySaysWhatAModeratorControls() async throws {
    let bench = try EngineBench(.answer(.with { $0.control = [.archive] }))
    await bench.connectedCall()
    for action in ["mute", "unmute", "swap-camera"] {
      await bench.control(action, "camera")
      await bench.log.wait(for: "hub result s \(action) not-allowed policy")
    }
    await bench.control("start-archive")
    await bench.log.wait(for: "hub result s start-archive done")
  }

  @Test func aCallThatRingsControlsNothing() async throws {
    let ringing = PolicyDecision.ring(
      RingSettings(timeout: .seconds(20), then: .reject(.declined), answer: AnswerSettings()))
    let bench = try EngineBench(ringing)
    await bench.call()
    await bench.control("mute", "microphone")
    await bench.log.wait(for: "hub result s mute not-possible")
    #expect(await bench.engine.status().muted.targets.isEmpty)
  }
}
