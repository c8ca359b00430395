"""The faults: each is injected once, and is over when its function returns."""
import asyncio
import random

from faults.servers import until

#: Longer than the nodes take to believe that one of them is dead.
_LONG = 30.0


async def node_killed(hub, recorder):
    """A node ends without a word, and is started again."""
    node = random.choice(hub.nodes)
    node.kill()
    await asyncio.sleep(random.uniform(1, 4))
    node.start()


async def node_paused(hub, recorder):
    """A node stands still for 30 s: others take it for dead, and then it goes on."""
    node = random.choice(hub.nodes)
    node.pause()
    await asyncio.sleep(_LONG)
    node.resume()


async def redis_killed(hub, recorder):
    """Redis is killed, and comes back with what it wrote down."""
    hub.redis.kill()
    await asyncio.sleep(random.uniform(0.5, 4))
    await asyncio.to_thread(hub.redis.start)


async def redis_emptied(hub, recorder):
    """Redis is killed, and comes back with nothing."""
    since = recorder.now()
    hub.redis.kill()
    hub.redis.empty()
    await asyncio.sleep(random.uniform(0.5, 4))
    await asyncio.to_thread(hub.redis.start)
    recorder.disturb("contentsLost", since)


async def failover(hub, recorder):
    """The master is killed, the sentinels make the replica master, and the former master comes back as its replica."""
    # What the master had not passed on yet is lost.
    recorder.disturb("writesLost", recorder.now() - 1_000_000)
    hub.redis.kill()
    await until(lambda: hub.sentinels.master() == hub.replica.port, "the sentinels have chosen another master")
    hub.redis, hub.replica = hub.replica, hub.redis
    hub.replica.follow(hub.redis.port)
    await asyncio.to_thread(hub.replica.start)
    await until(lambda: "master_link_status:up" in hub.replica.ask("INFO", "replication"), "the replica follows")


async def partition(hub, recorder):
    """Nothing passes between one node and Redis for 20 s, and nobody is told so."""
    relay = random.choice(hub.relays)
    relay.cut()
    await asyncio.sleep(20)
    relay.mend()


async def slow_redis(hub, recorder):
    """Each answer of Redis's takes a second, for all nodes."""
    for relay in hub.relays:
        relay.delay = 0.5
    await asyncio.sleep(15)
    for relay in hub.relays:
        relay.delay = 0.0


async def clock_skew(hub, recorder):
    """Two nodes' wall clocks step, one five minutes ahead and one five minutes back, and step back again."""
    clocks = [node.use_clock() for node in hub.nodes[1:]]
    for clock, seconds in zip(clocks, random.choice([(300, -300), (-300, 300)])):
        clock.step(seconds)
    await asyncio.sleep(10)
    for clock in clocks:
        clock.step(0)


async def older_nodes(hub, recorder):
    """A node of the other version is restarted, as in an upgrade of one node after the other."""
    node = random.choice(hub.nodes)
    await asyncio.to_thread(node.stop)
    await asyncio.sleep(random.uniform(0.5, 2))
    node.start()


ALL = {injection.__name__: injection for injection in (
    node_killed, node_paused, redis_killed, redis_emptied, failover, partition, slow_redis, clock_skew, older_nodes)}
