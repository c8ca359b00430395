/// The modules of a page, joined in few files: without a request for each of them a page is there after a few round trips, and
/// compresses better.
///
/// One file has what the page starts with, one each has what a module needs that is imported on demand (`import("./x.js")`), and
/// one has what several of those need. In a file each module is a block, in the order in which they would run; its exports are an
/// object, which those that import it take apart. A file is a module itself: it exports these objects, for the other files.
struct ModuleBundles {
  /// By their paths. Each module that is imported on demand is at its own, with its own exports.
  private(set) var texts: [String: String] = [:]

  /// What of a page could have this name is none of its files.
  static let sharedPath = "shared-modules.js"

  /// By their paths, the names of the modules' objects, and the files in which they are.
  private let names: [String: String]
  private let files: [String: String]

  /// Joins `main` with all that it imports, at once or on demand; `read` gives the text of a file of the page, nil where there is
  /// none.
  init(of main: String, read: (String) -> String?) throws(PageModule.Refusal) {
    guard read(Self.sharedPath) == nil else { throw .init(path: Self.sharedPath, reason: "the hub needs that name") }
    var graph = ModuleGraph()
    let first = try graph.order(of: main, read: read)
    var later: [(root: String, modules: [String])] = []
    while let root = graph.demanded.first(where: { root in root != main && !later.contains { $0.root == root } }) {
      later.append((root, try graph.order(of: root, read: read)))
    }
    try graph.checkNames()
    files = Self.files(main: main, first: first, later: later)
    let order = (first + later.flatMap(\.modules)).reduce(into: [String]()) { order, path in
      if !order.contains(path) { order.append(path) }
    }
    names = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, "$m\($0.offset)") })
    for file in [main, Self.sharedPath] + later.map(\.root) {
      let own = order.compactMap { path in files[path] == file ? graph.modules[path] : nil }
      let root = later.contains { $0.root == file } ? graph.modules[file] : nil
      guard root != nil || !own.isEmpty else { continue }
      texts[file] = try text(of: file, own, root: root)
    }
  }

  /// By each module's path, the file that has it.
  private static func files(
    main: String, first: [String], later: [(root: String, modules: [String])]
  ) -> [String: String] {
    var files = Dictionary(uniqueKeysWithValues: first.map { ($0, main) })
    for (root, modules) in later {
      for path in modules where files[path] != main { files[path] = files[path] == nil ? root : sharedPath }
    }
    return files
  }

  /// A file with `modules`; `root` is the one whose exports the file has, nil where none is imported on demand.
  private func text(
    of file: String, _ modules: [PageModule], root: PageModule?
  ) throws(PageModule.Refusal) -> String {
    var (taken, lines): ([String: Set<String>], [String]) = ([:], [])
    for module in modules {
      lines += try block(of: module, in: file) { path, name in taken[path, default: []].insert(name) }
    }
    if let root, let name = names[root.path], let home = files[root.path] {
      if home != file { taken[home, default: []].insert(name) }
      lines += Self.exports(of: root, name)
    } else {
      lines.append("export{\(modules.compactMap { names[$0.path] }.joined(separator: ","))};")
    }
    let up = String(repeating: "../", count: file.count { $0 == "/" })
    let imports = taken.sorted { $0.key < $1.key }.map { path, names in
      "import{\(names.sorted().joined(separator: ","))}from\"\(up.isEmpty ? "./" : up)\(path)\";"
    }
    return (imports + lines).joined(separator: "\n") + "\n"
  }

  /// The exports of a module that is imported on demand, which are those of its file.
  private static func exports(of root: PageModule, _ object: String) -> [String] {
    let list = root.exportedNames.joined(separator: ",")
    return list.isEmpty ? [] : ["const {\(list)}=\(object);export{\(list)};"]
  }

  /// `take` gets the file and the object's name of what another file has.
  private func block(
    of module: PageModule, in file: String, take: (_ file: String, _ name: String) -> Void
  ) throws(PageModule.Refusal) -> [String] {
    func object(_ from: String) -> String {
      guard let path = PagePath.resolve(from, in: module.path), let name = names[path] else { return "" }
      if let other = files[path], other != file { take(other, name) }
      return name
    }
    let own = names[module.path] ?? ""
    var (lines, exports) = (["const \(own)={};{"], [String]())
    for part in module.parts {
      switch part {
      case .code(let source):
        try check(source, of: module, in: file)
        lines.append(source)
      case .exported(let name, let source):
        lines.append(source)
        exports.append(name)
      case .importing(let taken, let from, _): lines += Self.taking(taken, object(from))
      case .exporting(let pairs, nil): exports.append(Self.list(pairs, ":", isReversed: true))
      case .exporting(let pairs, let from?):
        let name = object(from)
        exports += pairs.map { "\($0.ours):\(name).\($0.theirs)" }
      }
    }
    if !exports.isEmpty { lines.append("Object.assign(\(own),{\(exports.joined(separator: ","))});") }
    return lines + ["}"]
  }

  /// What depends on a module's own address means another one elsewhere.
  private func check(_ source: String, of module: PageModule, in file: String) throws(PageModule.Refusal) {
    let isInFolder = module.path.contains("/") || file.contains("/")
    guard source.contains("import.meta") || (source.contains("import(") && isInFolder) else { return }
    throw .init(path: module.path, reason: "it depends on its own address")
  }

  private static func taking(_ names: PageModule.Names, _ object: String) -> [String] {
    switch names {
    case .nothing: []
    case .all(let name): ["const \(name)=\(object);"]
    case .some(let pairs): ["const {\(list(pairs, ":"))}=\(object);"]
    }
  }

  private static func list(_ pairs: [PageModule.Pair], _ mark: String, isReversed: Bool = false) -> String {
    pairs.map { pair in
      if pair.theirs == pair.ours { return pair.ours }
      return isReversed ? "\(pair.ours)\(mark)\(pair.theirs)" : "\(pair.theirs)\(mark)\(pair.ours)"
    }.joined(separator: ",")
  }
}

