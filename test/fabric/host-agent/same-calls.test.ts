/**
 * The same segments make the same calls: a chooser gets the same events in the simulator's transport and in the agent when the
 * kernel sends and receives the same bytes at the same times.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { Ip } from "../../../src/base/packets/index.js";
import { flowKey } from "../../../src/fabric/host-agent/addresses.js";
import { DataPath } from "../../../src/fabric/host-agent/data-path.js";
import { Flows } from "../../../src/fabric/host-agent/flows.js";
import { removeEcho, writeEce } from "../../../src/fabric/host-agent/marking.js";
import type { HostPolicy, PathChooser } from "../../../src/fabric/hosts/index.js";
import type { Channel, Connection, Host } from "../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, transport } from "../sim/packet/relay.js";

const MS = 1e6;
const MACS = [Uint8Array.of(2, 0, 0, 0, 0, 0x10), Uint8Array.of(2, 0, 0, 0, 0, 0x11)] as const;

type Call = readonly [member: string, ...values: unknown[]];

/** Changes its selector by its events, with one copy, and records each call. */
class Noting implements PathChooser {
  selector = 0;
  readonly calls: Call[] = [];
  onTimeout(attempt: number): readonly number[] {
    this.calls.push(["onTimeout", attempt]);
    this.selector = (this.selector + 1) % 8;
    return [this.selector];
  }
  onFastRetransmit(): readonly number[] {
    this.calls.push(["onFastRetransmit"]);
    return [this.selector + 8];
  }
  onAck({ selector, echo, marked }: { selector: number; echo: number; marked?: boolean }, rttNs?: number) {
    this.calls.push(["onAck", selector, echo, marked === true, rttNs]);
  }
  onData({ selector, echo }: { selector: number; echo: number }, duplicate: boolean): readonly number[] {
    this.calls.push(["onData", selector, echo, duplicate]);
    return [this.selector];
  }
  onRound(round: object): void {
    this.calls.push(["onRound", { ...round }]);
  }
  onIdle(idleNs: number): void {
    this.calls.push(["onIdle", idleNs]);
  }
  onReordering(bytes: number): void {
    this.calls.push(["onReordering", bytes]);
  }
  selectorFor({ position, bytes, nowNs }: { position: number; bytes: number; nowNs: number }): number {
    this.calls.push(["selectorFor", position, bytes, nowNs]);
    return this.selector + (position % 3) * 16;
  }
}

function policyOf(chooser: PathChooser): HostPolicy {
  return { open: () => chooser, nic: (_flow, selector, nics) => selector % nics, ecn: true };
}

/** A frame that left a host or came to it, at its time. */
interface Passing {
  readonly at: number;
  readonly out: boolean;
  readonly nic: number;
  readonly frame: Uint8Array;
  /** Whether the sender's timer has run out since its last progress: what the kernel reports of its own sockets. */
  readonly inLoss: boolean;
}

/** What passes at one host of the simulator. */
function record(host: Host, channels: readonly Channel[], connection: () => Connection): Passing[] {
  const passing: Passing[] = [];
  const note = (out: boolean, nic: number, frame: Uint8Array) =>
    void passing.push({
      at: host.now(),
      out,
      nic,
      frame: frame.slice(),
      inLoss: connection().timeout.attempts > 0,
    });
  for (const [nic, channel] of channels.filter(({ source }) => source === host).entries()) {
    const send = channel.send.bind(channel);
    channel.send = (frame) => {
      note(true, nic, frame);
      send(frame);
    };
  }
  const receive = host.receive.bind(host);
  host.receive = (port, frame) => {
    note(false, port - 1, frame);
    receive(port, frame);
  };
  return passing;
}

