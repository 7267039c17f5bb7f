/** The host agent decides what the schemes decide, and writes the bytes that the simulator writes. */

import { describe, expect, it } from "vitest";
import {
  addWords,
  finishChecksum,
  foldSum,
  fromHex,
  Random,
  toBytes,
  toHex,
} from "../../../src/base/index.js";
import {
  type FlowKey,
  type HostPolicy,
  type PolicyDescription,
  SELECTOR_FIELDS,
  selectorHeaders,
  selectorOf,
} from "../../../src/hosts/index.js";
import { hostPolicyOf, schemeNamed } from "../../../src/schemes/index.js";

import {
  type Control,
  FAILOVERS,
  type FanOuts,
  layOut,
  missingBits,
  offsetSet,
  pecmpHosts,
  VERSION_BITS,
} from "../../../src/schemes/pecmp/index.js";
import { ReceiveWindow, Segment, SegmentBuilder } from "../../../src/sim/packet/index.js";
import { buildTopology, topologySchema } from "../../../src/topology/index.js";
import { askPython, pythonMissing } from "./python.js";

const missing = pythonMissing();

type Event =
  | ["on_timeout", number]
  | ["on_ack", number]
  | ["on_data", selector: number, echo: number, duplicate: boolean];

interface Case {
  hosts: HostPolicy & { readonly description: PolicyDescription };
  seed: number;
  flow: FlowKey;
  nics: number;
  events: Event[];
}

function randomFlow(random: Random): FlowKey {
  const address = () => (random.int(2) === 0 ? BigInt(random.uint32()) : BigInt(random.uint32()) << 90n);
  return {
    src: address(),
    dst: address(),
    protocol: 6,
    srcPort: random.int(65536),
    dstPort: random.int(65536),
  };
}

/** Events whose selectors and echoes are mostly ones that the other end could have seen. */
function randomEvents(random: Random, values: number): Event[] {
  const known = [0];
  const selector = () => {
    if (random.int(4) === 0) known.push(random.int(values));
    return random.pick(known.slice(-4));
  };
  return Array.from({ length: 40 }, (): Event => {
    const kind = random.int(3);
    if (kind === 0) return ["on_timeout", 1 + random.int(5)];
    if (kind === 1) return ["on_ack", random.int(8) === 0 ? -1 : selector()];
    return ["on_data", selector(), random.int(8) === 0 ? -1 : selector(), random.int(3) === 0];
  });
}

/** What the TypeScript policy does with the events of a case, as `drive.py` tells it. */
function answersOf({ hosts, seed, flow, nics, events }: Case): unknown[] {
  const chooser = hosts.open(flow, new Random(seed));
  const nic = () => hosts.nic(flow, chooser.selector, nics);
  const answers: unknown[] = [[null, chooser.selector, nic()]];
  for (const event of events) {
    let result: readonly number[] | null = null;
    if (event[0] === "on_timeout") result = chooser.onTimeout(event[1]);
    else if (event[0] === "on_ack") chooser.onAck({ selector: 0, echo: event[1] });
    else result = chooser.onData({ selector: event[1], echo: event[2] }, event[3]);
    answers.push([result, chooser.selector, nic()]);
  }
  return answers;
}

function question({ hosts, seed, flow, nics, events }: Case): object {
  const tuple = [flow.src, flow.dst, flow.protocol, flow.srcPort, flow.dstPort].map(String);
  return { op: "chooser", description: hosts.description, seed, flow: tuple, nics, events };
}

function expectSame(cases: Case[]): void {
  expect(askPython(cases.map(question))).toEqual(cases.map(answersOf));
}

