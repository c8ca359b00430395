import ArgumentParser
import ControlMessages

/// Where the daemon is found.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "path"))
  var socket = "/run/livesessions/control"

  /// Carries out `body` with a connection; failures end the program with a line and an exit code.
  func withClient<Result>(_ body: (inout ControlClient) throws(ControlClientError) -> Result) throws -> Result {
    do {
      var client = try ControlClient(path: socket)
      return try body(&client)
    } catch {
      throw Failure(error).reported()
    }
  }

  /// Calls a method that returns nothing.
  func perform(_ method: DeviceMethod, _ parameters: some VarlinkParameters) throws {
    _ = try withClient { client throws(ControlClientError) in
      try client.call(method, parameters, as: NoParameters.self)
    }
  }
}
