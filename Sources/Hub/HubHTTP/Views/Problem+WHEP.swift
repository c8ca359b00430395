internal import HTTPTypes
internal import Signalling

/// What WHEP's requests are refused with, beside what every request may be.
extension Problem {
  static func notAcceptable(_ detail: String) -> Problem {
    Problem(type: "not-acceptable", title: "Not acceptable", status: 406, detail: detail)
  }

  static func deviceOffline(_ detail: String) -> Problem {
    Problem(type: "device-offline", title: "The device cannot be viewed just now", status: 409, detail: detail)
  }

  static var preconditionFailed: Problem {
    Problem(
      type: "precondition-failed", title: "Precondition failed", status: 412,
      detail: "If-Match is not the view's ETag: ICE was restarted since")
  }

  static func unsupportedMediaType(_ wanted: String) -> Problem {
    Problem(
      type: "unsupported-media-type", title: "Unsupported media type", status: 415,
      detail: "Content-Type: must be \(wanted)")
  }

  static func unusableOffer(_ detail: String) -> Problem {
    Problem(type: "unusable-description", title: "The description cannot be used", status: 422, detail: detail)
  }

  static var preconditionRequired: Problem {
    Problem(
      type: "precondition-required", title: "Precondition required", status: 428,
      detail: "If-Match: is missing; it is the view's ETag, or * to restart ICE")
  }
}
