/**
 * Generated tests as one Python file for PTF (the Packet Test Framework), with the entries over P4Runtime. It needs PTF, grpcio and the
 * Python modules of P4Runtime (`p4.v1`), and nothing of p4loom. Each test installs the program again, so that state begins anew.
 */
import { toHex } from "../../base/index.js";
import type { GeneratedTest } from "./generate.js";
import type { Expected } from "./replay.js";

export interface PtfTest {
  readonly test: GeneratedTest;
  /** A WriteRequest in the JSON form of Protocol Buffers; empty without entries. */
  readonly request: string;
}

/** Interfaces do not carry a frame that is shorter than an Ethernet header. */
const LEAST_BYTES = 14;

/** @param title what the tests are of, without line ends */
export function ptfOf(tests: readonly PtfTest[], title: string): string {
  return [HEAD.replace("TITLE", title), ...tests.map((test, i) => classOf(test, i + 1))].join("\n\n");
}

/** Why interfaces do not show what the test expects. */
function skipped({ stimulus, expected }: GeneratedTest): string | undefined {
  const lengths = [stimulus.bytes.length, ...expected.map(({ nibbles }) => nibbles.length / 2)];
  if (lengths.some((length) => length < LEAST_BYTES)) return "a frame is shorter than an Ethernet header";
  const [port] = stimulus.leadsOut;
  return port === undefined ? undefined : `port ${port} of a Tofino leads back to ingress`;
}

function classOf({ test, request }: PtfTest, number: number): string {
  const { stimulus, expected } = test;
  const why = skipped(test);
  const expects = expected.map(({ port, nibbles }) => `            (${port}, "${patternOf(nibbles)}"),`);
  return [
    ...(why === undefined ? [] : [`@unittest.skip("${why}")`]),
    `class Test${number}(P4RuntimeTest):`,
    ...(request === "" ? [] : [`    entries = r"""${request.trimEnd()}"""`, ""]),
    "    def runTest(self):",
    `        self.send(${stimulus.port}, "${toHex(stimulus.bytes)}")`,
    ...(expects.length === 0
      ? ["        self.expect([])"]
      : ["        self.expect([", ...expects, "        ])"]),
    "",
  ].join("\n");
}

function patternOf(nibbles: Expected["nibbles"]): string {
  return nibbles.map((nibble) => (nibble === undefined ? "*" : nibble.toString(16))).join("");
}

