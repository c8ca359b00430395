internal import HTTPTypes
internal import Hummingbird
internal import Signalling

extension Router<HubRequestContext> {
  private static let methods: [HTTPRequest.Method] = [.get, .put, .post, .delete, .patch, .trace]

  /// Answers what no route has been added for on the paths of those that have: `OPTIONS`, and methods that a path does not
  /// have. To be called after all routes are there.
  func answerOtherMethods() {
    for (_, routes) in Dictionary(grouping: routes, by: { $0.path.description }) {
      let path = routes[0].path
      var known = routes.map(\.method)
      if known.contains(.get) { known.append(.head) }
      let allow = (known + [.options]).map(\.rawValue).sorted().joined(separator: ", ")
      on(path, method: .options) { request, _ in
        try Self.checkIsPage(request, path)
        return Response(status: .noContent, headers: [.allow: allow])
      }
      for method in Self.methods + [.head] where !known.contains(method) {
        on(path, method: method) { request, _ -> Response in
          try Self.checkIsPage(request, path)
          let problem = Problem(
            type: "method-not-allowed", title: "Method not allowed", status: 405, detail: "this path has \(allow)")
          throw RequestFailure(problem: problem, headers: [.allow: allow])
        }
      }
    }
  }

  /// The page's pattern matches every path, also those of the API that do not exist.
  private static func checkIsPage(_ request: Request, _ path: RouterPath) throws(HTTPError) {
    if path.description.contains("**"), request.uri.path.hasPrefix("/v1/") { throw HTTPError(.notFound) }
  }
}