describe.skipIf(missing !== undefined)(`the agent in Python${missing ? ` (${missing})` : ""}`, () => {
  it("draws the same numbers", () => {
    const random = new Random("seeds");
    const questions = Array.from({ length: 50 }, (_, i) => ({
      op: "draws",
      seed: i === 0 ? "text" : random.uint32(),
      forks: i < 2 ? [] : ["client", random.int(1000), "h1 → h2"].slice(0, i % 4),
      bounds: Array.from({ length: 20 }, () => 1 + random.int(2 ** (1 + random.int(32)) - 1)).concat(2 ** 32),
    }));
    const expected = questions.map(({ seed, forks, bounds }) => {
      const stream = forks.reduce((stream: Random, label) => stream.fork(label), new Random(seed));
      return bounds.map((bound) => stream.int(bound));
    });
    expect(askPython(questions)).toEqual(expected);
  });

  it("re-paths as P-ECMP under every control, failover and version bit", () => {
    const random = new Random("pecmp");
    const fabrics: FanOuts[] = [
      { tor: { least: 4, most: 4 }, leaf: { least: 8, most: 8 } },
      { nic: { least: 2, most: 2 }, tor: { least: 2, most: 4 }, spine: { least: 4, most: 4 } },
      { nic: { least: 2, most: 2 }, tor: { least: 3, most: 5 }, legs: { least: 2, most: 2 } },
    ];
    const cases: Case[] = [];
    for (const fanOuts of fabrics) {
      for (const control of ["offset", "hops", "both"] satisfies Control[]) {
        for (const versionBit of VERSION_BITS) {
          for (const rule of ["odd", "primes"] as const) {
            const largest = Math.max(...Object.values(fanOuts).map(({ most }) => most));
            const offsets = offsetSet(rule, largest);
            const layout = layOut(control, "dscp_flow_label", versionBit, fanOuts, offsets.bits);
            expect(missingBits(layout)).toBe(0);
            for (const failover of FAILOVERS) {
              cases.push({
                hosts: {
                  ...pecmpHosts(failover, layout, offsets),
                  description: { kind: "pecmp", failover, layout, offsets },
                },
                seed: random.uint32(),
                flow: randomFlow(random),
                nics: 1 + random.int(4),
                events: randomEvents(random, 2 ** layout.bits),
              });
            }
          }
        }
      }
    }
    expect(cases.length).toBe(3 * 3 * VERSION_BITS.length * 2 * FAILOVERS.length);
    expectSame(cases);
  });

  it("re-paths as PRR, and never where nothing re-paths", () => {
    const random = new Random("prr");
    const topology = buildTopology(topologySchema.parse({ kind: "leaf_spine", tors: 4, leaves: 2 }));
    const hostsOf = (name: string, parameters: object) => {
      const scheme = schemeNamed(name)!;
      const description = scheme.plan(topology, scheme.parameters.parse(parameters)).hosts;
      return { description, ...hostPolicyOf(description) };
    };
    const cases: Case[] = [];
    for (const field of SELECTOR_FIELDS) {
      const hosts = hostsOf("prr", { field });
      const events = randomEvents(random, 64);
      cases.push({ hosts, seed: random.uint32(), flow: randomFlow(random), nics: 2, events });
    }
    const hosts = hostsOf("ecmp", {});
    cases.push({ hosts, seed: 1, flow: randomFlow(random), nics: 3, events: randomEvents(random, 64) });
    expectSame(cases);
  });

  it("refuses a policy that it does not know, or that lacks something", () => {
    const ask = (description: object) => () =>
      askPython([{ op: "chooser", description, seed: 1, flow: [1, 2, 6, 3, 4], nics: 1, events: [] }]);
    expect(ask({ kind: "plb" })).toThrow(/unknown kind of policy 'plb'/);
    expect(ask({ kind: "pecmp", failover: "probe" })).toThrow(/not complete: 'layout'/);
    expect(ask({ kind: "pecmp", failover: "jump" })).toThrow(/unknown failover 'jump'/);
  });

  it("writes the headers that SegmentBuilder writes, and takes them off again", () => {
    const random = new Random("frames");
    const segment = new Segment();
    const cases = [];
    for (const field of SELECTOR_FIELDS) {
      for (const version of [4, 6] as const) {
        for (let i = 0; i < 25; i++) cases.push(frameCase(random, field, version));
      }
    }
    interface Answer {
      bare: string;
      selector: number;
      echo: number;
      frame: string;
    }
    const answers = askPython<Answer>(cases.map(({ ask }) => ask));
    for (const [i, answer] of answers.entries()) {
      const { ask, first, expected } = cases[i]!;
      expect(answer.frame).toBe(expected);
      expect(answer.echo).toBe(first.echo);
      // IPv4 has no flow label: there some fields carry less of a selector.
      expect(answer.selector).toBe(first.seen);
      expect(segment.read(fromHex(answer.frame)!)).toBe(true);
      const bare = fromHex(answer.bare)!;
      expect(segmentSum(bare, ask.version)).toBe(0xffff);
      expect(bare.length).toBe(first.bareLength);
    }
  });

  it("keeps damage visible: a wrong checksum stays wrong", () => {
    const { ask } = frameCase(new Random("damage"), "dscp", 4);
    const frame = fromHex(ask.frame)!;
    frame[14 + 20 + 8] = frame[14 + 20 + 8]! ^ 0x40;
    const [answer] = askPython<{ frame: string }>([{ ...ask, frame: toHex(frame) }]);
    expect(new Segment().read(fromHex(answer!.frame)!)).toBe(false);
  });

  it("marks a segment without room for the echo, checksums right", () => {
    for (const version of [4, 6] as const) {
      const packet = tcpPacket(version, new Uint8Array(0), new Uint8Array(0));
      const ask = { op: "mark_only", version, packet: toHex(packet), field: "dscp", selector: 41 };
      const [answer] = askPython<string>([ask]);
      const frame = fromHex(answer!)!;
      const dscp = version === 4 ? frame[15]! >> 2 : ((frame[14]! & 15) << 2) | (frame[15]! >> 6);
      expect(dscp).toBe(41);
      expect(segmentSum(frame.subarray(14), version)).toBe(0xffff);
    }
  });

  it("makes room for the echo where SACK blocks fill a header: the last one gives way", () => {
    const block = (n: number) => [...toBytes(BigInt(n) << 32n, 8)];
    const timestamps = [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8];
    const data = Uint8Array.of(1, 2, 3);
    const cases = {
      full: [...timestamps, 1, 1, 5, 26, ...block(1), ...block(2), ...block(3)],
      single: [...timestamps, 1, 1, 5, 10, ...block(1)],
      none: [...timestamps, ...timestamps, ...timestamps],
      broken: [254, 0, 0, 0],
    };
    for (const version of [4, 6] as const) {
      const asks = Object.values(cases).map((options) => {
        const packet = toHex(tcpPacket(version, Uint8Array.from(options), data));
        return { op: "rewrite", how: "make_room", version, packet };
      });
      const [full, single, none, broken] = askPython<string | null>(asks);
      const tcp = version === 4 ? 20 : 40;
      const shorter = fromHex(full!)!;
      expect(segmentSum(shorter, version)).toBe(0xffff);
      const options = [...timestamps, 1, 1, 5, 18, ...block(1), ...block(2)];
      expect([...shorter.subarray(tcp + 20)]).toEqual([...options, ...data]);
      expect(shorter[tcp + 12]! >> 4).toBe(5 + options.length / 4);
      // A SACK option cannot be empty.
      expect([...fromHex(single!)!.subarray(tcp + 20)]).toEqual([...timestamps, 1, 1, 1, 1, ...data]);
      expect([none, broken]).toEqual([null, null]);
    }
  });

  it("makes an acknowledgement of its own of one that came with data", () => {
    for (const version of [4, 6] as const) {
      const packet = tcpPacket(version, new Uint8Array(0), new Uint8Array(100));
      const [answer] = askPython<string>([
        { op: "rewrite", how: "pure_ack", version, packet: toHex(packet) },
      ]);
      const ack = fromHex(answer!)!;
      const tcp = version === 4 ? 20 : 40;
      expect(ack.length).toBe(tcp + 20);
      expect(segmentSum(ack, version)).toBe(0xffff);
      const sequence = (at: Uint8Array) => new DataView(at.buffer, at.byteOffset).getUint32(tcp + 4);
      expect(sequence(ack)).toBe(sequence(packet) + 100);
      expect(ack[tcp + 13]).toBe(0x10);
    }
  });

  it("knows which data are new, as ReceiveWindow does, over the end of sequence numbers", () => {
    const random = new Random("window");
    const rounds = Array.from({ length: 20 }, () => {
      const start = 2 ** 32 - random.int(300);
      const window = new ReceiveWindow();
      const segments = Array.from({ length: 60 }, () => [random.int(600), 1 + random.int(40)] as const);
      const expected = segments.map(([at, length]) => {
        const isNew = window.add(at, at + length);
        return [isNew, start + window.next];
      });
      const wire = segments.map(([at, length]) => [(start + at) % 2 ** 32, length]);
      return { question: { op: "window", start, segments: wire }, expected };
    });
    expect(askPython(rounds.map(({ question }) => question))).toEqual(rounds.map(({ expected }) => expected));
  });

  it("sums words of any length, and keys tell addresses and ports", () => {
    const random = new Random("sums");
    const data = Array.from({ length: 40 }, (_, i) => Uint8Array.from({ length: i }, () => random.int(256)));
    const [answer] = askPython<number[]>([{ op: "sums", data: data.map(toHex) }]);
    expect(answer).toEqual(data.map((bytes) => foldSum(addWords(bytes, 0, bytes.length, 0))));
    const key = { op: "keys", src: "0a000001", dst: "0a000002", srcPort: 4000, dstPort: 53 };
    expect(askPython([key])[0]).toEqual([`${0x0a000001}`, `${0x0a000002}`, "6", "4000", "53"]);
  });
});

