import Foundation
import Testing

private enum PythonVarlink {
  static let isInstalled = (try? run("import varlink", path: ""))?.status == 0

  static func run(_ script: String, path: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["timeout", "30", "python3", "-c", script, path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}

/// The PyPI package `varlink` shares no code with us and checks replies against the interface's definition.
@Suite("Independent varlink client", .enabled(if: PythonVarlink.isInstalled))
struct VarlinkClientTests {
  private func expectSuccess(_ script: String, path: String) throws {
    let result = try PythonVarlink.run(script, path: path)
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("it understands the definition, the replies and the errors")
  func calls() async throws {
    try await withServer { fake, path in
      try expectSuccess(
        """
        import sys, varlink
        with varlink.Client("unix:" + sys.argv[1]) as client:
            assert "org.livesessions.Device" in client.get_interfaces(), client.get_interfaces()
            with client.open("org.livesessions.Device") as device:
                status = device.Status()["status"]
                assert status["title"] == "Gate \\u260e", status
                assert status["sessions"][0]["sessionID"] == "s1", status
                assert device.Users()["users"][0]["distance"] == 1.5
                device.HangUp("s1")
                device.Mute("camera", True)
                device.Chat(sessionID="s1", text="hello")
                assert device.ArchiveStart()["archiveIDs"] == ["a2"]
                assert device.ArchiveList(7)["archives"][0]["archiveID"] == "a1"
                assert device.ArchiveVerify("a1")["reports"][0]["problems"] == ["torn"]
                try:
                    device.HangUp("s9")
                    sys.exit("no error")
                except varlink.VarlinkError as error:
                    assert error.error() == "org.livesessions.Device.NoSuchSession", error
                    assert error.parameters() == {"sessionID": "s9"}, error
        """, path: path)
      #expect(fake.recordedCalls == ["hangUp s1", "mute camera true", "chat s1 hello", "start all", "list 7"])
    }
  }
}
