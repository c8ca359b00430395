import ICE
import MediaCore
import PeerSession
import Signalling
import Testing

@testable import NetworkLoop

private let anew = ICEServerAction.reportRelay("is reached again, since this machine's addresses have changed")

@Suite struct ServerLookupTests {
  @Test func `a relay's name is looked up, then connected to, and then there is no other to wait for`() {
    var bench = ServerBench()
    #expect(bench.name(ServerBench.named) == [.lookUp(1)])
    #expect(bench.resolve(1) == [.connectNamed(1)])
    #expect(bench.open(1) == [.open(1), .endServers])
    #expect(bench.open(1) == [])
    #expect(bench.resolve(1) == [])
    #expect(bench.supervisor.deadline == .distantFuture)
  }

  @Test func `a STUN server is asked at one address of each family`() throws {
    var bench = ServerBench()
    let sixth = TransportAddress(ipv6: 1, 2, port: 3_478)
    #expect(bench.name("stun:192.0.2.1") == [.askReflexiveAddress(of: ServerBench.address), .endServers])
    #expect(bench.name("stun:stun.example") == [.lookUp(1, try ICEServerURL("stun:stun.example"))])
    #expect(
      bench.resolve(1, [ServerBench.address, ServerBench.address, sixth]) == [
        .askReflexiveAddress(of: ServerBench.address), .askReflexiveAddress(of: sixth), .endServers,
      ])
  }

  @Test func `what waits for nothing comes before what may fail at once`() throws {
    var bench = ServerBench()
    #expect(
      bench.name("stun:stun.example", "stun:192.0.2.1") == [
        .askReflexiveAddress(of: ServerBench.address), .lookUp(1, try ICEServerURL("stun:stun.example")),
      ])
  }

  @Test func `a lookup is given up after five seconds, and what comes later is ignored`() {
    var bench = ServerBench()
    let start = bench.now
    _ = bench.name(ServerBench.named, "stun:stun.example")
    let reason = "looking up the name took more than 5 s"
    #expect(
      bench.advance() == [
        .report("stun:stun.example:3478: \(reason)"), .report("relay turn:turn.example:3478: \(reason)"), .endServers,
      ])
    #expect(bench.now - start == .seconds(5))
    #expect(bench.resolve(1) == [] && bench.resolve(2) == [])
    #expect(bench.advance() == [.lookUp(3)])
    #expect(bench.now - start == .seconds(6))
  }

  @Test func `servers are ended when the last of several is asked or given up`() {
    var bench = ServerBench()
    _ = bench.name("stun:stun.example", ServerBench.named, ServerBench.numeric)
    #expect(bench.resolve(1, []) == [])
    #expect(bench.open(3) == [.open(3)])
    #expect(bench.fail(2).isEmpty == false)
    #expect(bench.open(2) == [])
    #expect(bench.name() == [.endServers])
  }

  @Test func `a STUN server is looked up once at a time, however often addresses change`() throws {
    var bench = ServerBench()
    let url = try ICEServerURL("stun:stun.example")
    #expect(bench.name("stun:stun.example") == [.lookUp(1, url)])
    for _ in 0..<10 { #expect(bench.renewReflexiveAddresses() == []) }
    #expect(bench.resolve(1) == [.askReflexiveAddress(of: ServerBench.address), .endServers])
    #expect(bench.renewReflexiveAddresses() == [.lookUp(2, url)])
  }

  @Test func `with relays alone no STUN server is asked, and that there is no relay is told`() {
    var bench = ServerBench(policy: .relay)
    #expect(bench.name("stun:192.0.2.1") == [.report("\(NetworkLoopError.noRelay)"), .endServers])
    #expect(bench.renewReflexiveAddresses() == [])
    #expect(bench.name(ServerBench.numeric) == [.connect(1)])
  }
}

