public import ArgumentParser
import CommandSuggestions
import ConfigFile
import HubCore
import HubHTTP
import HubStore
public import Signalling

struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make a link by which a guest without an account may call a device.",
    discussion: """
      The link holds for the browser that uses it first. Its secret stands behind the #, which browsers send to no \
      server; pass it on by a way that others do not read.
      """)

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The title or id of the device to call.") var device: String?
  @Option(help: "A group, all of whose devices may be called.") var group: String?
  @Option(parsing: .unconditional, help: "What the device sees as the guest's title.") var name = "Guest"
  @Option(help: "What the guest may send and receive.") var media: GuestMedia = .video
  @Option(help: "From when on, for example \"2026-12-24 08:00\". (default: now)", transform: TimeExpression.parse)
  var from: TimeExpression?
  @Option(help: "Until when, for example \"tomorrow 18:00\" or \"in 2h\".", transform: TimeExpression.parse)
  var to: TimeExpression?
  @Option(name: .customLong("for"), help: "How long, for example 2h or 1d. (default: 1d)") var length: String?
  @Option(help: "The hub's address in the link, such as https://hub.example.org. (default: by allowed_hosts)") var url:
    String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (device != nil) != (group != nil) else { throw ValidationError("give --device or --group") }
    guard to == nil || length == nil else { throw ValidationError("give --to or --for, not both") }
  }

  func run() async throws {
    try await reportingFailures {
      let configuration = try options.loadConfiguration()
      try await options.withStore { store in
        let request = try await request(in: store)
        let (record, code) = try await changingAccounts {
          try await Invitations(store: store).make(
            request, by: .localAdministrator(LocalAudit.userName), id: makeUserID(), now: currentTime())
        }
        await LocalAudit.record(.made(record, by: LocalAudit.actor), in: store, of: options)
        let link = "\(configuration.base(url))/#/guest/\(code.text)"
        if json { return try printJSON(ListedInvitation(record, link: link)) }
        printError("invited \"\(record.name)\" to \"\(record.targetTitle)\" until \(TableHeading.time(record.until))")
        configuration.warnOfLocalLink(url)
        StandardOutput.printLine(link)
      }
    }
  }

  private func request(in store: any HubStore) async throws -> InvitationRequest {
    let deviceID: String? = if let device { try await knownAccount(device, in: store).id } else { nil }
    return InvitationRequest(
      name: name, deviceID: deviceID, group: group, media: media, from: from?.milliseconds, until: try end())
  }

  /// Milliseconds since 1970.
  private func end() throws -> Int64 {
    if let to { return to.milliseconds }
    return try endOf(length ?? "1d", after: from?.milliseconds ?? currentTime())
  }
}

/// When a length of `--for` is over, in milliseconds since 1970. One that is too long is refused where it is used.
func endOf(_ length: String, after start: Int64) throws -> Int64 {
  do {
    let (end, isTooLate) = start.addingReportingOverflow(try ConfigQuantity.duration(length).wholeMilliseconds)
    return isTooLate ? .max : end
  } catch {
    throw Failure("--for: \(error)")
  }
}

extension HubConfiguration {
  /// The hub's address in links, without a slash at its end.
  ///
  /// - Parameter url: what `--url` says.
  func base(_ url: String?) -> String {
    let base = url ?? pageURL
    return base.hasSuffix("/") ? String(base.dropLast()) : base
  }

  func warnOfLocalLink(_ url: String?) {
    guard url == nil, isPageLocal else { return }
    printError("the link works on this machine alone; for others give --url, or set allowed_hosts")
  }
}

struct ListInvitationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list-invitations", abstract: "List invitations of guests and links to view, the newest first.")

  @OptionGroup var options: HubOptions
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let records = try await changingAccounts { try await store.invitations() }
        let listed = records.sorted { $0.createdAt > $1.createdAt }.map { ListedInvitation($0) }
        if json { return try printJSON(listed) }
        ListedInvitation.heading.printTable(listed.map(\.row), shortened: [7, 6])
      }
    }
  }
}

struct RevokeInvitationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke-invitation",
    abstract: "End an invitation and its guest's call, or a link and its views; takes effect within seconds.")

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The invitation, as list-invitations names it.") var id: String

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let revoked = try await changingAccounts {
          try await Invitations(store: store).revoke(id, now: currentTime())
        }
        guard let revoked else { throw Failure("there is no such invitation that can still be used") }
        await LocalAudit.record(
          .invitationRevoked, on: revoked.auditSubject, groups: Set(revoked.groups), in: store, of: options)
        printError("revoked the invitation of \"\(revoked.name)\"")
      }
    }
  }
}

extension GuestMedia: ExpressibleByArgument {}

/// What `list-invitations --json` shows of an invitation: nothing secret but the link of a new one.
struct ListedInvitation: Encodable {
  var entry: InvitationEntry
  var link: String?

  private enum CodingKeys: CodingKey { case link }

  init(_ record: InvitationRecord, link: String? = nil) {
    entry = record.entry(at: currentTime())
    self.link = link
  }

  func encode(to encoder: any Encoder) throws {
    try entry.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(link, forKey: .link)
  }

  static let heading = TableHeading(["ID", "STATE", "GUEST", "FOR", "MEDIA", "FROM", "UNTIL", "MADE BY"])

  var row: [String] {
    [
      entry.id, entry.state.rawValue, entry.name, entry.deviceTitle ?? entry.group.map { "group \($0)" } ?? "-",
      entry.isLink == true ? "view link" : entry.media.rawValue, TableHeading.time(entry.from),
      TableHeading.time(entry.until), entry.madeBy,
    ]
  }
}
