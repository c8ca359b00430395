/// The modules that a page loads at its start as one: without a request for each of them a page is there after a few round
/// trips, and compresses better.
///
/// Each module is a block, in the order in which they would run; its exports are an object, which those that import it take
/// apart. The whole is a module itself that exports these objects, for modules that are loaded later.
struct ModuleBundle {
  let text: String
  /// By their paths, the names of the modules' objects.
  private let names: [String: String]
  private let main: String

  /// Joins `main` with all that it imports; `read` gives the text of a file of the page, nil where there is none.
  init(of main: String, read: (String) -> String?) throws(PageModule.Refusal) {
    var order = ModuleOrder()
    try order.add(main, read: read)
    var names: [String: String] = [:]
    for (number, module) in order.modules.enumerated() { names[module.path] = "$m\(number)" }
    self.names = names
    self.main = main
    var lines: [String] = []
    for module in order.modules { lines += try Self.block(of: module, names) }
    lines.append("export{\(order.modules.compactMap { names[$0.path] }.joined(separator: ","))};\n")
    text = lines.joined(separator: "\n")
  }

  /// A module that the page loads later, which takes from the bundle what is in it: a second copy would have a state of its own.
  /// Nil for one that takes nothing, or is in the bundle itself.
  func laterModule(_ path: String, text: String) throws(PageModule.Refusal) -> String? {
    guard names[path] == nil else { return nil }
    let module = try PageModule(path: path, text: text)
    var (taken, lines): (Set<String>, [String]) = ([], [])
    for part in module.parts {
      switch part {
      case .code(let source): lines.append(source)
      case .exported(_, let source): lines.append("export \(source)")
      case .exporting(let pairs, nil): lines.append("export{\(Self.list(pairs, " as "))};")
      case .exporting(_, _?): throw .init(path: path, reason: "it exports what another module has")
      case .importing(let names, let from, let source):
        guard let name = self.names[PagePath.resolve(from, in: path) ?? ""] else {
          lines.append(source)
          continue
        }
        taken.insert(name)
        lines += Self.taking(names, name)
      }
    }
    guard !taken.isEmpty else { return nil }
    let up = String(repeating: "../", count: path.count { $0 == "/" })
    let source = up.isEmpty ? "./\(main)" : up + main
    return (["import{\(taken.sorted().joined(separator: ","))}from\"\(source)\";"] + lines).joined(separator: "\n")
      + "\n"
  }

  private static func block(of module: PageModule, _ names: [String: String]) throws(PageModule.Refusal) -> [String] {
    let own = names[module.path] ?? ""
    var lines = ["const \(own)={};{"]
    var exports: [String] = []
    for part in module.parts {
      switch part {
      case .code(let source):
        // Both mean another address in the bundle.
        if source.contains("import.meta") || (source.contains("import(") && module.path.contains("/")) {
          throw .init(path: module.path, reason: "it depends on its own address")
        }
        lines.append(source)
      case .exported(let name, let source):
        lines.append(source)
        exports.append(name)
      case .importing(let taken, let from, _):
        let name = PagePath.resolve(from, in: module.path).flatMap { names[$0] }
        lines += taking(taken, name ?? "")
      case .exporting(let pairs, nil): exports.append(list(pairs, ":", isReversed: true))
      case .exporting(let pairs, let from?):
        let name = PagePath.resolve(from, in: module.path).flatMap { names[$0] } ?? ""
        exports += pairs.map { "\($0.ours):\(name).\($0.theirs)" }
      }
    }
    if !exports.isEmpty { lines.append("Object.assign(\(own),{\(exports.joined(separator: ","))});") }
    lines.append("}")
    return lines
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

/// Modules in the order in which they run: each after those that it imports.
private struct ModuleOrder {
  private(set) var modules: [PageModule] = []
  private var added: Set<String> = []
  private var open: Set<String> = []

  /// No page has more; they are read before they are known to be a page's.
  private static let maximumModules = 500

  mutating func add(_ path: String, read: (String) -> String?) throws(PageModule.Refusal) {
    guard !added.contains(path) else { return }
    guard let text = read(path) else { throw .init(path: path, reason: "there is no such file") }
    guard open.count < Self.maximumModules, open.insert(path).inserted else {
      throw .init(path: path, reason: "it imports itself, through others perhaps")
    }
    let module = try PageModule(path: path, text: text)
    for part in module.parts {
      switch part {
      case .importing(_, let from, _), .exporting(_, let from?):
        guard let other = PagePath.resolve(from, in: path) else {
          throw .init(path: path, reason: "\"\(from)\" is no path of the page")
        }
        try add(other, read: read)
      case .code, .exported, .exporting(_, nil): continue
      }
    }
    open.remove(path)
    added.insert(path)
    modules.append(module)
  }
}

/// Paths below the page's folder.
enum PagePath {
  /// What a module's `./` or `../` path means in another's; nil for others, and for what leaves the folder.
  static func resolve(_ relative: String, in path: String) -> String? {
    guard relative.hasPrefix("./") || relative.hasPrefix("../") else { return nil }
    var parts = path.split(separator: "/").dropLast()
    for part in relative.split(separator: "/") {
      switch part {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { return nil }
      default: parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Plain names alone: no dot files, no way up, no escapes.
  static func isSafe(_ name: some StringProtocol) -> Bool {
    !name.hasPrefix(".") && !name.isEmpty
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0))
      }
  }
}
