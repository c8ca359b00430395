public import HubCore
internal import Signalling
internal import SystemSupport

/// What the nodes of a fleet were to have push subscriptions sent, and calls that they were to keep.
public final class PushRecord: Sendable {
  private let orders = Mutex<[PushOrder]>([])
  private let reports = Mutex<[CallReport]>([])

  public init() {}

  public func take(_ actions: HubActions) {
    orders.withLock { $0 += actions.pushes }
    reports.withLock { $0 += actions.calls }
  }

  func reports(about id: SessionID) -> [CallReport] { reports.withLock { $0.filter { $0.sessionID == id } } }

  func orders(about id: SessionID) -> [PushOrder] { orders.withLock { $0.filter { $0.sessionID == id } } }
}
