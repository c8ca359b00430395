import Glibc
import NIOCore
import NIOPosix

extension ClientBootstrap {
  /// Has the kernel end a connection whose peer vanished silently (RFC 9293 section 3.8.4, RFC 5482): after 35 s
  /// without traffic, 30 s after something that was sent and not acknowledged.
  func closingWhenPeerIsDead() -> ClientBootstrap {
    channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 15)
      .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 5)
      .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
      .channelOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: 30_000)
  }
}
