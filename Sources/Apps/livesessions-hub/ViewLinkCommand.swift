import ArgumentParser
import CommandSuggestions
import HubCore
import HubHTTP
import HubStore
import Signalling

struct ViewLinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view-link", abstract: "Make a link by which players view a device, by WHEP.",
    discussion: """
      Whoever has the link views the device until its time is over, or revoke-invitation ends it. Players keep it in their \
      settings and proxies in their logs: make one for each player, and no longer than it is needed. The device's policy \
      needs a rule for role:viewer.
      """)

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The title or id of the device.") var device: String
  @Option(parsing: .unconditional, help: "What the device sees as the viewer's title.") var name = "Viewer"
  @Option(name: .customLong("for"), help: "How long, for example 1h or 7d; 31 days at most.") var length = "1h"
  @Option(help: "The hub's address in the link, such as https://hub.example.org. (default: by allowed_hosts)") var url:
    String?
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await reportingFailures {
      let configuration = try options.loadConfiguration()
      try await options.withStore { store in
        let (record, path) = try await makeLink(in: store, configuration)
        await LocalAudit.record(.made(record, by: LocalAudit.actor), in: store, of: options)
        let link = configuration.base(url) + path
        if json { return try printJSON(ListedInvitation(record, link: link)) }
        printError("\"\(record.targetTitle)\" can be viewed until \(TableHeading.time(record.until))")
        configuration.warnOfLocalLink(url)
        StandardOutput.printLine(link)
      }
    }
  }

  private func makeLink(
    in store: any HubStore, _ configuration: HubConfiguration
  ) async throws -> (InvitationRecord, path: String) {
    let now = currentTime()
    let request = ViewLinkRequest(
      name: name, deviceID: try await knownAccount(device, in: store).id, until: try endOf(length, after: now))
    return try await changingAccounts {
      let record = try await Invitations(store: store).makeLink(
        request, by: .localAdministrator(LocalAudit.userName), id: makeUserID(), now: now)
      let tokens = try await TokenAuthority(
        store: store, accessTokenLifetime: configuration.accessTokenLifetime)
      guard let path = try tokens.viewLink(for: record) else { throw InvitationError.noTarget }
      return (record, path)
    }
  }
}