/** The calls of a chooser in an agent on whose host the same segments pass. */
function replay(
  end: 0 | 1,
  passing: readonly Passing[],
  address: Uint8Array,
  peer: Uint8Array,
): readonly Call[] {
  const chooser = new Noting();
  let now = 0;
  let inLoss = false;
  const nic = { name: "eth0", mac: MACS[end], gateway: MACS[1 - end]! };
  const host = { addresses: [address], nics: [nic, nic], field: "dscp" as const, policy: policyOf(chooser) };
  const flows = new Flows(host, new Random(1), transport.margin);
  const ports: [number, number] = end === 0 ? [40_000, 5201] : [5201, 40_000];
  const wire: Uint8Array[] = [];
  const devices = {
    toWire: (_nic: number, frame: Uint8Array) => void wire.push(frame.slice()),
    toKernel: () => true,
    now: () => now,
  };
  flows.watch(flowKey(address, peer, ...ports), {
    timedOut: () => {},
    recovered: () => {},
    progressed: () => {},
    inLossState: () => inLoss,
  });
  const path = new DataPath(flows, devices, transport.margin / 2);
  for (const { at, out, nic, frame, inLoss: lost } of passing) {
    now = at;
    inLoss = lost;
    if (!out) {
      path.fromWire(nic, frame.slice());
      continue;
    }
    // As the kernel sends it: without the echo, without our bits.
    const bytes = new Uint8Array(64 + frame.length);
    bytes.set(frame, 64);
    writeEce(bytes, 64 + 14 + Ip.IPV6.length, false);
    const ip = removeEcho(bytes, 64 + 14, Ip.IPV6);
    bytes[ip + 1]! &= 0xcf;
    path.fromKernel(bytes, ip, bytes.length);
    // What leaves is what left in the simulator, but for the MAC of the switch.
    expect([...wire.splice(0)].map((sent) => [...sent.subarray(12)])).toEqual([[...frame.subarray(12)]]);
  }
  return chooser.calls;
}

describe("a chooser in the agent", () => {
  it("gets the same events as in the simulator, for the same segments", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = new Random(seed);
        const choosers = [new Noting(), new Noting()] as const;
        const pair = pairOfHosts([policyOf(choosers[0]), policyOf(choosers[1])], {}, 6);
        const { network, relays } = pair;
        const { simulation } = network;
        for (const relay of relays) {
          const receive = relay.receive.bind(relay);
          relay.receive = (port, frame) => {
            // The simulator has no handshake: the agent takes the first data that come for the beginning of the stream.
            if (simulation.now < MS) return receive(port, frame);
            const draw = random.float();
            if (draw < 0.03) return;
            // Congestion experienced: both bits of ECN.
            if (draw < 0.25) frame[15]! |= 0x30;
            if (draw > 0.9)
              simulation.at(simulation.now + 1 + random.int(2 * MS), () => receive(port, frame));
            else receive(port, frame);
          };
        }
        let ends: [Connection, Connection] | undefined;
        const passing = ([pair.a, pair.b] as const).map((host, i) =>
          record(host, network.channels, () => ends![i as 0 | 1]),
        );
        ends = pair.connect({ windowSegments: 8 });
        const [client] = ends;
        client.send(6_000);
        simulation.at(2_000 * MS, () => client.send(2_050));
        simulation.run(5_000 * MS);
        expect(client.bytesAcknowledged).toBe(8_050);
        const addresses = [1, 2].map((last) =>
          Uint8Array.of(0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), last),
        );
        for (const end of [0, 1] as const) {
          const heard = replay(end, passing[end]!, addresses[end]!, addresses[1 - end]!);
          expect(heard).toEqual(choosers[end].calls);
          for (const [member] of heard) seen.add(member);
        }
        if (passing[1]!.some(({ frame }) => Ip.isMarked(frame, 14, Ip.IPV6))) seen.add("marks");
      }),
      { numRuns: 30, seed: 1 },
    );
    expect([...seen].sort()).toEqual([
      "marks",
      "onAck",
      "onData",
      "onFastRetransmit",
      "onIdle",
      "onReordering",
      "onRound",
      "onTimeout",
      "selectorFor",
    ]);
  });
});
