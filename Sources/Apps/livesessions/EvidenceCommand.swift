import ArgumentParser
import ArchiveReading
import CallPolicy
import ControlMessages
import Glibc
import SessionToken

/// `archive verify --evidence`: compares a recording with what its device signed; needs neither daemon nor hub.
struct EvidenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Verify the signed evidence of this archive's folder (a copy will do), or of an export's .evidence file.",
      valueName: "path"))
  var evidence: String?
  @Option(help: ArgumentHelp("The hub's keys: a saved copy of its /.well-known/jwks.json.", valueName: "file"))
  var hubKey: String?
  @Option(
    help: ArgumentHelp(
      "The device that has to have signed: its user id, user:ID, or a title that the daemon can look up.",
      valueName: "id"))
  var device: String?
  @Option(help: ArgumentHelp("Certificates (PEM) of time-stamping authorities.", valueName: "file"))
  var tsaCa: String?

  func validate() throws {
    guard evidence == nil else {
      if device != nil, hubKey == nil {
        throw ValidationError("--device needs --hub-key, which says whose key is whose")
      }
      return
    }
    if hubKey != nil || device != nil || tsaCa != nil {
      throw ValidationError("--hub-key, --device and --tsa-ca go with --evidence")
    }
  }
}

extension EvidenceOptions {
  private static let statuses = ["whole": 0, "changed": 1, "cut": 2, "foreign": 3, "missing": 4] as [String: Int32]

  /// Verifies, shows the result, and ends with its exit status.
  func verify(_ path: String, among connection: ConnectionOptions, json: Bool) throws {
    let device = try self.device.map { try Self.deviceID($0, among: connection) }
    let judgement: EvidenceVerdict
    do {
      let trust = EvidenceTrust(hubKeys: try readHubKeys(), device: device, authorityFile: tsaCa)
      judgement = try Self.judgement(path, trust)
    } catch let code as ExitCode {
      throw code
    } catch {
      throw Failure("\(error)").reported()
    }
    if json { try Output.printJSON(judgement) } else { show(judgement) }
    let status = Self.statuses[judgement.verdict] ?? Failure.general
    if status != 0 { throw ExitCode(status) }
    if judgement.lacksTimeStamp { throw ExitCode(Failure.general) }
  }

  /// Titles are looked up where a daemon runs; anywhere else a name is an id.
  private static func deviceID(_ name: String, among connection: ConnectionOptions) throws -> String {
    if case .user(let id)? = CallerPattern(name) { return id }
    if var client = try? ControlClient(path: connection.path), let own = try? client.call(.status).status,
      let id = own.userID, [own.title, own.hubTitle].contains(name)
    {
      return id
    }
    return try NamedUser(name, among: connection).userID
  }

  private static func judgement(_ path: String, _ trust: EvidenceTrust) throws -> EvidenceVerdict {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Failure("\(path): \(String(cString: strerror(errno)))").reported()
    }
    if status.st_mode & S_IFMT == S_IFDIR { return try EvidenceVerdict.folder(path, trust) }
    let name = "evidence.bin"
    if path == name { return try EvidenceVerdict.folder(".", trust) }
    if path.hasSuffix("/" + name) { return try EvidenceVerdict.folder(String(path.dropLast(name.utf8.count)), trust) }
    return try EvidenceVerdict.export(path, trust)
  }

  private func readHubKeys() throws -> SigningKeySet? {
    guard let hubKey else { return nil }
    do {
      let handle = open(hubKey, O_RDONLY | O_CLOEXEC)
      guard handle >= 0 else { throw Failure("\(hubKey): \(String(cString: strerror(errno)))").reported() }
      defer { close(handle) }
      var bytes = [UInt8](repeating: 0, count: SigningKeySet.maximumBytes + 1)
      let count = read(handle, &bytes, bytes.count)
      let keys = try SigningKeySet(json: Array(bytes.prefix(max(0, count))))
      guard keys.count > 0 else { throw Failure("\(hubKey) holds no key of a hub").reported() }
      return keys
    } catch let error as SigningKeySetError {
      throw Failure("\(hubKey): \(error); save the hub's /.well-known/jwks.json there").reported()
    }
  }
}

// MARK: - Text

extension EvidenceOptions {
  private func show(_ judgement: EvidenceVerdict) {
    let isGood = judgement.verdict == "whole"
    Output.printStyled(
      [judgement.archiveID, judgement.verdict].compactMap(\.self).joined(separator: " "), isGood ? .good : .alarm,
      then: summary(judgement))
    Output.printTable(facts(judgement))
    for problem in judgement.problems { Output.printLine("  " + text(problem)) }
    for note in judgement.notes { Output.printLine("  note: \(note)") }
  }

  private func summary(_ judgement: EvidenceVerdict) -> String {
    switch judgement.verdict {
    case "whole": ": all is as the device left it"
    case "cut":
      judgement.isRecovered
        ? ": the recording was interrupted, and the device recovered it" : ": the recording was interrupted"
    case "foreign": ": the evidence is of another archive or device"
    case "missing": ": the archive was recorded without evidence, or evidence.bin was taken away"
    default: ""
    }
  }

  private func facts(_ judgement: EvidenceVerdict) -> [[String]] {
    var facts: [[String]] = []
    if let key = judgement.deviceKey { facts.append(["  key", key]) }
    if let id = judgement.deviceID { facts.append(["  device", "\(judgement.deviceTitle ?? "") (\(id))"]) }
    if let start = judgement.startedAt { facts.append(["  started", Output.time(start)]) }
    if let offset = judgement.validUntilOffset, let time = judgement.validUntil {
      facts.append(["  valid until", "\(Output.milliseconds(offset)) (\(Output.time(time)))"])
    }
    for stamp in judgement.timeStamps {
      facts.append(["  time stamp", stamp.time.map { Output.time($0) } ?? "does not hold: \(stamp.problem ?? "")"])
    }
    return facts
  }

  private func text(_ problem: EvidenceVerdict.Problem) -> String {
    let place = [problem.from, problem.to].compactMap(\.self).map { Output.milliseconds($0) }.joined(separator: " - ")
    return [problem.file, place.isEmpty ? nil : "at " + place].compactMap(\.self).joined(separator: " ")
      + (problem.file == nil && place.isEmpty ? "" : ": ") + problem.text
  }
}
