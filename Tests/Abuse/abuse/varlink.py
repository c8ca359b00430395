"""Raw Varlink (NUL-terminated JSON) on the device's control socket, also where it breaks the rules."""
import json
import socket


def connect(path, limit=5.0):
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end.settimeout(limit)
    end.connect(str(path))
    return end


def call(path, method, limit=5.0, **parameters):
    """The reply's object."""
    with connect(path, limit) as end:
        message = {"method": f"org.livesessions.Device.{method}", "parameters": parameters}
        end.sendall(json.dumps(message).encode() + b"\0")
        received = b""
        while not received.endswith(b"\0"):
            part = end.recv(65_536)
            if not part:
                raise ConnectionError("the control socket closed")
            received += part
    return json.loads(received[:-1])


def is_closed(end, seconds):
    """Whether the other side ends the connection in time."""
    end.settimeout(seconds)
    try:
        while end.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True