/// The modules of a page, and what they import.
private struct ModuleGraph {
  /// By their paths, those that were read.
  private(set) var modules: [String: PageModule] = [:]
  /// What those import on demand, in the order in which it was read.
  private(set) var demanded: [String] = []

  /// No page has more; they are read before they are known to be a page's.
  private static let maximumModules = 500

  /// A module and all that it imports at once, in the order in which they run: each after those that it imports.
  mutating func order(of path: String, read: (String) -> String?) throws(PageModule.Refusal) -> [String] {
    var (order, open): ([String], Set<String>) = ([], [])
    try add(path, to: &order, open: &open, read: read)
    return order
  }

  /// In a file of several modules a name that another module lacks would be undefined, unnoticed.
  func checkNames() throws(PageModule.Refusal) {
    let exported = modules.mapValues { Set($0.exportedNames) }
    for module in modules.values {
      for part in module.parts {
        switch part {
        case .importing(.some(let pairs), let from, _), .exporting(let pairs, let from?):
          let known = exported[PagePath.resolve(from, in: module.path) ?? ""] ?? []
          guard let pair = pairs.first(where: { !known.contains($0.theirs) }) else { continue }
          throw .init(path: module.path, reason: "\"\(from)\" exports no \(pair.theirs)")
        case .code, .exported, .importing, .exporting(_, nil): continue
        }
      }
    }
  }

  private mutating func add(
    _ path: String, to order: inout [String], open: inout Set<String>, read: (String) -> String?
  ) throws(PageModule.Refusal) {
    guard !order.contains(path) else { return }
    guard open.insert(path).inserted else {
      throw .init(path: path, reason: "it imports itself, through others perhaps")
    }
    for other in try module(path, read: read).imported { try add(other, to: &order, open: &open, read: read) }
    order.append(path)
  }

  private mutating func module(_ path: String, read: (String) -> String?) throws(PageModule.Refusal) -> PageModule {
    if let known = modules[path] { return known }
    guard let text = read(path) else { throw .init(path: path, reason: "there is no such file") }
    guard modules.count < Self.maximumModules else { throw .init(path: path, reason: "there are too many modules") }
    let module = try PageModule(path: path, text: text)
    modules[path] = module
    demanded += try module.demanded.filter { !demanded.contains($0) }
    return module
  }
}

extension PageModule {
  /// The paths of the modules that it imports at once.
  fileprivate var imported: [String] {
    get throws(Refusal) {
      var paths: [String] = []
      for part in parts {
        switch part {
        case .importing(_, let from, _), .exporting(_, let from?): paths.append(try resolve(from))
        case .code, .exported, .exporting(_, nil): continue
        }
      }
      return paths
    }
  }

  /// Those of the modules that it imports on demand, by a path that stands there.
  fileprivate var demanded: [String] {
    get throws(Refusal) {
      var paths: [String] = []
      for part in parts {
        guard case .code(let source) = part else { continue }
        for rest in source.split(separator: "import(\"", omittingEmptySubsequences: false).dropFirst() {
          paths.append(try resolve(String(rest.prefix { $0 != "\"" })))
        }
      }
      return paths
    }
  }

  fileprivate var exportedNames: [String] {
    parts.flatMap { part -> [String] in
      switch part {
      case .exported(let name, _): [name]
      case .exporting(let pairs, _): pairs.map(\.ours)
      case .code, .importing: []
      }
    }
  }

  private func resolve(_ from: String) throws(Refusal) -> String {
    guard let path = PagePath.resolve(from, in: path) else {
      throw Refusal(path: self.path, reason: "\"\(from)\" is no path of the page")
    }
    return path
  }
}
