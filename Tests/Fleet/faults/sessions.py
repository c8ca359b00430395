"""Seeded sessions of pairs: one who calls, and a receiver with two programs that may both answer."""
import asyncio
import random
import uuid

#: How long somebody waits for what must come, after which it counts as lost.
PATIENCE = 60 + 75.0
_ENDS = {"call.ended", "call.rejected"}
_GONE = {"ended", "unknownSession"}


class Pair:
    """Places calls one after the other until told to stop."""

    def __init__(self, number, caller, receivers, recorder, seed):
        self.caller, self.receivers, self._recorder = caller, receivers, recorder
        self._random = random.Random(f"{seed} {number}")
        self.count = 0

    @property
    def clients(self):
        return [self.caller, *self.receivers]

    async def run(self, may_go_on):
        while may_go_on():
            await self._session()
            self.count += 1
            # A caller may place 30 calls a minute.
            await asyncio.sleep(self._random.uniform(1.5, 2.5))

    async def _session(self):
        draw = self._random
        history = self._recorder.begin(str(uuid.UUID(int=draw.getrandbits(128), version=4)))
        for client in self.clients:
            client.current.add(history["id"])
        choices = [(draw.random(), draw.uniform(0, 0.4), draw.random() < 0.5) for _ in self.clients]
        await asyncio.gather(
            self._call(history, *choices[0]),
            *(self._receive(history, number, *choices[number + 1]) for number in range(len(self.receivers))))
        for client in self.clients:
            client.current.discard(history["id"])

    async def _call(self, history, dice, delay, hangs_up):
        if await self.caller.perform("place", history, receiver=self.receivers[0].user_id) != "done":
            return
        if dice < 0.15:
            await asyncio.sleep(delay)
            await self.caller.perform("hangUp", history)
            return
        await self._wait(history, self.caller, 0, lambda: self._is_told(history, "caller", 0, {"call.answered"}))
        if not any(event["name"] == "call.answered" for event in history["received"]):
            return
        await asyncio.sleep(delay * 5)
        if not hangs_up:
            await self._wait(history, None, 0, lambda: self._is_told(history, "caller", 0), limit=2)
        await self.caller.perform("hangUp", history)

    async def _receive(self, history, number, dice, delay, hangs_up):
        client, received = self.receivers[number], lambda name: _has(history, "receiver", number, {name})
        await self._wait(history, None, number, lambda: received("call.incoming") or _is_refused(history))
        if not received("call.incoming"):
            return
        if hangs_up or dice < 0.3:
            await client.perform("ring", history)
        await asyncio.sleep(delay)
        if dice < 0.7:
            if await client.perform("answer", history, mark=f"answer of {number}") == "done" and hangs_up:
                await asyncio.sleep(delay * 5)
                await client.perform("hangUp", history)
        elif dice < 0.8:
            await client.perform("reject", history)
        elif dice < 0.85:
            await client.perform("hangUp", history)
        await self._wait(history, client, number, lambda: self._is_told(history, "receiver", number))
        if dice < 0.2:
            await client.perform("probe", history)

    async def _wait(self, history, asking, number, condition, limit=PATIENCE):
        """A client whose stream has lost events asks whether the session lives."""
        loop, resets = asyncio.get_running_loop(), 0
        deadline = loop.time() + limit
        while not condition() and loop.time() < deadline:
            if asking:
                count = sum(event["name"] == "reset" and event["party"] == asking.party and event["client"] == number
                            for event in history["received"])
                if count > resets:
                    await asking.perform("probe", history)
                resets = count
            await asyncio.sleep(0.03)

    @staticmethod
    def _is_told(history, party, number, more=frozenset()):
        if _has(history, party, number, _ENDS | more):
            return True
        own = [operation for operation in history["operations"] if operation["party"] == party]
        return any(operation["outcome"] in _GONE
                   or operation["action"] in ("hangUp", "reject") and operation["outcome"] == "done" for operation in own)


def _has(history, party, number, names):
    return any(event["party"] == party and event["client"] == number and event["name"] in names
               for event in history["received"])


def _is_refused(history):
    placed = [operation for operation in history["operations"] if operation["action"] == "place"]
    return any(operation["outcome"] not in ("done", "unknown") for operation in placed)
