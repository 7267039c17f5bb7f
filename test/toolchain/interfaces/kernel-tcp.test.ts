/**
 * The simulator's TCP against the kernel's: a simulated host whose link is a TUN device, in the namespace of a process of its
 * own, with virtual time that follows the clock. Packets are lost by draw in both directions.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { inside, namespace, whyNot } from "./namespaces.js";

const reason = whyNot() ?? (existsSync("/dev/net/tun") ? undefined : "there is no /dev/net/tun");
const source = (path: string) => JSON.stringify(join(import.meta.dirname, "../../../src", path));

/** Both ends send this number of bytes in each connection: one that the simulated host opens, then one that the kernel opens. */
const BYTES = 1_000_000;

const program = (loss: number, control: string, ecn: boolean) => `
import { execFileSync } from "node:child_process";
import { connect, createServer } from "node:net";
import { performance } from "node:perf_hooks";
import { Random } from ${source("base/index.ts")};
import { TUN_HEADROOM, TunDevice } from ${source("toolchain/interfaces/index.ts")};
import { CONGESTION_CONTROLS, Host, Network } from ${source("fabric/sim/packet/index.ts")};

const BYTES = ${BYTES};
const random = new Random(7);
const lost = () => random.float() < ${loss};
const network = new Network();
const { simulation } = network;
const chooser = { selector: 0, onTimeout: () => [0], onAck: () => {}, onData: () => [0] };
const host = new Host(simulation, {
  name: "h", mac: 1n, ipv4: 0x0a090002n, ipv6: 1n,
  policy: { open: () => chooser, nic: () => 0 },
  codec: { headersOf: () => ({ dscp: 0, vlan: undefined, flowLabel: 0 }), selectorOf: () => 0 },
});
const wire = { name: "wire", attach() {}, receive(_port, frame) { if (!lost()) tun.write(frame.slice(14)); } };
const link = { rate: 0, delay: 0, queueBytes: Infinity, queuePackets: Infinity };
network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: link, bToA: link });

const began = performance.now();
const follow = () => simulation.run(Math.round((performance.now() - began) * 1e6));
const tun = new TunDevice("p4test", (bytes, end) => {
  if (bytes[TUN_HEADROOM] !== 0x45 || lost()) return;
  follow();
  const frame = new Uint8Array(14 + end - TUN_HEADROOM);
  frame.set([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 8, 0]);
  frame.set(bytes.subarray(TUN_HEADROOM, end), 14);
  host.receive(1, frame);
  follow();
});
const ip = (line) => execFileSync("ip", line.split(" "));
if (${ecn}) execFileSync("sysctl", ["-qw", "net.ipv4.tcp_ecn=1"]);
ip("address add 10.9.0.1/24 dev p4test");
ip("link set p4test up");
tun.start();
setInterval(follow, 1);

const options = {
  protocol: "tcp", segmentBytes: 1400, margin: 5e6, floor: 200e6, cap: 60e9, initial: 1e9,
  congestionControl: CONGESTION_CONTROLS[${JSON.stringify(control)}], initialWindow: 10, receiveBuffer: 4e6,
  delayedAck: { segments: 2, timeout: 40e6 }, ecn: ${ecn} ? "classic" : "off", sack: true, rack: true, reordering: false,
  handshake: true, timeWait: 1e9, userTimeout: 100e9,
};
/** Both ends of a connection send all bytes and finish; resolves with what each got, and why ours ended. */
const exchange = (ours, socket) =>
  Promise.all([
    new Promise((resolve) => {
      let bytes = 0;
      ours.listener = { received: (total) => (bytes = total), closed: (why) => resolve({ bytes, why }) };
      ours.send(BYTES);
      ours.finish();
    }),
    new Promise((resolve) => {
      let bytes = 0;
      socket.on("data", (chunk) => (bytes += chunk.length));
      socket.on("end", () => resolve(bytes));
      socket.on("error", (error) => resolve(error.message));
      socket.end(Buffer.alloc(BYTES));
    }),
  ]).then(([end, kernel]) => ({ ...end, kernel, used: ours.counters.segmentsSent > 0 }));

const server = createServer({ allowHalfOpen: true }).listen(80, "10.9.0.1");
const opened = new Promise((resolve) => server.once("connection", resolve));
const client = host.connect(4, 4000, { address: 0x0a090001n, port: 80 }, new Random(1), options);
console.log(JSON.stringify(await exchange(client, await opened)));
const accepted = new Promise((resolve) => host.listen(80, options, resolve, new Random(2)));
const socket = connect({ port: 80, host: "10.9.0.2", allowHalfOpen: true });
console.log(JSON.stringify(await exchange(await accepted, socket)));
process.exit(0);
`;

describe.skipIf(reason !== undefined)(
  reason === undefined ? "the kernel's TCP" : `the kernel's TCP (${reason})`,
  () => {
    it.each([
      [0, "reno", false],
      [0.01, "cubic", false],
      [0.01, "bbr", false],
      [0.01, "reno", true],
    ])("exchanges 1 MB both ways with ours, loss %f, %s, ECN %s", (loss, control, ecn) => {
      const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
      const words = [
        process.execPath,
        "--import",
        loader,
        "--input-type=module",
        "-e",
        program(loss, control, ecn),
      ];
      const lines = inside(namespace(), ...words)
        .trim()
        .split("\n");
      const whole = { bytes: BYTES, why: "finished", kernel: BYTES, used: true };
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([whole, whole]);
    });
  },
);
