internal import HubCore
internal import SystemSupport

/// ``HubCore/ClientAdmission`` under a lock.
final class LoginRateLimiter: Sendable {
  private let admission: Mutex<ClientAdmission>

  init(rates: AdmissionRates, limits: HubLimits) {
    admission = Mutex(ClientAdmission(rates: rates, limits: limits))
  }

  func admit(_ arrival: Arrival, of userID: String) throws(HubRefusal) {
    try admission.withLock { admission throws(HubRefusal) in
      try admission.admit(arrival, of: userID, now: .now, random: .random(in: 0..<1))
    }
  }

  func trim() { admission.withLock { $0.trim(now: .now) } }

  var refusals: [Arrival: Int] { admission.withLock { $0.refusals } }
}
