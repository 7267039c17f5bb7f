/** Packets through two data paths that a wire joins: marks, echoes, copies, and what stays or is rejected. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random, toHex } from "../../../src/base/index.js";
import {
  FLAG_ACK,
  FLAG_FIN,
  FLAG_SYN,
  get32,
  Ip,
  SELECTOR_FIELDS,
  type SelectorField,
} from "../../../src/base/packets/index.js";
import { DataPath } from "../../../src/fabric/host-agent/data-path.js";
import { Flows } from "../../../src/fabric/host-agent/flows.js";
import type { FlowWatcher } from "../../../src/fabric/host-agent/tcp-flow.js";
import {
  type HostPolicy,
  type PathChooser,
  restingHost,
  type SegmentMarks,
} from "../../../src/fabric/hosts/index.js";
import { hostPolicyOf } from "../../../src/fabric/schemes/index.js";
import { addressOf, FAMILIES, segmentSum, tcpPacket } from "./packets.js";

const MACS = [Uint8Array.of(2, 0, 0, 0, 0, 1), Uint8Array.of(2, 0, 0, 0, 0, 2)] as const;
const QUIET = 5e6;

/** One host, with what left it: the NIC and the frame, and the packets that its kernel got. */
class Host {
  readonly frames: { nic: number; frame: Uint8Array }[] = [];
  readonly packets: Uint8Array[] = [];
  readonly flows: Flows;
  readonly path: DataPath;
  now = 0;

  constructor(end: 1 | 2, policy: HostPolicy, { field = "dscp" as SelectorField, nics = 1 } = {}) {
    const nic = { name: "eth0", mac: MACS[end - 1]!, gateway: MACS[2 - end]! };
    const addresses = FAMILIES.map((family) => addressOf(family, end));
    const host = { addresses, nics: Array.from({ length: nics }, () => nic), field, policy };
    this.flows = new Flows(host, new Random(end), 2 * QUIET);
    const devices = {
      toWire: (nic: number, frame: Uint8Array) => void this.frames.push({ nic, frame: frame.slice() }),
      toKernel: (packet: Uint8Array) => this.packets.push(packet.slice()) > 0,
      now: () => this.now,
    };
    this.path = new DataPath(this.flows, devices, QUIET);
  }

  /** Its kernel sends a packet; returns the frames that leave. */
  send(packet: Uint8Array): Uint8Array[] {
    const bytes = new Uint8Array(64 + packet.length);
    bytes.set(packet, 64);
    this.path.fromKernel(bytes, 64, bytes.length);
    return this.frames.splice(0).map(({ frame }) => frame);
  }

  /** A frame comes in; returns what its kernel gets. */
  receive(frame: Uint8Array): Uint8Array | undefined {
    this.path.fromWire(0, frame.slice());
    return this.packets.pop();
  }
}

const fixed = (selector: number): HostPolicy => hostPolicyOf({ kind: "fixed", selector }, restingHost());

/** Gives set answers, and records the calls that it gets. */
class Told implements PathChooser {
  selector = 1;
  answers: readonly number[] = [1];
  readonly heard: unknown[] = [];
  onTimeout(attempt: number): readonly number[] {
    this.heard.push(["timeout", attempt]);
    return [1, 2];
  }
  onAck({ selector, echo }: SegmentMarks): void {
    this.heard.push(["ack", selector, echo]);
  }
  onData({ selector, echo }: SegmentMarks, duplicate: boolean): readonly number[] {
    this.heard.push(["data", selector, echo, duplicate]);
    return this.answers;
  }
}

function told(): [Told, HostPolicy] {
  const chooser = new Told();
  return [chooser, { open: () => chooser, nic: (_flow, selector, nics) => selector % nics }];
}

/** The DSCP and the echo of a frame without a tag. */
function marksOf(frame: Uint8Array, family: Ip.Family): [selector: number, echo: number] {
  const dscp = family === Ip.IPV4 ? frame[15]! >> 2 : ((frame[14]! & 15) << 2) | (frame[15]! >> 6);
  return [dscp, get32(frame, 14 + family.length + 24)];
}

