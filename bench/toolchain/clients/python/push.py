"""Pushes a program to a P4Runtime switch: push.py ADDRESS DEVICE_ID P4INFO CONFIG."""

import sys
from queue import Queue

import google.protobuf.text_format
import grpc
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc


def main(address, device_id, p4info, config):
    stub = p4runtime_pb2_grpc.P4RuntimeStub(grpc.insecure_channel(address))
    requests = Queue()
    arbitration = p4runtime_pb2.StreamMessageRequest()
    arbitration.arbitration.device_id = int(device_id)
    arbitration.arbitration.election_id.low = 1
    requests.put(arbitration)
    # The stream stays open while there is a reference to it.
    stream = stub.StreamChannel(iter(requests.get, None))
    next(stream)
    request = p4runtime_pb2.SetForwardingPipelineConfigRequest()
    request.device_id = int(device_id)
    request.election_id.low = 1
    request.action = request.VERIFY_AND_COMMIT
    with open(p4info) as file:
        google.protobuf.text_format.Merge(file.read(), request.config.p4info)
    with open(config, "rb") as file:
        request.config.p4_device_config = file.read()
    stub.SetForwardingPipelineConfig(request)
    stream.cancel()


main(*sys.argv[1:])
