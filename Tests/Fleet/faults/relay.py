"""A relay between one node and Redis that can hold up, or swallow, what passes."""
import asyncio


class Relay:
    """Listens on a port of loopback; each connection goes on to Redis."""

    def __init__(self, redis_port):
        self._redis_port = redis_port
        self._server = None
        #: Seconds that everything takes, each way.
        self.delay = 0.0
        self._is_open = asyncio.Event()
        self._is_open.set()

    async def start(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    def cut(self):
        """From now on nothing passes, and nobody is told."""
        self._is_open.clear()

    def mend(self):
        self._is_open.set()

    async def _serve(self, reader, writer):
        try:
            await self._is_open.wait()
            there, back = await asyncio.open_connection("127.0.0.1", self._redis_port)
        except OSError:
            writer.close()
            return
        # When one way ends, so does the other.
        ways = [asyncio.create_task(self._carry(reader, back)), asyncio.create_task(self._carry(there, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # The run is over.
            pass
        finally:
            for way in ways:
                way.cancel()
            writer.close()
            back.close()

    async def _carry(self, source, sink):
        """In order, each part so much later than it came."""
        parts = asyncio.Queue(maxsize=4_096)
        pump = asyncio.create_task(self._pump(source, parts))
        loop = asyncio.get_running_loop()
        try:
            while (item := await parts.get()) is not None:
                due, part = item
                await asyncio.sleep(due - loop.time())
                await self._is_open.wait()
                sink.write(part)
                await sink.drain()
        except OSError:
            pass
        finally:
            pump.cancel()

    async def _pump(self, source, parts):
        loop = asyncio.get_running_loop()
        try:
            while part := await source.read(65_536):
                await parts.put((loop.time() + self.delay, part))
        except OSError:
            pass
        await parts.put(None)