@Suite struct RelayRetryTests {
  @Test func `a server that fails is told once and tried after growing pauses`() {
    var bench = ServerBench.withRelay()
    #expect(bench.fail(1) == [.close(1), .reportRelay("broken"), .endServers])
    var pauses: [TimeSpan] = []
    for id: UInt32 in 2..<9 {
      let failed = bench.now
      #expect(bench.advance() == [.connect(id)])
      pauses.append(bench.now - failed)
      #expect(bench.fail(id).contains(.close(id)))
    }
    #expect(pauses.map(\.seconds) == [1, 2, 4, 8, 16, 30, 30])
    _ = bench.advance()
    #expect(bench.open(9) == [.open(9), .endServers])
    #expect(bench.allocate(9) == [.reportRelay("works again")])
  }

  @Test func `pauses begin anew once the server has served for half a minute`() {
    var bench = ServerBench.withRelay()
    for id: UInt32 in 1..<5 {
      _ = bench.fail(id)
      _ = bench.advance()
    }
    _ = bench.open(5)
    _ = bench.allocate(5)
    bench.now = bench.now + .seconds(30)
    #expect(bench.fail(5) == [.close(5), .closeRelay(5), .reportRelay("broken")])
    #expect(bench.supervisor.deadline == bench.now + .seconds(1))
  }

  @Test(arguments: [TURNFailure.credentialsRefused, .redirected, .refused(code: 403), .refused(code: 440)])
  func `a server that refuses for good is given up for the call`(failure: TURNFailure) {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    #expect(bench.refuse(1, failure) == [.close(1), .reportRelay("\(failure)")])
    #expect(bench.supervisor.deadline == .distantFuture)
    #expect(bench.renew([:]) == [])
  }

  @Test(arguments: [TURNFailure.noAnswer, .refused(code: 486), .refused(code: 508), .lost(code: 437)])
  func `a server that refuses for the moment is tried again`(failure: TURNFailure) {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    #expect(bench.refuse(1, failure) == [.close(1), .reportRelay("\(failure)")])
    #expect(bench.advance() == [.connect(2)])
  }
}

@Suite struct RelayAddressChangeTests {
  @Test func `while a name is looked up or a link unaffected nothing is made anew`() {
    var bench = ServerBench()
    _ = bench.name(ServerBench.named)
    #expect(bench.renew([:]) == [])
    _ = bench.resolve(1)
    #expect(bench.renew([1: .unaffected]) == [])
    #expect(bench.open(1) == [.open(1), .endServers])
  }

  @Test func `a link that is cut while it connects is made anew, its name looked up again`() {
    var bench = ServerBench()
    _ = bench.name(ServerBench.named)
    _ = bench.resolve(1)
    let told = ICEServerAction.report(
      "relay turn:turn.example:3478: is reached again, since this machine's addresses have changed")
    #expect(bench.renew([1: .cut]) == [told, .close(1), .lookUp(2)])
    #expect(bench.open(1) == [] && bench.fail(1) == [])
    #expect(bench.resolve(2) == [.connectNamed(2)])
    #expect(bench.open(2) == [.open(2), .endServers])
  }

  @Test func `the session hears of the new link before it loses one that is cut`() {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    #expect(bench.renew([1: .cut]) == [anew, .close(1), .connect(2), .closeRelay(1)])
  }

  @Test func `a link that is diverted goes on until its successor serves`() {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    _ = bench.allocate(1)
    #expect(bench.renew([1: .diverted]) == [anew, .connect(2)])
    #expect(bench.open(2) == [.open(2, after: 1), .endServers])
    #expect(bench.allocate(2) == [])
    #expect(bench.replace(1) == [.close(1)])
    #expect(bench.supervisor.deadline == .distantFuture)
  }

