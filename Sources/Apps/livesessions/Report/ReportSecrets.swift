import CallPolicy
import ConfigFile
import ControlMessages
import DeviceConfiguration
import Glibc
import SystemSupport

/// What is known to identify this device, its people and its network, so that a report can leave it out wherever it stands.
struct ReportSecrets {
  /// Where systemd's `LoadCredential=` looks.
  private static let credentialStore = "/etc/credstore"
  private static let maxSecretBytes = 65_536
  /// Keys whose texts are names, whatever these consist of.
  private static let nameKeys: Set<String> = [
    "title", "name", "caller", "callee", "receiver", "to", "from", "group", "groups", "user", "users", "url",
    "username",
    "endpoint", "bucket", "prefix", "subject", "text", "sender", "reply_to", "host", "server", "reason",
  ]

  private(set) var texts: Set<String> = []

  /// Those of files: whole, by lines, and by the parts between colons and spaces.
  mutating func addSecrets(of configuration: DeviceConfiguration?, _ policy: CallPolicy?, _ instance: DeviceInstance) {
    let pins = (policy?.actions.rules ?? []).compactMap { rule -> String? in
      if case .file(let path)? = rule.pin { path } else { nil }
    }
    let named = [
      configuration?.hub.enrolmentKeyFile, configuration?.http.tokenFile, configuration?.upload.credentialsFile,
    ].compactMap(\.self)
    let stored = FolderEntries.names(in: Self.credentialStore).filter { $0.hasPrefix("livesessions") }
      .map { "\(Self.credentialStore)/\($0)" }
    for path in pins + named + stored {
      guard let contents = try? PrivateFile.read(path, limit: Self.maxSecretBytes) else { continue }
      add(String(decoding: contents.octets, as: UTF8.self))
    }
  }

  private mutating func add(_ secret: String) {
    for line in secret.split(whereSeparator: \.isNewline) {
      texts.insert(String(line))
      texts.formUnion(line.split { $0 == ":" || $0.isWhitespace }.map { String($0) })
    }
  }

  /// The texts of a configuration file, but for those that are one of a few words of ours.
  mutating func addTexts(of entries: [ConfigEntry], _ vocabulary: Set<String>) {
    for entry in entries { add(entry.node.value, entry.key, vocabulary) }
  }

  private mutating func add(_ value: ConfigValue, _ key: String, _ vocabulary: Set<String>) {
    switch value {
    case .string(let text):
      guard Self.nameKeys.contains(key) || !text.isOfWords(vocabulary) else { return }
      // `user:…`, `group:…`, and the host of a URL stand alone as well.
      texts.formUnion([text] + text.split(separator: ":").dropFirst().map { $0.trimming("/") })
    case .array(let nodes): for node in nodes { add(node.value, key, vocabulary) }
    case .table(let entries): addTexts(of: entries, vocabulary)
    case .integer, .number, .boolean, .dateTime: break
    }
  }

  mutating func addNames(of status: DeviceStatus?, _ users: [OnlineUser]) {
    texts.formUnion(users.flatMap { [$0.userID, $0.userTitle] })
    guard let status else { return }
    texts.formUnion([status.title, status.hubTitle, status.userID, status.hubURL].compactMap(\.self))
    texts.formUnion(
      status.sessions.flatMap { session in
        [session.callerID, session.callerTitle, session.receiverID, session.receiverTitle].compactMap(\.self)
      })
  }

  /// The machine's name, and those of its people.
  mutating func addMachine() {
    var name = [CChar](repeating: 0, count: 256)
    if gethostname(&name, name.count - 1) == 0 {
      texts.insert(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    setpwent()
    defer { endpwent() }
    while let entry = getpwent() {
      guard entry.pointee.pw_uid >= 1_000, entry.pointee.pw_uid < 65_534 else { continue }
      texts.insert(String(cString: entry.pointee.pw_name))
      let description = entry.pointee.pw_gecos.map { String(cString: $0) } ?? ""
      texts.formUnion(description.split(separator: ",").map { String($0) })
    }
  }
}

extension String {
  /// Whether the text consists of small words of ours, such as `auto`, `test:street` or `when-idle`.
  fileprivate func isOfWords(_ vocabulary: Set<String>) -> Bool {
    !contains(where: \.isWhitespace) && split { !$0.isLetter }.allSatisfy { vocabulary.contains(String($0)) }
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> String {
    String(drop { $0 == character }.prefix { $0 != character })
  }
}
