public import HubCore
internal import Signalling
internal import SystemSupport

/// What the nodes of a fleet were to have push subscriptions sent.
public final class PushRecord: Sendable {
  private let orders = Mutex<[PushOrder]>([])

  public init() {}

  public func take(_ actions: HubActions) { orders.withLock { $0 += actions.pushes } }

  func orders(about id: SessionID) -> [PushOrder] { orders.withLock { $0.filter { $0.sessionID == id } } }
}
