import ArgumentParser
import ControlMessages
import Glibc

/// Where the daemon is found.
struct ConnectionOptions: ParsableArguments {
  private static let standardPath = "/run/livesessions/control"

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket. (default: what LIVESESSIONS_SOCKET names, else \(Self.standardPath))",
      valueName: "path"))
  var socket: String?

  /// The socket's path: of the option, else of the environment.
  var path: String { namedPath ?? Self.standardPath }

  /// The path given on the command line; nil where none was.
  var namedPath: String? {
    let named = getenv("LIVESESSIONS_SOCKET").map { String(cString: $0) } ?? ""
    return socket ?? (named.isEmpty ? nil : named)
  }

  /// Carries out `body` with a connection; failures end the program with a line and an exit code.
  func withClient<Result>(_ body: (inout ControlClient) throws(ControlClientError) -> Result) throws -> Result {
    do {
      var client = try ControlClient(path: path)
      return try body(&client)
    } catch {
      throw Failure(error).reported()
    }
  }

  /// Calls a method that returns nothing.
  func perform<Parameters>(_ method: DeviceMethod<Parameters, NoParameters>, _ parameters: Parameters) throws {
    _ = try withClient { client throws(ControlClientError) in try client.call(method, parameters) }
  }
}
