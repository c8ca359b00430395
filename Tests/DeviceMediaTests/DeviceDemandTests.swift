import MediaCore
import MediaPlaneAPI
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Who wants devices")
struct DeviceDemandTests {
  @Test func `nobody wants anything at first`() {
    #expect(DeviceDemand().unwanted == [.audio, .video])
  }

  @Test func `a kind is unwanted when the last that wants it has gone`() {
    var demand = DeviceDemand()
    demand.set([.audio, .video], for: .session("a"))
    demand.set([.video], for: .archive("b"))
    demand.set([.audio], for: .preRoll)
    demand.drop(.session("a"))
    #expect(demand.unwanted == [])
    demand.drop(.archive("b"))
    #expect(demand.unwanted == [.video])
    demand.drop(.preRoll)
    #expect(demand.unwanted == [.audio, .video])
  }

  @Test func `viewers are sessions with pictures alone`() {
    var demand = DeviceDemand()
    demand.set([.audio], for: .session("listens"))
    demand.set([.video], for: .session("sees"))
    demand.set([.video], for: .archive("x"))
    #expect(demand.viewers(of: .main) == ["sees"])
    #expect(demand.recordsVideo)
    demand.set([.audio], for: .archive("x"))
    #expect(!demand.recordsVideo)
  }

  @Test func `a session that sees another camera wants no pictures of the main one`() {
    var demand = DeviceDemand()
    demand.set([.audio, .video], for: .session("a"))
    demand.set([.video], for: .session("b"))
    demand.set([.audio, .video], seeing: .camera("yard"), for: .session("a"))
    #expect(demand.viewers(of: .main) == ["b"] && demand.viewers(of: .camera("yard")) == ["a"])
    #expect(demand.viewers(of: .camera("gate")).isEmpty)
    demand.drop(.session("b"))
    #expect(demand.unwanted == [.video])
    demand.set([.audio, .video], seeing: .main, for: .session("a"))
    #expect(demand.unwanted == [] && demand.viewers(of: .main) == ["a"])
    demand.set([.audio, .video], seeing: .camera("yard"), for: .session("a"))
    demand.drop(.session("a"))
    #expect(demand.view(of: .session("a")) == .main)
  }
}
