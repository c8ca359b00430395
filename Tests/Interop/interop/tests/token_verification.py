"""The hub's tokens as a server of the operator's own would verify them: by PyJWT and the published key set alone."""
import jwt

from interop.hub_client import HubClient
from interop.world import OPERATOR, World


def run(context):
    with World(context, has_device=False) as world:
        operator = HubClient(world.url)
        answer = operator.login(*OPERATOR)
        token = answer["accessToken"]
        keys = operator.request("GET", "/.well-known/jwks.json")
        key = jwt.PyJWKSet.from_dict(keys)[jwt.get_unverified_header(token)["kid"]]
        claims = _verified(token, key)
        if claims["sub"] != answer["userID"] or claims["role"] != "operator":
            raise AssertionError(f"the token is about another user: {claims}")
        _require_refusal(token, key)
    return f"{jwt.get_unverified_header(token)['alg']}, {len(token)} bytes"


def _verified(token, key):
    return jwt.decode(token, key, algorithms=["EdDSA"], audience="livesessions-hub")


def _require_refusal(token, key):
    """One octet of the claims changed: the library refuses the token."""
    header, payload, signature = token.split(".")
    forged = ("A" if payload[8] != "A" else "B").join([payload[:8], payload[9:]])
    try:
        _verified(".".join([header, forged, signature]), key)
    except jwt.InvalidSignatureError:
        return
    raise AssertionError("a changed token is taken")
