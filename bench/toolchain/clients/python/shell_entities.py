"""
Creates, reads, modifies and deletes every entity through p4runtime-shell: shell_entities.py ADDRESS P4INFO CONFIG.

Prints a line for each step, `step NAME: RESULT`, without the texts of errors, which may differ between correct switches.
"""

import contextlib
import io
import re
import sys
import time

import grpc
import p4runtime_sh.shell as sh
from p4runtime_sh.p4runtime import P4RuntimeException, P4RuntimeWriteException


def result_of(work):
    """The result of a step: the text of an object, or the code of an error."""
    try:
        value = work()
    except P4RuntimeWriteException as error:
        codes = re.findall(r"\((?:code: )?([A-Z_]+)\)|\b([A-Z_]{4,})\b", str(error))
        return "refused " + (next((a or b for a, b in codes), "") or "?")
    except P4RuntimeException as error:
        return "refused " + error.grpc_error.code().name
    except grpc.RpcError as error:
        return "refused " + error.code().name
    except Exception as error:
        return f"UNEXPECTED {type(error).__name__}: {error}"
    if value is None:
        return "done"
    if isinstance(value, (list, tuple)):
        return " | ".join(" ".join(str(one).split()) for one in value) or "nothing"
    return " ".join(str(value).split())


def step(name, work):
    with contextlib.redirect_stdout(io.StringIO()):
        what = result_of(work)
    print(f"step {name}: {what}", flush=True)


def raw(entity):
    """The message that a read returns, in the text format of protobuf."""
    return [one.msg() for one in entity.read()]


def with_(entity, work):
    work(entity)
    return entity


def each(name, make, change, read_all):
    """The states of an entity: absent, inserted, inserted twice, read, modified, read, deleted, deleted twice."""
    step(f"{name}: modify before insert", lambda: make().modify())
    step(f"{name}: insert", lambda: make().insert())
    step(f"{name}: insert again", lambda: make().insert())
    step(f"{name}: read", lambda: raw(make()))
    step(f"{name}: modify", lambda: with_(make(), change).modify())
    step(f"{name}: read after modify", lambda: raw(make()))
    step(f"{name}: read all", lambda: raw(read_all()))
    step(f"{name}: delete", lambda: make().delete())
    step(f"{name}: delete again", lambda: make().delete())
    step(f"{name}: read after delete", lambda: raw(make()))


def host():
    entry = sh.TableEntry("I.hosts")(action="I.forward")
    entry.match["h.ethernet.dst"] = "00:00:00:00:00:01"
    entry.action["port"] = "1"
    return entry


def route():
    entry = sh.TableEntry("I.routes")(action="I.forward_counted")
    entry.match["h.ipv4.dst"] = "10.0.0.0/8"
    entry.action["port"] = "2"
    return entry


def rule():
    entry = sh.TableEntry("I.acl")(action="I.police")
    entry.match["h.ipv4.src"] = "10.0.0.0&&&255.0.0.0"
    entry.match["h.ipv4.protocol"] = "6..17"
    entry.priority = 10
    return entry


def member(number=1):
    one = sh.ActionProfileMember("I.ecmp")(member_id=number, action="I.forward")
    one.action["port"] = str(number)
    return one


def group(watched=False):
    one = sh.ActionProfileGroup("I.ecmp")(group_id=1)
    one.add(1)
    one.add(2)
    if watched:
        for number, entry in enumerate(one.members):
            entry.watch_port = bytes([number + 1])
    return one


def path(group_id=None, member_id=None):
    entry = sh.TableEntry("I.paths")
    entry.match["h.ipv4.dst"] = "10.0.0.1"
    if group_id is not None:
        entry.group_id = group_id
    if member_id is not None:
        entry.member_id = member_id
    return entry


def oneshot():
    entry = sh.TableEntry("I.paths")
    entry.match["h.ipv4.dst"] = "10.0.0.2"
    one = sh.Oneshot("I.paths")
    for port in (1, 2):
        action = sh.Action("I.forward")
        action["port"] = str(port)
        one.add(action, weight=port)
    entry.oneshot = one
    return entry


def port(entry, number):
    entry.action["port"] = str(number)


def tables():
    each("exact entry", host, lambda e: port(e, 3), lambda: sh.TableEntry("I.hosts"))
    each("lpm entry", route, lambda e: port(e, 3), lambda: sh.TableEntry("I.routes"))
    each("ternary entry", rule, lambda e: e.set(), lambda: sh.TableEntry("I.acl"))

    def default(table, action=None):
        entry = sh.TableEntry(table)
        entry.is_default = True
        if action is not None:
            entry.action = sh.Action(action)
        return entry

    for table in ("I.hosts", "I.routes", "I.acl", "I.paths", "I.fixed"):
        step(f"default of {table}: read", lambda: raw(default(table)))
        step(f"default of {table}: modify", lambda: default(table, "I.drop").modify())
        step(f"default of {table}: read after modify", lambda: raw(default(table)))
    step("constant table: read", lambda: raw(sh.TableEntry("I.fixed")))

    def timed():
        entry = host()
        entry.idle_timeout_ns = 200_000_000
        return entry

    step("idle timeout: insert", lambda: timed().insert())
    step("idle timeout: read", lambda: raw(host()))
    step("idle timeout: delete", lambda: host().delete())

    def counted():
        entry = route()
        entry.counter_data.packet_count = 5
        entry.counter_data.byte_count = 500
        return entry

    step("entry with counter: insert", lambda: counted().insert())

    def direct():
        counter = sh.DirectCounterEntry("I.route_counter")
        counter.table_entry.match["h.ipv4.dst"] = "10.0.0.0/8"
        return counter

    step("direct counter: read", lambda: raw(direct()))
    step("direct counter: modify", lambda: with_(direct(), lambda c: setattr(c, "packet_count", 9)).modify())
    step("direct counter: read after modify", lambda: raw(direct()))
    step("entry with counter: delete", lambda: route().delete())
    step("direct counter of an absent entry: read", lambda: raw(direct()))
    step("direct counter of an absent entry: modify", lambda: with_(direct(), lambda c: setattr(c, "packet_count", 9)).modify())

    def metered():
        meter = sh.DirectMeterEntry("I.acl_meter")
        meter.table_entry.match["h.ipv4.src"] = "10.0.0.0&&&255.0.0.0"
        meter.table_entry.match["h.ipv4.protocol"] = "6..17"
        meter.table_entry.priority = 10
        return meter

    def rates(meter):
        meter.cir, meter.cburst, meter.pir, meter.pburst = 1000, 100, 2000, 200

    step("direct meter of an absent entry: read", lambda: raw(metered()))
    step("direct meter: insert its entry", lambda: rule().insert())
    step("direct meter: read", lambda: raw(metered()))
    step("direct meter: modify", lambda: with_(metered(), rates).modify())
    step("direct meter: read after modify", lambda: raw(metered()))
    step("direct meter: delete its entry", lambda: rule().delete())


