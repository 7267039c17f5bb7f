/** Probes between two agents: their bytes, and what is concluded from the replies. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { Ip } from "../../../src/base/packets/index.js";
import { flowKey } from "../../../src/fabric/host-agent/addresses.js";
import { DataPath } from "../../../src/fabric/host-agent/data-path.js";
import type { AgentEvent } from "../../../src/fabric/host-agent/events.js";
import { Flows } from "../../../src/fabric/host-agent/flows.js";
import { Probes, probePacket, readProbe } from "../../../src/fabric/host-agent/probes.js";
import { type ProbeRequest, readRequest } from "../../../src/fabric/host-agent/requests.js";
import type { Timers } from "../../../src/fabric/host-agent/timers.js";
import { restingHost } from "../../../src/fabric/hosts/index.js";
import { hostPolicyOf } from "../../../src/fabric/schemes/index.js";
import { addressOf, FAMILIES } from "./packets.js";

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const probe = fc.record({
  isReply: fc.boolean(),
  request: word,
  index: word,
  leftOn: word,
  leftAt: fc.integer({ min: 0, max: 2 ** 53 - 1 }),
  replies: fc.array(word, { maxLength: 64 }),
});
const key = fc
  .constantFrom(...FAMILIES)
  .map((family) => flowKey(addressOf(family, 1), addressOf(family, 2), 7, 8));

describe("the bytes of a probe", () => {
  it("carry what was written", () => {
    fc.assert(
      fc.property(key, probe, (key, probe) => {
        expect(readProbe(probePacket(key, probe), Ip.familyOf(key))).toEqual(probe);
      }),
    );
  });

  it("are none when one of them is damaged or missing", () => {
    fc.assert(
      fc.property(key, probe, fc.nat(), fc.integer({ min: 1, max: 255 }), (key, probe, where, bits) => {
        const packet = probePacket(key, probe);
        const family = Ip.familyOf(key);
        expect(readProbe(packet.subarray(0, packet.length - 1), family)).toBeUndefined();
        packet[family.length + (where % (packet.length - family.length))]! ^= bits;
        expect(readProbe(packet, family)).toBeUndefined();
      }),
    );
  });
});

/** Two agents whose clock and timers are in this test; the wire between them loses the given selectors. */
class Pair {
  now = 1000;
  readonly due: { at: number; call: () => void }[] = [];
  readonly events: AgentEvent[] = [];
  readonly ends: { path: DataPath; probes: Probes }[] = [];
  readonly lost: [forward: Set<number>, reverse: Set<number>] = [new Set(), new Set()];
  readonly kernel: Uint8Array[] = [];
  #wire: (() => void)[] = [];

  constructor() {
    for (const end of [1, 2] as const) this.#make(end);
  }

  #make(end: 1 | 2): void {
    const [ipv4, ipv6] = [addressOf(FAMILIES[0], end), addressOf(FAMILIES[1], end)];
    const mac = (end: number) => Uint8Array.of(2, 0, 0, 0, 0, end);
    const nics = [{ name: "eth0", mac: mac(end), gateway: mac(3 - end) }];
    const policy = hostPolicyOf({ kind: "fixed", selector: 0 }, restingHost());
    const flows = new Flows({ addresses: [ipv4, ipv6], nics, field: "dscp", policy }, new Random(1), 1e6);
    const path = new DataPath(
      flows,
      {
        toWire: (_nic, frame) => {
          const copy = frame.slice();
          const dscp = copy[12] === 8 ? copy[15]! >> 2 : ((copy[14]! & 15) << 2) | (copy[15]! >> 6);
          if (!this.lost[end - 1]!.has(dscp))
            this.#wire.push(() => this.ends[2 - end]!.path.fromWire(0, copy));
        },
        toKernel: (packet) => this.kernel.push(packet.slice()) > 0,
        now: () => this.now,
      },
      1e6,
    );
    const timers = { at: (at: number, call: () => void) => void this.due.push({ at, call }) };
    const probes = new Probes(
      { ipv4, ipv6 },
      {
        dataPath: path,
        timers: timers as unknown as Timers,
        now: () => this.now,
        tell: (event) => void this.events.push(event),
      },
    );
    path.takeProbe = (...datagram) => probes.take(...datagram);
    this.ends.push({ path, probes });
  }

  /** Frames take 500 ns; then the timers run. */
  run(): void {
    for (;;) {
      while (this.#wire.length > 0) {
        this.now += 500;
        for (const arrive of this.#wire.splice(0)) arrive();
      }
      const next = this.due.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) return;
      this.now = Math.max(this.now, next.at);
      next.call();
    }
  }
}

const request = (more: object = {}): ProbeRequest =>
  readRequest({
    op: "probe",
    id: 5,
    to: "10.0.0.2",
    port: 7,
    clientPort: 8,
    forward: [0, 1, 2],
    reverse: [0, 3],
    count: 2,
    ...more,
  }) as ProbeRequest;

describe("probes", () => {
  it.each(["10.0.0.2", "fd00::2"])("show which selectors work, for each direction separately: %s", (to) => {
    const selectors = fc.uniqueArray(fc.integer({ min: 0, max: 5 }));
    fc.assert(
      fc.property(selectors, selectors, (forward, reverse) => {
        const pair = new Pair();
        for (const selector of forward) pair.lost[0].add(selector);
        for (const selector of reverse) pair.lost[1].add(selector);
        pair.ends[0]!.probes.add(request({ to }));
        pair.run();
        const replies = [0, 3].filter((selector) => !reverse.includes(selector));
        const arrived = [0, 1, 2].filter((selector) => !forward.includes(selector));
        // Without any reply nothing is known to have arrived.
        const known = replies.length === 0 ? [] : arrived;
        expect(pair.events).toEqual([
          {
            event: "probed",
            id: 5,
            forward: [0, 1, 2].map((selector) => ({
              selector,
              sent: 2,
              received: known.includes(selector) ? 2 : 0,
            })),
            reverse: [0, 3].map((selector) => ({
              selector,
              sent: 2 * known.length,
              received: replies.includes(selector) ? 2 * known.length : 0,
            })),
            minRttNs: known.length === 0 ? null : 1000,
          },
        ]);
        expect(pair.kernel).toEqual([]);
      }),
    );
  });

  it("are refused twice under one id, for families without an address, and beyond a number", () => {
    const { probes } = new Pair().ends[0]!;
    probes.add(request());
    expect(() => probes.add(request())).toThrow("id: there are probes 5 already");
    const forward = Array.from({ length: 1001 }, (_, i) => i);
    expect(() => probes.add(request({ id: 6, count: 100, forward }))).toThrow("count: at most 100000 probes");
    for (let id = 6; id < 69; id++) probes.add(request({ id }));
    expect(() => probes.add(request({ id: 69 }))).toThrow("64 requests for probes are already in progress");
    const alone = new Probes({ ipv4: addressOf(Ip.IPV4, 1) }, new Pair().ends[0]!.probes.parts);
    expect(() => alone.add(request({ to: "fd00::2" }))).toThrow(
      /^to: this host has no address of the family/,
    );
  });

  it("reach the kernel when they are for another host", () => {
    const pair = new Pair();
    const packet = probePacket(flowKey(addressOf(Ip.IPV4, 1), Uint8Array.of(10, 0, 0, 9), 7, 8), {
      isReply: false,
      request: 1,
      index: 0,
      leftOn: 0,
      leftAt: 0,
      replies: [1],
    });
    const frame = Uint8Array.of(2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, ...packet);
    pair.ends[1]!.path.fromWire(0, frame);
    expect(pair.kernel).toEqual([packet]);
  });
});
