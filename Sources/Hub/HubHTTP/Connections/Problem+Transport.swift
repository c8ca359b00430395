internal import Signalling

/// Problems of requests that no route is to blame for.
extension Problem {
  static func malformed(_ detail: String) -> Problem {
    Problem(type: "malformed-request", title: "Malformed request", status: 400, detail: detail)
  }

  static var requestTimeout: Problem {
    Problem(
      type: "request-timeout", title: "Request timeout", status: 408, detail: "the request was not whole in time")
  }

  static func tooLarge(_ limit: Int) -> Problem {
    Problem(type: "too-large", title: "Body too large", status: 413, detail: "the body is larger than \(limit) bytes")
  }

  static func targetTooLong(_ limit: Int) -> Problem {
    Problem(
      type: "target-too-long", title: "URL too long", status: 414, detail: "the URL is longer than \(limit) bytes")
  }

  static var expectationFailed: Problem {
    Problem(
      type: "expectation-failed", title: "Expectation failed", status: 417, detail: "Expect: only 100-continue is known"
    )
  }

  static var headerTooLarge: Problem {
    Problem(
      type: "header-too-large", title: "Header too large", status: 431, detail: "the header, or one field, is too large"
    )
  }

  static var tooBusy: Problem { Problem(type: "too-busy", title: "Too many connections", status: 503) }
}
