import CallPolicy
import Locking
import MediaPlaneAPI
import Signalling
import Testing

@testable import CallEngine

@Suite("What a caller sees", .timeLimit(.minutes(1)))
struct CameraChoiceTests {
  private func bench(_ answer: AnswerSettings = AnswerSettings()) throws -> EngineBench {
    try EngineBench(.answer(answer), cameras: ["device", "yard"])
  }

  private static let offer = #"hub signal s cameras {"camera":"device","cameras":["device","yard"]}"#

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
    await bench.log.wait(for: #"hub signal s cameras {"camera":"yard","cameras":["device","yard"]}"#)
    await #expect(throws: UnknownCamera.self) { try await bench.engine.chooseCamera("cellar", for: "s") }
  }
}
