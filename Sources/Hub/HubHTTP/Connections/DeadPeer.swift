internal import Glibc
internal import NIOCore

extension Channel {
  /// Has the kernel end the connection of a peer that has vanished.
  ///
  /// An event stream has something written to it each 8 s; 25 s after that which is not acknowledged (TCP_USER_TIMEOUT,
  /// RFC 5482) it is closed, so within 33 s. Without it a write to one that lost its power would wait for a quarter of an
  /// hour. Keep-alives (RFC 9293 section 3.8.4) do the same for what is written to seldom, an archive that is not read.
  /// Where an option does not exist (a Unix socket, a test without a socket) nothing is lost.
  func closeWhenPeerIsDead() async {
    let options: [(option: ChannelOptions.Types.SocketOption, value: Int)] = [
      (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), 25_000), (.socketOption(.so_keepalive), 1),
      (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), 15),
      (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL)), 5),
      (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPCNT)), 5),
    ]
    for (option, value) in options { try? await setOption(option, value: value).get() }
  }
}
