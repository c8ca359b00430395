import CallEngine
import CallPolicy
public import ControlMessages
import DeviceConfiguration

extension EngineControl {
  public func explainPolicy(_ parameters: PolicyExplainParameters) async throws -> PolicyExplainReply {
    let (policy, callsUp) = await engine.policyInForce
    // A time that is named is trusted.
    let localTimes =
      parameters.time.map {
        PolicyClock.localTimes(in: policy.timeZones, at: $0 / 1_000, isClockTrusted: true)
      } ?? PolicyClock.localTimes(in: policy.timeZones)
    return try parameters.explained(by: policy, callsUp: callsUp, localTimes: localTimes)
  }
}
