"""A controller that speaks P4Runtime as those of the P4 tutorials do.

Election id 1, the program inside p4.tmp.P4DeviceConfig, one entry in each Write. It needs grpc and the modules p4.v1.
Usage: controller.py P4INFO JSON ADDRESS DEVICE_ID. Each line of stdin is an entry of the first table, whose action is the
first with parameters: `ADDRESS/LENGTH PARAMETER...`, parameters in hexadecimal.
"""

import queue
import sys

import grpc
from google.protobuf import text_format
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc


def device_config(device_data: bytes) -> bytes:
    """P4DeviceConfig { bool reassign = 1; Extras extras = 2; bytes device_data = 3; }, as protobuf encodes it."""
    length = len(device_data)
    varint = bytearray()
    while True:
        varint.append((length & 0x7F) | (0x80 if length > 0x7F else 0))
        length >>= 7
        if length == 0:
            break
    return b"\x08\x01" + b"\x1a" + bytes(varint) + device_data


def main(p4info_path: str, json_path: str, address: str, device_id: int) -> None:
    """Claims the switch, loads the program, writes an entry for each line of stdin, and prints all entries."""
    p4info = p4info_pb2.P4Info()
    with open(p4info_path, encoding="utf-8") as file:
        text_format.Merge(file.read(), p4info)
    stub = p4runtime_pb2_grpc.P4RuntimeStub(grpc.insecure_channel(address))
    requests: "queue.Queue[p4runtime_pb2.StreamMessageRequest | None]" = queue.Queue()
    responses = stub.StreamChannel(iter(requests.get, None))
    claim = p4runtime_pb2.StreamMessageRequest()
    claim.arbitration.device_id = device_id
    claim.arbitration.election_id.low = 1
    requests.put(claim)
    print(f"arbitration status {next(responses).arbitration.status.code}", flush=True)

    config = p4runtime_pb2.SetForwardingPipelineConfigRequest(device_id=device_id)
    config.election_id.low = 1
    config.action = p4runtime_pb2.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
    config.config.p4info.CopyFrom(p4info)
    with open(json_path, "rb") as file:
        config.config.p4_device_config = device_config(file.read())
    stub.SetForwardingPipelineConfig(config)
    print("program loaded", flush=True)

    table = p4info.tables[0]
    action = next(one for one in p4info.actions if one.params)
    for line in sys.stdin:
        prefix, *values = line.split()
        address_text, length = prefix.split("/")
        write = p4runtime_pb2.WriteRequest(device_id=device_id)
        write.election_id.low = 1
        update = write.updates.add(type=p4runtime_pb2.Update.INSERT)
        entry = update.entity.table_entry
        entry.table_id = table.preamble.id
        match = entry.match.add(field_id=table.match_fields[0].id)
        match.lpm.value = bytes(int(part) for part in address_text.split("."))
        match.lpm.prefix_len = int(length)
        entry.action.action.action_id = action.preamble.id
        for param, value in zip(action.params, values):
            entry.action.action.params.add(param_id=param.id, value=bytes.fromhex(value))
        stub.Write(write)

    read = p4runtime_pb2.ReadRequest(device_id=device_id)
    read.entities.add().table_entry.table_id = table.preamble.id
    entities = [entity for response in stub.Read(read) for entity in response.entities]
    print(f"{sum(not one.table_entry.is_default_action for one in entities)} entries", flush=True)
    requests.put(None)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
