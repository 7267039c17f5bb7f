"""
Runs parts of the host agent for tests: one JSON request a line on stdin, one JSON answer a line on stdout.

    python3 drive.py PATH_OF_mininet/agent
"""

import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from addresses import flow_of, make_key  # noqa: E402
from checksum import fold, sum_words  # noqa: E402
from policy import make_policy  # noqa: E402
from prng import Random  # noqa: E402
from receive_window import ReceiveWindow  # noqa: E402
from segment import Ipv4, Ipv6, Mark, make_room, pure_ack  # noqa: E402
from selector_field import headers_of, selector_of  # noqa: E402
from tcp_flow import TcpFlow  # noqa: E402


def draws(request):
    random = Random(request["seed"])
    for label in request["forks"]:
        random = random.fork(label)
    return [random.int(bound) for bound in request["bounds"]]


def chooser(request):
    """After each event: what it returned, the chooser's selector, and the NIC of that selector."""
    policy = make_policy(request["description"])
    flow = tuple(int(value) for value in request["flow"])
    chooser = policy.open(flow, Random(request["seed"]))
    answers = [[None, chooser.selector, policy.nic(flow, chooser.selector, request["nics"])]]
    for name, *arguments in request["events"]:
        result = getattr(chooser, name)(*arguments)
        answers.append([result, chooser.selector, policy.nic(flow, chooser.selector, request["nics"])])
    return answers


class NoNic:
    send = None

    def __init__(self, gateway, mac):
        self.gateway, self.mac = bytes.fromhex(gateway), bytes.fromhex(mac)


def frame(request):
    """Takes the mark off a frame and puts another on: the bare packet, what it was marked with, and the new frame."""
    data = bytes.fromhex(request["frame"])
    family = Ipv4 if request["version"] == 4 else Ipv6
    field = request["field"]
    at = 18 if data[12:14] == b"\x81\x00" else 14
    vlan = int.from_bytes(data[14:16], "big") & 0xFFF if at == 18 else 0
    buffer = bytearray(64) + data
    at += 64
    assert family.is_tcp(buffer, at, len(buffer) - at)
    fields = family.WITH_ECHO.unpack_from(buffer, at)
    if family is Ipv4:
        selector = selector_of(field, buffer[at + 1] >> 2, vlan, 0)
    else:
        first = int.from_bytes(buffer[at : at + 4], "big")
        selector = selector_of(field, first >> 22 & 0x3F, vlan, first & 0xFFFFF)
    at = family.write_stripped(buffer, at, fields)
    bare = bytes(buffer[at:])
    dscp, tag, label = headers_of(field, request["selector"])
    mark = Mark(NoNic(data[0:6].hex(), data[6:12].hex()), dscp, tag, label, family.ethertype)
    start = family.write_marked(buffer, at, family.HEADERS.unpack_from(buffer, at), mark, request["echo"])
    return {"bare": bare.hex(), "selector": selector, "echo": fields[-1], "frame": bytes(buffer[start:]).hex()}


def rewrite(request):
    family = Ipv4 if request["version"] == 4 else Ipv6
    packet = {"make_room": make_room, "pure_ack": pure_ack}[request["how"]](family, bytes.fromhex(request["packet"]))
    return None if packet is None else packet.hex()


def mark_only(request):
    family = Ipv4 if request["version"] == 4 else Ipv6
    buffer = bytearray(64) + bytes.fromhex(request["packet"])
    dscp, tag, label = headers_of(request["field"], request["selector"])
    mark = Mark(NoNic("020000000001", "020000000002"), dscp, tag, label, family.ethertype)
    return bytes(buffer[family.mark_only(buffer, 64, mark) :]).hex()


class NoChooser:
    selector = 0


def tcp(request):
    flow = TcpFlow(Ipv4, b"", NoChooser(), None)
    answers = []
    for name, *arguments in request["events"]:
        if name == "sent":
            sequence, length, now, *in_loss = arguments
            answers.append(
                flow.sent(sequence, length, now, request["quiet"], lambda _f, count: in_loss[0] if in_loss else count < 3)
            )
        elif name == "acknowledge":
            answers.append(flow.acknowledge(*arguments))
        else:
            flow.answer_on(arguments[0])
            answers.append(flow.answers and list(flow.answers))
    return answers


def window(request):
    window = ReceiveWindow(request["start"])
    return [[window.add(sequence, length), window.next] for sequence, length in request["segments"]]


def sums(request):
    return [fold(sum_words(bytes.fromhex(data))) for data in request["data"]]


def keys(request):
    src, dst = bytes.fromhex(request["src"]), bytes.fromhex(request["dst"])
    return [str(value) for value in flow_of(make_key(src, dst, request["srcPort"], request["dstPort"]), 6)]


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(globals()[request["op"]](request)), flush=True)