def profiles():
    each("member", member, lambda m: port(m, 7), lambda: sh.ActionProfileMember("I.ecmp"))
    step("members: insert", lambda: [member(1).insert(), member(2).insert(), None][2])
    each("group", group, lambda g: g.clear(), lambda: sh.ActionProfileGroup("I.ecmp"))
    step("group with watch ports: insert", lambda: group(True).insert())
    step("group with watch ports: read", lambda: raw(sh.ActionProfileGroup("I.ecmp")))
    step("entry to a group: insert", lambda: path(group_id=1).insert())
    step("entry to a group: read", lambda: raw(path()))
    step("group in use: delete", lambda: group().delete())
    step("entry to a member: modify", lambda: path(member_id=2).modify())
    step("entry to a member: read", lambda: raw(path()))
    step("entry to a member: delete", lambda: path(member_id=2).delete())
    step("entry to an absent member: insert", lambda: path(member_id=99).insert())
    step("entry to an absent group: insert", lambda: path(group_id=99).insert())
    step("group: delete", lambda: group().delete())
    step("members: delete", lambda: [member(1).delete(), member(2).delete(), None][2])
    step("one shot: insert", lambda: oneshot().insert())
    step("one shot: read", lambda: raw(sh.TableEntry("I.paths")))
    step("one shot: delete", lambda: oneshot().delete())


def arrays():
    def counter(index=3):
        entry = sh.CounterEntry("I.port_counter")
        if index is not None:
            entry.index = index
        return entry

    step("counter: read", lambda: raw(counter()))
    step("counter: modify", lambda: with_(counter(), lambda c: setattr(c, "packet_count", 4)).modify())
    step("counter: read after modify", lambda: raw(counter()))
    step("counter: read all", lambda: len(raw(counter(None))))
    step("counter: read beyond its end", lambda: raw(counter(99)))
    step("counter: modify beyond its end", lambda: with_(counter(99), lambda c: setattr(c, "packet_count", 4)).modify())

    def meter(index=3):
        entry = sh.MeterEntry("I.port_meter")
        if index is not None:
            entry.index = index
        return entry

    def rates(entry):
        entry.cir, entry.cburst, entry.pir, entry.pburst = 1000, 100, 2000, 200

    step("meter: read", lambda: raw(meter()))
    step("meter: modify", lambda: with_(meter(), rates).modify())
    step("meter: read after modify", lambda: raw(meter()))
    step("meter: read beyond its end", lambda: raw(meter(99)))


def replication():
    def multicast():
        return sh.MulticastGroupEntry(1).add(1, 1).add(2, 1)

    each("multicast group", multicast, lambda g: g.add(3, 7), lambda: sh.MulticastGroupEntry(0))

    def clone():
        return sh.CloneSessionEntry(5).add(1, 1)

    each("clone session", clone, lambda s: s.add(2, 1), lambda: sh.CloneSessionEntry(0))


def notifications():
    def digest():
        entry = sh.DigestEntry("learned_t")
        entry.max_timeout_ns = 0
        entry.max_list_size = 1
        entry.ack_timeout_ns = 1_000_000_000
        return entry

    each("digest", digest, lambda d: setattr(d, "max_list_size", 2), digest)

    def idle():
        entry = host()
        entry.idle_timeout_ns = 100_000_000
        entry.insert()
        with contextlib.suppress(StopIteration):
            heard = []
            sh.IdleTimeoutNotification().sniff(lambda message: heard.append(message), timeout=2)
            return f"{len(heard)} notification" if heard else "nothing"
        return "nothing"

    step("idle timeout: heard", idle)
    step("idle timeout: delete the entry", lambda: host().delete())

    def back():
        entry = sh.TableEntry("I.hosts")(action="I.forward")
        entry.match["h.ethernet.dst"] = "00:00:00:00:00:05"
        entry.action["port"] = "510"
        entry.insert()
        return None

    step("packet to the controller: insert its entry", back)

    def out():
        packet = sh.PacketOut(bytes.fromhex("000000000005000000000006ffff") + bytes(46))
        packet.metadata["egress_port"] = "1"
        packet.metadata["pad"] = "0"
        packet.send()

    step("packet-out: send", out)
    time.sleep(0.2)


def main(address, p4info, config):
    sh.setup(
        device_id=0,
        grpc_addr=address,
        election_id=(0, 1),
        config=sh.FwdPipeConfig(p4info, config),
    )
    tables()
    profiles()
    arrays()
    replication()
    notifications()
    sh.teardown()


main(*sys.argv[1:])
