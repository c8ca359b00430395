import ArgumentParser
import ControlMessages
import Glibc
import SystemSupport

/// Where the daemon is found.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The daemon's control socket. (default: what LIVESESSIONS_SOCKET names, else \(DeviceInstance.unnamed.socket))",
      valueName: "path"))
  var socket: String?

  @OptionGroup private var instanceOption: InstanceOption

  /// The daemon whose files a command reads.
  var instance: DeviceInstance { instanceOption.named }

  /// The socket's path: of the option, else of the instance, else of the environment.
  var path: String { namedPath ?? instance.socket }

  /// The socket of a command whose options say nothing of it.
  static var usualPath: String { environmentPath ?? DeviceInstance.unnamed.socket }

  /// The path given on the command line, or in the environment where no instance is named; nil where none was.
  var namedPath: String? {
    if let socket { return socket }
    return instance == .unnamed ? Self.environmentPath : nil
  }

  private static var environmentPath: String? {
    let named = getenv("LIVESESSIONS_SOCKET").map { String(cString: $0) } ?? ""
    return named.isEmpty ? nil : named
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
