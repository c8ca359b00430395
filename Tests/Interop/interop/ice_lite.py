"""An ICE-lite agent (RFC 8445 §2.5) made of aioice: it answers connectivity checks and sends none of its own."""
import aioice.ice
import aiortc.rtcicetransport

from interop.aiortc_media import tell


class LiteConnection(aioice.ice.Connection):
    """Takes the pair that the other side nominates.

    Tells `check` for each one that comes, with the other side's `role` and whether it `nominates`.
    """

    #: A lite agent is controlled, whoever offers, and does not give in to a role conflict.
    ice_controlling = property(lambda self: False, lambda self, _: None)

    def request_received(self, message, addr, protocol):
        role = "controlling" if "ICE-CONTROLLING" in message.attributes else "controlled"
        tell("check", role=role, nominates="USE-CANDIDATE" in message.attributes)
        super().request_received(message, addr, protocol)

    async def check_start(self, pair):
        """Trusts the pair without a check of its own (RFC 8445 §7.3.2)."""
        pair.nominated = pair.remote_nominated
        self.check_state(pair, aioice.ice.CandidatePair.State.SUCCEEDED)
        self.check_complete(pair)

    async def query_consent(self):
        """Asks for no consent: the other side's checks are enough (RFC 7675 §5.1)."""


def install():
    """Makes every connection of this process a lite one."""
    aiortc.rtcicetransport.Connection = LiteConnection


def marked(sdp):
    """The description, saying that it is a lite agent's."""
    return sdp.replace("\r\nt=0 0\r\n", "\r\nt=0 0\r\na=ice-lite\r\n", 1)
