"""The aiortc caller of the interoperability tests, which here also tells the moment of its `PUT` ("asked")."""
from interop import caller
from interop.hub_client import HubClient


class TimedHubClient(HubClient):
    """Tells when a session is asked for."""

    def request(self, method, path, body=None):
        if method == "PUT" and path.startswith("/v1/sessions/"):
            caller.tell("asked")
        return super().request(method, path, body)


if __name__ == "__main__":
    caller.HubClient = TimedHubClient
    caller.main()
