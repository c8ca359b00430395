import MediaCore
import TransportCrypto

/// A local offer (RFC 8829 §5.2), without the parts that may change until it is written: credentials and candidates.
///
/// All descriptions share one transport: in a first offer all but the first are bundle-only, so that a peer that does not
/// know BUNDLE refuses them. A later offer keeps the places, ids, payload types and extensions that are agreed.
public struct Offer: Sendable {
  /// A place for each `m=` line.
  public let sections: [MediaSection]
  let isFirst: Bool

  /// The first offer of a session; it has no description for a kind that this side neither sends nor receives.
  public init(_ media: [LocalMedia]) {
    isFirst = true
    sections = media.filter { $0.direction != .inactive }.enumerated().map { index, local in
      .active(NegotiatedMedia(offering: local, at: index))
    }
  }

  /// A later offer: what the peer does not want now, it may want again.
  public init(_ media: [LocalMedia], after agreement: NegotiatedSession) {
    isFirst = false
    sections = agreement.sections.map { section in
      guard case .active(var agreed) = section else { return section }
      agreed.direction = media.first { $0.kind == agreed.kind }?.direction ?? .inactive
      return .active(agreed)
    }
  }

  /// Writes the description, with CRLF behind each line.
  public func text(with parameters: LocalParameters) -> String {
    DescriptionWriter(
      sections: sections, parameters: parameters, setup: .actpass, canTrickle: true, isBundled: true,
      isBundleOnly: isFirst
    ).text()
  }
}

extension NegotiatedMedia {
  /// The numbers are those that browsers use.
  fileprivate init(offering local: LocalMedia, at index: Int) {
    let isAudio = local.kind == .audio
    self.init(
      index: index, mid: String(index), kind: local.kind, direction: local.direction,
      payloadType: isAudio ? 111 : 96, rtxPayloadType: isAudio ? nil : 97,
      extensionIDs: HeaderExtensionIDs(
        mid: 4, absoluteSendTime: 2, transportWideSequenceNumber: 3, audioLevel: isAudio ? 1 : nil),
      feedback: isAudio ? .transportWide : .all, usesReducedSizeRTCP: true)
    if isAudio {
      telephoneEvents = [
        TelephoneEventFormat(payloadType: 110, clockRate: 48_000),
        TelephoneEventFormat(payloadType: 126, clockRate: 8_000),
      ]
    }
  }
}

extension FeedbackTypes {
  fileprivate static let all: FeedbackTypes = [
    .nack, .pictureLossIndication, .fullIntraRequest, .receiverEstimatedMaximumBitrate, .transportWide,
  ]
}
