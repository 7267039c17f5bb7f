"""A controller that works as Python controllers do: one update in each Write. Prints seconds as one JSON object.

usage: p4runtime-client.py ADDRESS DEVICE_ID BMV2_JSON P4INFO_TEXT TABLE_ID ACTION_ID WRITES
"""
import json
import queue
import sys
import time

import grpc
from google.protobuf import text_format
from p4.v1 import p4runtime_pb2 as p4
from p4.v1 import p4runtime_pb2_grpc

address, device_id, program, p4info = sys.argv[1:5]
table_id, action_id, writes = (int(text) for text in sys.argv[5:8])
device_id = int(device_id)
READS = 40

channel = grpc.insecure_channel(address)
grpc.channel_ready_future(channel).result(30)
stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
requests = queue.Queue()
claim = p4.StreamMessageRequest()
claim.arbitration.device_id = device_id
claim.arbitration.election_id.low = 1
requests.put(claim)
stream = stub.StreamChannel(iter(requests.get, None))
assert next(stream).arbitration.status.code == 0
push = p4.SetForwardingPipelineConfigRequest(
    device_id=device_id, action=p4.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
)
push.election_id.low = 1
with open(p4info) as file:
    text_format.Parse(file.read(), push.config.p4info)
with open(program, "rb") as file:
    push.config.p4_device_config = file.read()
stub.SetForwardingPipelineConfig(push)


def write(kind, i):
    request = p4.WriteRequest(device_id=device_id)
    request.election_id.low = 1
    update = request.updates.add(type=kind)
    entry = update.entity.table_entry
    entry.table_id = table_id
    match = entry.match.add(field_id=1)
    match.exact.value = (0x020000000000 + i).to_bytes(6, "big")
    if kind != p4.Update.DELETE:
        action = entry.action.action
        action.action_id = action_id
        action.params.add(param_id=1, value=bytes([1 + i % 100]))
    stub.Write(request)


def timed(kind):
    start = time.perf_counter()
    for i in range(writes):
        write(kind, i)
    return time.perf_counter() - start


for i in range(writes):  # warm both sides
    write(p4.Update.INSERT, i)
for i in range(writes):
    write(p4.Update.DELETE, i)
seconds = {"insert": timed(p4.Update.INSERT)}
read = p4.ReadRequest(device_id=device_id)
read.entities.add().table_entry.table_id = table_id
for _ in range(2):  # the first round warms both sides
    start = time.perf_counter()
    for _ in range(READS):
        count = sum(len(answer.entities) for answer in stub.Read(read))
        assert count == writes, count
    seconds["read"] = (time.perf_counter() - start) / READS
seconds["delete"] = timed(p4.Update.DELETE)
requests.put(None)
print(json.dumps(seconds))
channel.close()
