internal import V4L2Capture

/// Opens what a configuration names.
enum SystemSources {
  static func open(_ request: SourceRequest) throws(SourceFailure) -> any FrameSource {
    switch request.selection {
    case .camera(let path): return try CameraSource(path: path, request)
    case .file(let path, let repeats): return try Y4MSource(path: path, repeats: repeats, request)
    case .testBars: return TestBarsSource(request)
    case .testStreet: return TestStreetSource(request)
    case .program(let program): return try ProgramSource(program, request)
    case .automatic: return try openAutomatic(request)
    case .none: throw SourceFailure(reason: "none: no camera is configured")
    }
  }

  /// The first camera that opens; test bars if there is none at all and the request allows that.
  private static func openAutomatic(_ request: SourceRequest) throws(SourceFailure) -> any FrameSource {
    let names = CameraList.current().map { $0.stablePath ?? $0.path }
    guard !names.isEmpty else {
      if request.allowsStandIn { return TestBarsSource(request, isStandIn: true) }
      throw SourceFailure(kind: .noCamera, reason: "auto: no camera was found")
    }
    var first: SourceFailure?
    for name in request.order(names) {
      do throws(SourceFailure) { return try CameraSource(path: name, request) } catch { first = first ?? error }
    }
    throw first ?? SourceFailure(kind: .noCamera, reason: "auto: no camera was found")
  }
}

extension SourceRequest {
  /// The order in which `auto` tries cameras: the preferred one first, the avoided one last.
  func order(_ names: [String]) -> [String] {
    let preferred = names.filter { $0 == self.preferred }
    let avoided = names.filter { $0 == self.avoided && $0 != self.preferred }
    return preferred + names.filter { $0 != self.preferred && $0 != self.avoided } + avoided
  }
}
