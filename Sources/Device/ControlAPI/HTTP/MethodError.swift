import ControlMessages
import FoundationEssentials
import NIOHTTP1

/// Why a method was not carried out, as HTTP has it: the error's name without its interface, and its parameters.
struct MethodError {
  let error: VarlinkError

  init(_ error: VarlinkError) { self.error = error }

  var response: LocalHTTPResponse {
    let name = error.name.split(separator: ".").last.map(String.init) ?? error.name
    var message = error.parameters
    message["error"] = name
    if message["message"] == nil { message["message"] = text }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .json((try? encoder.encode(message)) ?? Data(), status: status)
  }

  private var text: String {
    if let known = error.deviceControlError { return "\(known)" }
    return switch error {
    case .expectedMore: "this method sends many replies: its events are at /events"
    default: "there is no such method: /interface lists them"
    }
  }

  private var status: HTTPResponseStatus {
    guard let known = error.deviceControlError else { return error == .expectedMore ? .badRequest : .notFound }
    return switch known {
    case .noSuchSession, .noSuchArchive, .noSuchUser: .notFound
    case .archiveInUse, .archiveLocked, .ambiguousUser: .conflict
    case .actionRefused, .notPermitted: .forbidden
    case .notConnected: .serviceUnavailable
    case .invalidConfiguration: .unprocessableEntity
    case .invalidParameter: .badRequest
    case .failed: .internalServerError
    }
  }
}