  @Test func `of two links only the last one's failure is told, and that the server works again`() {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    _ = bench.renew([1: .diverted])
    #expect(bench.fail(2, "no answer") == [.close(2), .endServers])
    #expect(bench.supervisor.deadline == .distantFuture)
    #expect(bench.fail(1, "gone") == [.close(1), .closeRelay(1), .reportRelay("gone")])
    #expect(bench.advance() == [.connect(3)])
    _ = bench.open(3)
    _ = bench.renew([3: .diverted])
    _ = bench.open(4)
    #expect(bench.allocate(4) == [.reportRelay("works again")])
    #expect(bench.allocate(3) == [])
  }

  @Test func `a server whose relay is given back after its successor has failed is tried again`() {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    _ = bench.renew([1: .diverted])
    _ = bench.open(2)
    _ = bench.allocate(2)
    #expect(bench.refuse(2, .lost(code: 437)) == [.close(2)])
    #expect(bench.replace(1) == [.close(1), .reportRelay("the relay in its place has failed")])
    #expect(bench.advance() == [.connect(3)])
  }

  @Test func `a server that waits is tried at once, and then after the shortest pause`() {
    var bench = ServerBench.withRelay()
    for id: UInt32 in 1..<4 {
      _ = bench.fail(id)
      if id < 3 { _ = bench.advance() }
    }
    #expect(bench.renew([:]) == [.connect(4)])
    #expect(bench.fail(4) == [.close(4), .endServers])
    #expect(bench.supervisor.deadline == bench.now + .seconds(1))
  }

  @Test func `a server has two links at most, however often addresses change`() {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    #expect(bench.renew([1: .diverted]) == [anew, .connect(2)])
    for id: UInt32 in 3..<50 {
      #expect(bench.open(id - 1).first == .open(id - 1, after: 1))
      let actions = bench.renew([1: .diverted, id - 1: .diverted])
      #expect(actions == [anew, .close(id - 1), .connect(id), .closeRelay(id - 1)])
    }
    #expect(bench.remove() == [.close(1), .close(49)])
  }
}

@Suite struct ServerSessionTests {
  @Test func `a session that ends leaves nothing, whatever was under way`() {
    var bench = ServerBench()
    _ = bench.name("stun:stun.example", ServerBench.named, ServerBench.numeric)
    #expect(bench.remove() == [.close(3)])
    #expect(bench.supervisor.deadline == .distantFuture)
    #expect(bench.resolve(1) == [] && bench.resolve(2) == [] && bench.open(3) == [] && bench.fail(3) == [])
    #expect(bench.allocate(3) == [] && bench.replace(3) == [] && bench.refuse(3, .noAnswer) == [])
    #expect(bench.remove() == [])
  }

  @Test func `a session of the same name begins anew, and hears nothing of its predecessor's links`() {
    var bench = ServerBench.withRelay()
    _ = bench.remove()
    #expect(bench.name(ServerBench.numeric) == [.connect(2)])
    #expect(bench.open(1) == [] && bench.fail(1) == [])
    #expect(bench.open(2) == [.open(2), .endServers])
  }

  @Test func `each of many sessions has a link of its own to the same server`() {
    var bench = ServerBench()
    for id: UInt32 in 1...64 {
      #expect(bench.name(ServerBench.numeric, for: SessionHandle(SessionID("\(id)")!)) == [.connect(id)])
    }
    for id: UInt32 in 1...64 { _ = bench.open(id) }
    let refusal = bench.supervisor.relayFailed(TURNConnectionID(rawValue: 7), .credentialsRefused, now: bench.now)
    #expect(refusal.allSatisfy { $0.session == "7" } && refusal.count == 2)
    for id: UInt32 in 1...64 { _ = bench.fail(id) }
    #expect(bench.advance() == (65...127).map { .connect($0) })
    #expect(bench.remove("1") == [.close(65)])
    #expect(bench.open(66) == [.open(66), .endServers])
  }

  @Test func `a server that is named again is not opened twice`() {
    var bench = ServerBench.withRelay()
    _ = bench.open(1)
    #expect(bench.name(ServerBench.numeric) == [.endServers])
  }
}