function frameCase(random: Random, field: (typeof SELECTOR_FIELDS)[number], version: 4 | 6) {
  const address = () => (version === 4 ? BigInt(random.uint32()) : BigInt(random.uint32()) << 64n) + 1n;
  const codec = {
    headersOf: (selector: number) => selectorHeaders(field, selector),
    selectorOf: (headers: Parameters<typeof selectorOf>[1]) => selectorOf(field, headers),
  };
  const addresses = {
    ipVersion: version,
    srcMac: BigInt(random.uint32()),
    dstMac: BigInt(random.uint32()),
    src: address(),
    dst: address(),
    srcPort: random.int(65536),
    dstPort: random.int(65536),
  };
  const builder = new SegmentBuilder(addresses, codec);
  const bits = { dscp: 6, vlan: 12, flow_label: 20, dscp_flow_label: 26 }[field];
  const selectors = [random.int(2 ** bits), random.int(2 ** bits)] as const;
  const echoes = [random.uint32(), random.uint32()] as const;
  const [sequence, acknowledgement] = [random.uint32(), random.uint32()];
  const payload = random.int(1200);
  const flags = random.pick([0x10, 0x18, 0x02, 0x11]);
  const build = (i: 0 | 1) =>
    toHex(builder.build(sequence, acknowledgement, payload, flags, selectors[i], echoes[i]));
  const headers = selectorHeaders(field, selectors[0]);
  const seen = selectorOf(field, version === 4 ? { ...headers, flowLabel: 0 } : headers);
  const bareLength = (version === 4 ? 40 : 60) + payload;
  return {
    ask: { op: "frame", version, field, frame: build(0), selector: selectors[1], echo: echoes[1] },
    first: { echo: echoes[0], seen, bareLength },
    expected: build(1),
  };
}

