/**
 * Losses near the end of a flow, between the kernel's TCP and ours over a TUN device, to be run in a network namespace of its own: flows in
 * both directions, certain segments of which are lost when they are sent first, over a round trip that this program adds. Prints one JSON
 * document: for each case the completion times of both senders in ms.
 */
import { execFileSync } from "node:child_process";
import { connect, createServer } from "node:net";
import { performance } from "node:perf_hooks";
import { Random } from "../../../src/base/index.js";
import { Segment } from "../../../src/base/packets/index.js";
import { fixedPath } from "../../../src/fabric/hosts/index.js";
import { CONGESTION_CONTROLS, Host, Network, type TcpOptions } from "../../../src/fabric/sim/packet/index.js";
import { TUN_HEADROOM, TunDevice } from "../../../src/toolchain/interfaces/index.js";

interface Request {
  readonly segments: number;
  readonly rttMs: number;
  readonly cases: readonly (readonly number[])[];
  readonly repeats: number;
}

const { segments, rttMs, cases, repeats } = JSON.parse(process.argv[2]!) as Request;
const MSS = 1400;
/** The option that carries the echo makes our segments longer; the MSS option counts it, so that the kernel's have this payload. */
const KERNEL_MSS = MSS + 8;
const ETHERNET = Uint8Array.of(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 8, 0);

const network = new Network();
const { simulation } = network;
const host = new Host(simulation, {
  name: "h",
  mac: 1n,
  ipv4: 0x0a090002n,
  ipv6: 1n,
  policy: { open: () => fixedPath(0), nic: () => 0 },
  codec: {
    headersOf: () => ({ dscp: 0, vlan: undefined, flowLabel: 0 }),
    selectorOf: () => 0,
  },
});
const began = performance.now();
const now = () => performance.now() - began;
const follow = () => simulation.run(Math.max(simulation.now, Math.round(now() * 1e6)));

/** One flow: what is lost, and which segments have reached the other end. */
class Observed {
  readonly #toLose: Set<number>;
  readonly #left = new Set(Array.from({ length: segments }, (_, i) => i));
  #base: number | undefined;
  #began = 0;
  resolve: (ms: number) => void = () => {};
  readonly done = new Promise<number>((resolve) => {
    this.resolve = resolve;
  });

  constructor(
    lost: readonly number[],
    readonly mss: number,
  ) {
    this.#toLose = new Set(lost);
  }

  /** A segment of the sender leaves; whether it is lost. */
  leaves(segment: Segment): boolean {
    if ((segment.flags & 0x02) !== 0 && this.#base === undefined) {
      this.#base = segment.sequence + 1;
      this.#began = now();
    }
    return segment.payloadLength > 0 && this.#toLose.delete(this.#numberOf(segment));
  }

  /** It has arrived. */
  arrives(segment: Segment): void {
    if (segment.payloadLength === 0 || !this.#left.delete(this.#numberOf(segment))) return;
    if (this.#left.size === 0) this.resolve(now() - this.#began);
  }

  #numberOf(segment: Segment): number {
    return ((segment.sequence - this.#base!) >>> 0) / this.mss;
  }
}

let fromKernel: Observed | undefined;
let fromOurs: Observed | undefined;
const segment = new Segment();

/** Runs `arrive` after half a round trip, unless the sender's segment is lost. */
function carry(frame: Uint8Array, observed: Observed | undefined, arrive: () => void): void {
  segment.read(frame);
  if (observed?.leaves(segment) === true) return;
  simulation.at(simulation.now + (rttMs / 2) * 1e6, () => {
    segment.read(frame);
    observed?.arrives(segment);
    arrive();
  });
}

const tun = new TunDevice("p4test", (bytes, end) => {
  if (bytes[TUN_HEADROOM] !== 0x45) return;
  follow();
  const frame = new Uint8Array(ETHERNET.length + end - TUN_HEADROOM);
  frame.set(ETHERNET);
  frame.set(bytes.subarray(TUN_HEADROOM, end), ETHERNET.length);
  carry(frame, fromKernel, () => host.receive(1, frame));
});
const wire = {
  name: "wire",
  attach() {},
  receive(_port: number, given: Uint8Array) {
    const frame = Uint8Array.from(given);
    carry(frame, fromOurs, () => tun.write(frame.slice(ETHERNET.length)));
  },
};
const unlimited = { queueBytes: Number.POSITIVE_INFINITY, queuePackets: Number.POSITIVE_INFINITY };
const link = { rate: 0, delay: 0, ...unlimited };
network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: link, bToA: link });
for (const words of ["address add 10.9.0.1/24 dev p4test", "link set p4test up"])
  execFileSync("ip", words.split(" "));
execFileSync("sysctl", ["-qw", "net.ipv4.tcp_no_metrics_save=1", "net.ipv4.tcp_congestion_control=reno"]);
tun.start();
const ticks = setInterval(follow, 0.5);

const options: TcpOptions = {
  protocol: "tcp",
  segmentBytes: MSS,
  margin: 0,
  floor: 200e6,
  cap: 60e9,
  initial: 1e9,
  congestionControl: CONGESTION_CONTROLS.reno,
  initialWindow: 10,
  receiveBuffer: 4e6,
  delayedAck: { segments: 1, timeout: 0 },
  ecn: "off",
  sack: true,
  rack: true,
  reordering: false,
  handshake: true,
  timeWait: 0,
  userTimeout: 100e9,
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function kernelSends(lost: readonly number[], port: number): Promise<number> {
  const observed = new Observed(lost, KERNEL_MSS);
  fromKernel = observed;
  host.listen(port, options, () => {}, new Random(port));
  const socket = connect({ port, host: "10.9.0.2" });
  socket.on("connect", () => socket.end(Buffer.alloc(segments * KERNEL_MSS)));
  const time = await observed.done;
  await pause(2 * rttMs);
  socket.destroy();
  fromKernel = undefined;
  return time;
}

const server = createServer((socket) => socket.resume()).listen(80, "10.9.0.1");

async function oursSends(lost: readonly number[], port: number): Promise<number> {
  const observed = new Observed(lost, MSS);
  fromOurs = observed;
  const client = host.connect(4, port, { address: 0x0a090001n, port: 80 }, new Random(port), options);
  client.send(segments * MSS);
  client.finish();
  const time = await observed.done;
  await pause(2 * rttMs);
  client.close();
  fromOurs = undefined;
  return time;
}

const results: { lost: readonly number[]; kernel: number[]; ours: number[] }[] = [];
let port = 10_000;
for (const lost of cases) {
  const kernel: number[] = [];
  const ours: number[] = [];
  for (let i = 0; i < repeats; i++) {
    kernel.push(await kernelSends(lost, port++));
    ours.push(await oursSends(lost, port++));
  }
  results.push({ lost, kernel, ours });
}
console.log(JSON.stringify(results));
clearInterval(ticks);
server.close();
process.exit(0);
