"""The part of the drivers' Thrift interface that the tests use, over BF Runtime: sessions of mirrors."""
import sys
import types

import bfrt_grpc.client as grpc_client
import ptf.testutils as testutils


class MirrorSessionInfo_t:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class DevTarget_t:
    def __init__(self, dev_id, dev_pipe_id):
        self.dev_id, self.dev_pipe_id = dev_id, dev_pipe_id


class _Names:
    """An enumeration whose members are their names."""

    def __getattr__(self, name):
        return name


def _module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


for _package, _members in {
    "res_pd_rpc": {"DevTarget_t": DevTarget_t},
    "mirror_pd_rpc": {
        "MirrorSessionInfo_t": MirrorSessionInfo_t,
        "Direction_e": _Names(),
        "PD_MIRROR_TYPE_NORM": "PD_MIRROR_TYPE_NORM",
        "MirrorType_e": _Names(),
    },
}.items():
    _module(_package).ttypes = _module(_package + ".ttypes", **_members)


class _Mirror:
    def __init__(self):
        address = testutils.test_param_get("grpc_server", default="localhost")
        port = testutils.test_param_get("bfrt_grpc_port", default="50052")
        self._interface = grpc_client.ClientInterface(f"{address}:{port}", client_id=9, device_id=0)
        info = self._interface.bfrt_info_get()
        self._interface.bind_pipeline_config(info.p4_name_get())
        self._table = info.table_get("$mirror.cfg")
        self._target = grpc_client.Target(device_id=0, pipe_id=0xFFFF)

    def _key(self, session):
        return [self._table.make_key([grpc_client.KeyTuple("$sid", session)])]

    def mirror_session_create(self, _client, _target, info):
        direction = "INGRESS" if info.direction == "PD_DIR_INGRESS" else "EGRESS"
        data = [
            grpc_client.DataTuple("$direction", str_val=direction),
            grpc_client.DataTuple("$ucast_egress_port", info.egr_port),
            grpc_client.DataTuple("$ucast_egress_port_valid", bool_val=info.egr_port_v),
            grpc_client.DataTuple("$max_pkt_len", info.max_pkt_len),
            grpc_client.DataTuple("$session_enable", bool_val=True),
        ]
        self._table.entry_add(self._target, self._key(info.mir_id), [self._table.make_data(data, "$normal")])

    def mirror_session_delete(self, _client, _target, session):
        self._table.entry_del(self._target, self._key(session))

    def close(self):
        self._interface.tear_down_stream()


class _Connections:
    def client_init(self):
        return 0


class ThriftInterfaceDataPlane:
    def __init__(self, _names):
        self.conn_mgr = _Connections()

    def setUp(self):
        self.mirror = _Mirror()

    def tearDown(self):
        self.mirror.close()