/** Folded sum over an IP packet's TCP segment and its pseudo header: 0xffff when the checksum is right. */
function segmentSum(packet: Uint8Array, version: 4 | 6): number {
  const [from, tcp] = version === 4 ? [12, 20] : [8, 40];
  if (version === 4) expect(foldSum(addWords(packet, 0, 20, 0))).toBe(0xffff);
  return foldSum(addWords(packet, from, tcp, addWords(packet, tcp, packet.length, 6 + packet.length - tcp)));
}

function tcpPacket(version: 4 | 6, options: Uint8Array, data: Uint8Array): Uint8Array {
  const tcp = version === 4 ? 20 : 40;
  const header = 20 + options.length;
  const packet = new Uint8Array(tcp + header + data.length);
  const view = new DataView(packet.buffer);
  if (version === 4) {
    packet.set([0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6]);
    view.setUint16(2, packet.length);
    packet.set([10, 0, 0, 1, 10, 0, 0, 2], 12);
    view.setUint16(10, finishChecksum(addWords(packet, 0, 20, 0)));
  } else {
    packet[0] = 0x60;
    view.setUint16(4, packet.length - 40);
    packet.set([6, 64], 6);
    packet[8] = 0xfd;
    packet[24] = 0xfd;
    packet[39] = 1;
  }
  view.setUint16(tcp, 4000);
  view.setUint16(tcp + 2, 5201);
  view.setUint32(tcp + 4, 1_000_000);
  view.setUint32(tcp + 8, 77);
  packet[tcp + 12] = (header / 4) << 4;
  packet[tcp + 13] = 0x18;
  packet.set(options, tcp + 20);
  packet.set(data, tcp + header);
  const from = version === 4 ? 12 : 8;
  const sum = addWords(packet, from, tcp, addWords(packet, tcp, packet.length, 6 + packet.length - tcp));
  view.setUint16(tcp + 16, finishChecksum(sum));
  return packet;
}
