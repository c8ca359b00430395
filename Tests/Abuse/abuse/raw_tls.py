"""A TLS server by OpenSSL's own functions, which does what Python's module has no words for."""
import ctypes
import ctypes.util

UPDATE_REQUESTED = 1
TLS_1_2 = 0x0303
_SET_MAXIMUM_VERSION = 124
_PEM = 1


class RawServer:
    """The server's side of one connection over a socket that blocks."""

    def __init__(self, path, end, *, is_old=False):
        """`path`: of certificates and key. One that `is_old` speaks TLS 1.2 at most."""
        self._end, library = end, _library()
        self._context = library.SSL_CTX_new(library.TLS_server_method())
        name = str(path).encode()
        if not library.SSL_CTX_use_certificate_chain_file(self._context, name) > 0 \
                or not library.SSL_CTX_use_PrivateKey_file(self._context, name, _PEM) > 0:
            raise ValueError(f"{path} cannot be used")
        if is_old:
            library.SSL_CTX_ctrl(self._context, _SET_MAXIMUM_VERSION, TLS_1_2, None)
        self._ssl = library.SSL_new(self._context)
        library.SSL_set_fd(self._ssl, end.fileno())
        self._library = library

    def __enter__(self):
        if self._library.SSL_accept(self._ssl) != 1:
            raise OSError("no handshake")
        return self

    def __exit__(self, *_):
        self._library.SSL_free(self._ssl)
        self._library.SSL_CTX_free(self._context)

    def read(self):
        content = ctypes.create_string_buffer(65_536)
        return content.raw[:max(0, self._library.SSL_read(self._ssl, content, len(content)))]

    def renew_keys(self):
        """Asks the other side to renew its own as well (RFC 8446, section 4.6.3)."""
        self._library.SSL_key_update(self._ssl, UPDATE_REQUESTED)
        self._go_on()

    def renegotiate(self):
        """Asks for a new handshake (RFC 5246, section 7.4.1.1)."""
        self._library.SSL_renegotiate(self._ssl)
        self._go_on()

    def _go_on(self):
        if self._library.SSL_do_handshake(self._ssl) != 1:
            raise OSError("the other side has gone")


def _library():
    library = ctypes.CDLL(ctypes.util.find_library("ssl"))
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("TLS_server_method", pointer, []), ("SSL_CTX_new", pointer, [pointer]), ("SSL_new", pointer, [pointer]),
            ("SSL_CTX_use_certificate_chain_file", number, [pointer, text]),
            ("SSL_CTX_use_PrivateKey_file", number, [pointer, text, number]),
            ("SSL_CTX_ctrl", ctypes.c_long, [pointer, number, ctypes.c_long, pointer]),
            ("SSL_set_fd", number, [pointer, number]), ("SSL_accept", number, [pointer]),
            ("SSL_read", number, [pointer, pointer, number]), ("SSL_do_handshake", number, [pointer]),
            ("SSL_key_update", number, [pointer, number]), ("SSL_renegotiate", number, [pointer]),
            ("SSL_free", None, [pointer]), ("SSL_CTX_free", None, [pointer])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
