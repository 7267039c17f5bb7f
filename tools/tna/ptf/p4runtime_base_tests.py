"""Stands in front of the base class of the tests, which is of the time when P4Runtime took writes without an election id."""
import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.machinery.PathFinder.find_spec(
    "p4runtime_base_tests", [folder for folder in sys.path if os.path.abspath(folder or ".") != _here]
)
_original = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_original)

_write = _original.P4RuntimeTest._write


def _write_as_primary(self, request):
    request.election_id.low = 1
    return _write(self, request)


def _become_primary(self):
    request = _original.p4runtime_pb2.StreamMessageRequest()
    request.arbitration.device_id = self.device_id
    request.arbitration.election_id.low = 1
    self.stream_out_q.put(request)
    if self.get_stream_packet("arbitration", timeout=2) is None:
        self.fail("Failed to establish handshake")


_original.P4RuntimeTest._write = _write_as_primary
_original.P4RuntimeTest.handshake = _become_primary
globals().update({name: value for name, value in vars(_original).items() if not name.startswith("__")})


# The tests are of the time of Python 2, in which a text is bytes: packets are made of it.
import scapy.packet as _scapy_packet

_make = _scapy_packet.Packet.__init__


def _make_of_text(self, _pkt=b"", *args, **fields):
    _make(self, _pkt.encode("latin-1") if isinstance(_pkt, str) else _pkt, *args, **fields)


_scapy_packet.Packet.__init__ = _make_of_text