describe("two data paths", () => {
  it("carry every segment unharmed, whatever its options and data", () => {
    const options = fc.constantFrom<number[]>([], [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2], [2, 4, 5, 120]);
    const fields = fc.constantFrom<SelectorField>(...SELECTOR_FIELDS);
    const parts = fc.record({
      family: fc.constantFrom(...FAMILIES),
      options,
      data: fc.uint8Array({ maxLength: 1300 }),
      flags: fc.constantFrom(FLAG_ACK, FLAG_SYN, FLAG_SYN | FLAG_ACK, FLAG_ACK | 8, FLAG_ACK | FLAG_FIN),
      sequence: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    });
    fc.assert(
      fc.property(
        fields,
        fc.integer({ min: 0, max: 63 }),
        parts,
        (field, selector, { family, options, ...rest }) => {
          const left = new Host(1, fixed(selector), { field });
          const right = new Host(2, fixed(0), { field });
          const packet = tcpPacket(family, { ...rest, options: Uint8Array.from(options) });
          const [frame, ...more] = left.send(packet);
          expect(more).toEqual([]);
          // Each switch takes one off the TTL: the selector above stays.
          if (field === "ttl")
            expect(frame![14 + (family === Ip.IPV4 ? 8 : 7)]).toBe((selector % 8) * 32 + 31);
          const arrived = right.receive(frame!)!;
          expect(segmentSum(arrived, family)).toBe(0xffff);
          // The kernel sees its own TCP segment; the mark stays in the IP header.
          expect(toHex(arrived.subarray(family.length))).toBe(toHex(packet.subarray(family.length)));
        },
      ),
    );
  });

  it.each(FAMILIES)("echo the selector of the last segment, IPv$version", (family) => {
    const left = new Host(1, fixed(5));
    const right = new Host(2, fixed(9));
    const [syn] = left.send(tcpPacket(family, { flags: FLAG_SYN, sequence: 7 }));
    expect(marksOf(syn!, family)).toEqual([5, 0]);
    right.receive(syn!);
    const answer = {
      src: 2,
      ports: [5201, 4000],
      flags: FLAG_SYN | FLAG_ACK,
      acknowledgement: 8,
      sequence: 99,
    } as const;
    const [synAck] = right.send(tcpPacket(family, answer));
    expect(marksOf(synAck!, family)).toEqual([9, 5]);
    left.receive(synAck!);
    const [ack] = left.send(tcpPacket(family, { flags: FLAG_ACK, sequence: 8, acknowledgement: 100 }));
    expect(marksOf(ack!, family)).toEqual([5, 9]);
  });

  it("send a retransmission after silence once on each selector, by the NIC of each", () => {
    const [chooser, policy] = told();
    const left = new Host(1, policy, { nics: 2 });
    const events: unknown[] = [];
    const watcher: FlowWatcher = {
      timedOut: (flow, selectors) => events.push(["timeout", flow.attempts, flow.triedAt, selectors]),
      recovered: (_flow, attempts) => events.push(["recovered", attempts]),
      progressed: () => events.push(["progressed"]),
      inLossState: () => true,
    };
    const data = new Uint8Array(100);
    const packet = tcpPacket(Ip.IPV4, { data, sequence: 1000 });
    left.flows.watch(packet.slice(12, 24), watcher);
    expect(left.send(packet).map((frame) => marksOf(frame, Ip.IPV4)[0])).toEqual([1]);
    left.now = 2 * QUIET;
    const bytes = new Uint8Array(64 + packet.length);
    bytes.set(packet, 64);
    left.path.fromKernel(bytes, 64, bytes.length);
    const copies = left.frames.splice(0);
    expect(copies.map(({ nic, frame }) => [nic, marksOf(frame, Ip.IPV4)[0]])).toEqual([
      [1, 1],
      [0, 2],
    ]);
    for (const { frame } of copies) expect(segmentSum(frame.subarray(14), Ip.IPV4)).toBe(0xffff);
    expect(left.path.counts.copies).toBe(1);
    const right = new Host(2, fixed(3));
    right.receive(copies[1]!.frame);
    const answer = { src: 2, ports: [5201, 4000], acknowledgement: 1100, sequence: 50 } as const;
    left.receive(right.send(tcpPacket(Ip.IPV4, answer))[0]!);
    expect(events).toEqual([["timeout", 1, 2 * QUIET, [1, 2]], ["recovered", 1], ["progressed"]]);
    expect(chooser.heard).toEqual([
      ["timeout", 1],
      ["ack", 3, 2],
    ]);
  });

  it("give the policy the size of a flow of their own, as P4TE's classes need", () => {
    const classes = [{ dscp: 2, upTo: 1000 }, { dscp: 4 }];
    const dscpOf = (bytes: number | undefined) => {
      const host = new Host(1, hostPolicyOf({ kind: "p4te", classes }, restingHost()));
      const packet = tcpPacket(Ip.IPV4, { flags: FLAG_SYN });
      const nothing = () => {};
      if (bytes !== undefined)
        host.flows.watch(packet.slice(12, 24), {
          bytes,
          timedOut: nothing,
          recovered: nothing,
          progressed: nothing,
          inLossState: () => false,
        });
      return host.send(packet)[0]![15]! >> 2;
    };
    expect([undefined, 1000, 1001].map(dscpOf)).toEqual([0, 2, 4]);
  });

  it("send an acknowledgement once on each selector, apart from data that it comes with", () => {
    const [chooser, policy] = told();
    const left = new Host(1, fixed(7));
    const right = new Host(2, policy);
    chooser.answers = [1, 4];
    const data = new Uint8Array(10);
    const [frame] = left.send(tcpPacket(Ip.IPV4, { data, sequence: 1000 }));
    right.receive(frame!);
    const answer = { src: 2, ports: [5201, 4000], acknowledgement: 1010, sequence: 50 } as const;
    const selectors = (frames: Uint8Array[]) =>
      frames.map((frame) => [marksOf(frame, Ip.IPV4)[0], frame.length]);
    const bare = 14 + 20 + 28;
    expect(selectors(right.send(tcpPacket(Ip.IPV4, answer)))).toEqual([
      [1, bare],
      [4, bare],
    ]);
    // Asked for once: the next one is an ordinary one.
    expect(selectors(right.send(tcpPacket(Ip.IPV4, answer)))).toEqual([[1, bare]]);
    right.receive(frame!);
    expect(chooser.heard.at(-1)).toEqual(["data", 7, 0, true]);
    const both = right.send(tcpPacket(Ip.IPV4, { ...answer, data }));
    expect(selectors(both)).toEqual([
      [4, bare],
      [1, bare + data.length],
    ]);
    expect(get32(both[0]!, 14 + 20 + 4)).toBe(60);
  });

  it("mark a segment whose options fill the header, without an echo", () => {
    const left = new Host(1, fixed(41));
    const timestamps = [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8];
    const options = Uint8Array.from([...timestamps, ...timestamps, ...timestamps]);
    for (const family of FAMILIES) {
      const packet = tcpPacket(family, { options });
      const [frame] = left.send(packet);
      expect(frame!.length).toBe(14 + packet.length);
      expect(marksOf(frame!, family)[0]).toBe(41);
      expect(segmentSum(frame!.subarray(14), family)).toBe(0xffff);
      expect(new Host(2, fixed(0)).receive(frame!)).toEqual(frame!.subarray(14));
    }
  });

  it("start a flow afresh when its ports are used again, with other random numbers", () => {
    const left = new Host(1, hostPolicyOf({ kind: "prr", values: 64 }, restingHost()));
    const drawn = (first: number): number[] => {
      left.send(tcpPacket(Ip.IPV4, { flags: FLAG_SYN, sequence: first }));
      return Array.from({ length: 8 }, () => {
        left.now += 2 * QUIET;
        return marksOf(left.send(tcpPacket(Ip.IPV4, { flags: FLAG_SYN, sequence: first }))[0]!, Ip.IPV4)[0];
      });
    };
    const before = drawn(1);
    expect(drawn(2)).not.toEqual(before);
    expect(left.flows.count).toBe(1);
  });

  it("forget the flow that was opened first when there are too many", () => {
    const left = new Host(1, fixed(0));
    const key = (port: number) => tcpPacket(Ip.IPV4, { ports: [port, 80] }).slice(12, 24);
    for (let port = 1; port <= 16_385; port++) left.send(tcpPacket(Ip.IPV4, { ports: [port, 80] }));
    expect(left.flows.count).toBe(16_384);
    expect(left.flows.sending(key(1), 0, 12)).toBeUndefined();
    expect(left.flows.sending(key(2), 0, 12)).toBeDefined();
  });

  it("forget closed flows after ten seconds", () => {
    const left = new Host(1, fixed(0));
    const close = (port: number): void => {
      left.send(tcpPacket(Ip.IPV4, { ports: [port, 80], flags: FLAG_FIN | FLAG_ACK }));
      const [frame] = new Host(2, fixed(0)).send(
        tcpPacket(Ip.IPV4, { src: 2, ports: [80, port], flags: FLAG_FIN | FLAG_ACK }),
      );
      left.receive(frame!);
    };
    close(1);
    left.now = 10e9;
    close(2);
    expect(left.flows.count).toBe(2);
    left.now = 10e9 + 1;
    close(3);
    expect(left.flows.count).toBe(2);
  });
});

