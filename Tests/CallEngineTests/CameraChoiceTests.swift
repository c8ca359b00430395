import CallPolicy
import SystemSupport
import MediaCore
import MediaPlaneAPI
import Signalling
import Testing

@testable import CallEngine

@Suite("What a caller sees", .timeLimit(.minutes(1)))
struct CameraChoiceTests {
  private func bench(_ answer: AnswerSettings = AnswerSettings()) throws -> EngineBench {
    try EngineBench(.answer(answer), cameras: ["device", "yard", "mosaic"])
  }

  private static let offer = #"hub signal s cameras {"camera":"device","cameras":["device","yard","mosaic"]}"#

  @Test func `an operator is told of the cameras, and chooses`() async throws {
    let bench = try bench()
    await bench.connectedCall()
    await bench.log.wait(for: Self.offer)
    await bench.control("choose-camera", "yard")
    await bench.log.wait(for: "hub result s choose-camera done")
    await bench.control("choose-camera", "device")
    await bench.log.wait(for: "media shows main s")
    #expect(await bench.lines.contains(#"media shows camera("yard") s"#))
    await bench.control("choose-camera", "mosaic")
    await bench.log.wait(for: "media shows mosaic s")
    await bench.control("choose-camera", "cellar")
    await bench.log.wait(for: "hub result s choose-camera not-possible")
  }

  @Test func `a device with one camera tells of none`() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    #expect(await !bench.lines.contains { $0.contains("cameras") })
  }

  @Test("Others are told nothing", arguments: [SessionRole.publisher, .subscriber])
  func roles(role: SessionRole) async throws {
    let bench = try bench()
    await bench.connectedCall(role: role)
    #expect(await !bench.lines.contains { $0.contains("cameras") })
  }

  @Test func `who may not choose is told nothing`() async throws {
    let bench = try bench(.with { $0.control = [.swapCamera, .mute] })
    await bench.connectedCall()
    await bench.control("choose-camera", "yard")
    await bench.log.wait(for: "hub result s choose-camera not-allowed policy")
    #expect(await !bench.lines.contains { $0.contains("cameras") || $0.contains("media shows") })
  }

  @Test func `what a rule shows nobody at the other end changes`() async throws {
    let bench = try bench(.with { $0.camera = "yard" })
    await bench.connectedCall()
    #expect(bench.media.lastRequest.withLock { $0?.view } == .camera("yard"))
    await bench.control("choose-camera", "device")
    await bench.log.wait(for: "hub result s choose-camera not-allowed policy")
    #expect(await !bench.lines.contains { $0.contains("cameras") })
  }

  @Test func `somebody at the device chooses, and the party is told`() async throws {
    let bench = try bench()
    await #expect(throws: EngineError.noSuchCall) { try await bench.engine.chooseCamera("yard", for: "s") }
    await bench.connectedCall()
    try await bench.engine.chooseCamera("yard", for: "s")
    await bench.log.wait(for: #"hub signal s cameras {"camera":"yard","cameras":["device","yard","mosaic"]}"#)
    await #expect(throws: UnknownCamera.self) { try await bench.engine.chooseCamera("cellar", for: "s") }
  }

  @Test func `a name that the device does not have goes no further`() async throws {
    let bench = try bench()
    await bench.connectedCall()
    await bench.control("choose-camera", "cellar")
    await bench.log.wait(for: "hub result s choose-camera not-possible")
    #expect(await !bench.lines.contains { $0.hasPrefix("media shows") })
  }

  @Test func `what is seen is told when the call connects, and shown in status`() async throws {
    let bench = try bench()
    await bench.call()
    await bench.log.wait(for: "hub answer s sdp-s")
    #expect(await bench.engine.status().calls.map(\.camera) == ["device"])
    try await bench.engine.chooseCamera("yard", for: "s")
    await bench.engine.handle(.connected(sessionID: "s"))
    await bench.log.wait(for: #"hub signal s cameras {"camera":"yard","cameras":["device","yard","mosaic"]}"#)
    await bench.control("choose-camera", "mosaic")
    await bench.log.wait(for: "hub result s choose-camera done")
    await bench.drain()
    #expect(await bench.engine.status().calls.map(\.camera) == ["mosaic"])
    let ruled = try self.bench(.with { $0.camera = "yard" })
    await ruled.connectedCall()
    #expect(await ruled.engine.status().calls.map(\.camera) == ["yard"])
  }

  @Test func `a flood of controls is refused, and what comes at people's pace is done`() async throws {
    let bench = try bench()
    await bench.connectedCall()
    for index in 0..<200 { await bench.control("choose-camera", index % 2 == 0 ? "yard" : "device") }
    await bench.log.wait(for: "hub result s choose-camera rate-limited")
    #expect(await bench.lines.count { $0.hasPrefix("media shows") } == 10)
    await bench.advance(.milliseconds(500))
    await bench.control("choose-camera", "mosaic")
    await bench.log.wait(for: "media shows mosaic s")
  }

  @Test func `what [outgoing] shows nobody at the other end changes`() {
    let terms = CallTerms(OutgoingSettings.with { $0.camera = "yard" })
    #expect(terms.camera == "yard" && !terms.control.contains(.chooseCamera))
  }
}

extension OutgoingSettings {
  fileprivate static func with(_ change: (inout Self) -> Void) -> Self {
    var settings = Self()
    change(&settings)
    return settings
  }
}
