import ControlMessages
import EngineControl
import TestServers
import Testing

@testable import DeviceService

extension DeviceServiceTests {
  @Suite("Start") struct Start {
    @Test func aMinimalDeviceStartsWithoutAHub() async throws {
      let bench = try ServiceBench()
      try await bench.run(try bench.makeService()) { device in
        let status = try await device.control.status()
        #expect(status.title == "Gate")
        #expect(!status.isOnline)
        #expect(status.sessions.isEmpty)
        #expect(bench.exists("state/dtls.pem"))
        #expect(bench.exists("control"))
        #expect(bench.log.lines.contains("livesessionsd 1 is ready"))
      }
      #expect(!bench.exists("control"))
      #expect(bench.log.lines.last == "livesessionsd has stopped")
    }

    @Test func aMistakeInEitherFileKeepsItFromStarting() throws {
      let bench = try ServiceBench(device: "[calls]\nmax_sessions = 0\n")
      var error = #expect(throws: DeviceServiceError.self) { try bench.makeService() }
      #expect(error?.exitStatus == 78)
      #expect(error?.description.contains("device.toml:\(ServiceBench.headLineCount + 2):") == true)
      try bench.write(device: "", policy: "\ndefualt = \"reject\"\n")
      error = #expect(throws: DeviceServiceError.self) { try bench.makeService() }
      #expect(error?.exitStatus == 78)
      #expect(error?.description.contains("policy.toml:2:") == true)
    }

    @Test func oneThatCannotHaveItsSocketEndsWhatHadBegun() async throws {
      let bench = try ServiceBench()
      try await bench.run(try bench.makeService()) { _ in
        let second = try bench.makeService()
        let error = await #expect(throws: DeviceServiceError.self) {
          try await second.run(until: { AsyncStream { $0.finish() } })
        }
        #expect(error?.exitStatus == 1)
        #expect(error?.description.contains("another daemon listens at") == true)
      }
    }
  }
}
