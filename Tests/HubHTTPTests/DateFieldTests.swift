import Foundation
import Testing

@testable import HubHTTP

struct DateFieldTests {
  @Test func theDateIsThatOfHTTP() {
    #expect(DateField.text(of: Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(DateField().text.hasSuffix(" GMT"))
  }
}
