internal import HTTPTypes
internal import Hummingbird
internal import OpenSSLCrypto
internal import SessionToken

/// `GET /v1/openapi.json`: ``APIDescription``, for anyone.
struct DescriptionRoute {
  static let path = "/v1/openapi.json"
  /// Written when it is asked for first.
  private static let content = Result {
    let text = try APIDescription.text()
    return (text: text, tag: "\"\(Base64URL.encode(OpenSSLCrypto().sha256(Array(text.utf8))))\"")
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get(RouterPath(Self.path)) { request, _ in
      let (text, tag) = try Self.content.get()
      let isKnown = request.headers[.ifNoneMatch] == tag
      var response = isKnown ? Response(status: .notModified) : Response.text(text, type: "application/json")
      response.headers[.eTag] = tag
      response.headers[.cacheControl] = "max-age=3600"
      return response
    }
  }
}