const HEAD = `"""TITLE

Run with PTF, one interface for each port, and a switch that speaks P4Runtime:

    ptf --test-dir . -i 0@veth1 -i 1@veth3 ... \\\\
        --test-params="grpcaddr='127.0.0.1:9559';p4info='prog.p4info.txtpb';config='prog.json'"

Parameters: grpcaddr, p4info (text), config (BMv2 JSON), device_id (0 unless given).
"""
import queue
import threading
import time
import unittest

import grpc
import ptf
import ptf.testutils as testutils
from google.protobuf import json_format, text_format
from google.rpc import code_pb2, status_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from ptf.base_tests import BaseTest

# Seconds to wait for a packet, and for one that must not come.
PATIENCE = 5
SILENCE = 0.3


class P4RuntimeTest(BaseTest):
    """Installs the program, writes the entries of the test, and compares frames."""

    entries = ""

    def setUp(self):
        BaseTest.setUp(self)
        self.dataplane = ptf.dataplane_instance
        self.ports = {port for _, port in testutils.ptf_ports()}
        parameters = testutils.test_params_get()
        self.device_id = int(parameters.get("device_id", 0))
        self.channel = grpc.insecure_channel(parameters["grpcaddr"])
        self.stub = p4runtime_pb2_grpc.P4RuntimeStub(self.channel)
        self.election_id = p4runtime_pb2.Uint128(low=time.time_ns() & (2**63 - 1))
        self.inserted = []
        self.arbitrate()
        self.install(parameters["p4info"], parameters["config"])
        self.write()
        self.dataplane.flush()

    def tearDown(self):
        self.unwrite()
        self.requests.put(None)
        self.channel.close()
        BaseTest.tearDown(self)

    def arbitrate(self):
        self.requests = queue.Queue()
        request = p4runtime_pb2.StreamMessageRequest()
        request.arbitration.device_id = self.device_id
        request.arbitration.election_id.CopyFrom(self.election_id)
        self.requests.put(request)
        responses = self.stub.StreamChannel(iter(self.requests.get, None))
        response = next(responses)
        assert response.arbitration.status.code == code_pb2.OK, "another controller is primary"
        threading.Thread(target=self.drain, args=(responses,), daemon=True).start()

    @staticmethod
    def drain(responses):
        try:
            for _ in responses:
                pass
        except grpc.RpcError:
            pass

    def install(self, p4info, config):
        request = p4runtime_pb2.SetForwardingPipelineConfigRequest(device_id=self.device_id)
        request.election_id.CopyFrom(self.election_id)
        request.action = p4runtime_pb2.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
        with open(p4info) as file:
            text_format.Merge(file.read(), request.config.p4info)
        with open(config, "rb") as file:
            request.config.p4_device_config = file.read()
        self.stub.SetForwardingPipelineConfig(request)

    def write(self):
        if self.entries == "":
            return
        request = json_format.Parse(self.entries, p4runtime_pb2.WriteRequest())
        request.device_id = self.device_id
        request.election_id.CopyFrom(self.election_id)
        # One update at a time: a member must be there before its entry.
        updates = list(request.updates)
        for update in updates:
            del request.updates[:]
            request.updates.append(update)
            self.try_write(request)
            if update.type == p4runtime_pb2.Update.INSERT:
                self.inserted.append(update.entity)

    def unwrite(self):
        """simple_switch keeps groups and sessions when it gets a program."""
        request = p4runtime_pb2.WriteRequest(device_id=self.device_id)
        request.election_id.CopyFrom(self.election_id)
        for entity in reversed(self.inserted):
            if entity.HasField("packet_replication_engine_entry"):
                del request.updates[:]
                update = request.updates.add(type=p4runtime_pb2.Update.DELETE)
                update.entity.CopyFrom(entity)
                self.try_write(request)

    def try_write(self, request):
        try:
            self.stub.Write(request)
        except grpc.RpcError as error:
            self.fail("%s: %s" % (self.reasons(error), text_format.MessageToString(request)))

    @staticmethod
    def reasons(error):
        """The switch says why in the details of the status."""
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                status = status_pb2.Status.FromString(value)
                found = [p4runtime_pb2.Error.FromString(detail.value).message for detail in status.details]
                return "; ".join(found)
        return error.details()

    def send(self, port, frame):
        if port not in self.ports:
            self.skipTest("there is no port %d" % port)
        testutils.send_packet(self, port, bytes.fromhex(frame))

    def expect(self, frames):
        """Frames by port, in any order: copies of a packet have none; * is any digit."""
        for port in {port for port, _ in frames}:
            if port not in self.ports:
                self.skipTest("there is no port %d" % port)
        left = list(frames)
        while left:
            port = left[0][0]
            patterns = [pattern for to, pattern in left if to == port]
            result = self.dataplane.poll(port_number=port, timeout=PATIENCE)
            if not isinstance(result, self.dataplane.PollSuccess):
                self.fail("port %d: no frame, expected %s" % (port, patterns))
            found = bytes(result.packet).hex()
            same = [pattern for pattern in patterns if self.fits(found, pattern)]
            self.assertTrue(same, "port %d: %s, expected %s" % (port, found, patterns))
            left.remove((port, same[0]))
        result = self.dataplane.poll(timeout=SILENCE)
        if isinstance(result, self.dataplane.PollSuccess):
            self.fail("port %d: %s, expected nothing" % (result.port, bytes(result.packet).hex()))

    @staticmethod
    def fits(found, pattern):
        return len(found) == len(pattern) and all(
            wanted in ("*", digit) for wanted, digit in zip(pattern, found)
        )
`;