describe("a data path", () => {
  it("passes other packets with the marks that they have, and keeps multicast", () => {
    const left = new Host(1, fixed(3));
    const udp = tcpPacket(Ip.IPV4);
    udp[9] = 17;
    udp[1] = 10 << 2;
    const [frame] = left.send(udp);
    expect(toHex(frame!.subarray(14))).toBe(toHex(udp));
    expect(new Host(2, fixed(3)).receive(frame!)).toEqual(udp);
    udp[16] = 224;
    expect(left.send(udp)).toEqual([]);
    const toLink = tcpPacket(Ip.IPV6);
    toLink[6] = 58;
    toLink[24] = 0xff;
    expect(left.send(toLink)).toEqual([]);
    expect(left.path.counts).toMatchObject({ fromKernel: 3, kept: 2 });
  });

  it("rejects frames for others, of other protocols, and shorter than they say", () => {
    const frame = new Host(1, fixed(3)).send(tcpPacket(Ip.IPV4, { data: new Uint8Array(50) }))[0]!;
    const broken: ((frame: Uint8Array) => Uint8Array)[] = [
      (frame) => frame.fill(9, 0, 6),
      (frame) => frame.fill(8, 12, 14),
      (frame) => frame.subarray(0, 30),
      (frame) => frame.subarray(0, frame.length - 1),
      // A data offset beyond the end.
      (frame) =>
        frame
          .fill(0xff, 14 + 20 + 12, 14 + 20 + 13)
          .fill(0, 16, 17)
          .fill(45, 17, 18),
    ];
    for (const [i, damage] of broken.entries()) {
      const right = new Host(2, fixed(3));
      expect(right.receive(damage(frame.slice())), `${i}`).toBeUndefined();
      expect(right.path.counts, `${i}`).toMatchObject({ toKernel: 0, rejected: 1 });
    }
  });

  it("opens no flow for what is not for this host, or is a reset", () => {
    const frame = new Host(1, fixed(3)).send(tcpPacket(Ip.IPV4))[0]!;
    const right = new Host(2, fixed(3));
    const other = frame.slice();
    other[14 + 19] = 77;
    right.receive(other);
    const reset = frame.slice();
    reset[14 + 20 + 13] = 4;
    right.receive(reset);
    expect(right.flows.count).toBe(0);
    expect(right.path.counts.toKernel).toBe(2);
    right.receive(frame);
    expect(right.flows.count).toBe(1);
  });
});
