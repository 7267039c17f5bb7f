/** Packet trimming against a second model of one port, to the nanosecond, and what a cut frame is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ip, Segment, Trimming } from "../../src/base/packets/index.js";
import { Network, type Node, SwitchNode } from "../../src/fabric/sim/packet/index.js";
import { compiled } from "../fabric/sim/packet/pfc/rig.js";
import { type ArrivingPacket, type TrimmingPort, trimmingPort } from "../models/trimming.js";

const CODE = { trimmable: Trimming.DSCP.trimmable, data: 0, header: Trimming.DSCP.control } as const;

/** An IPv4 packet whose first byte names the output port, and the others of the hops its number. */
function frameOf(number: number, { bytes, kind }: ArrivingPacket): Uint8Array {
  const frame = new Uint8Array(bytes);
  frame.set([2, 0, 0, 0, number >>> 8, number]);
  frame.set([0x08, 0x00], 12);
  Ip.emit(frame, 14, Ip.IPV4, {
    ...{ dscp: CODE[kind], ecn: 1, flowLabel: 0, hopLimit: 9, protocol: 200 },
    ...{ source: 1n, destination: 2n, payloadLength: bytes - 34 },
  });
  return frame;
}

async function simulated(port: TrimmingPort, arrivals: readonly ArrivingPacket[]) {
  const network = new Network();
  const { simulation } = network;
  const node = new SwitchNode(simulation, {
    ...{ name: "s", seed: 1, queuePackets: port.packets, queueBytes: port.bytes },
    trimming: {
      queueBytes: port.headerBytes,
      length: port.length,
      perPacket: port.perPacket,
      answersFirst: true,
    },
  });
  await node.device.load(compiled());
  const left: { packet: number; time: number; bytes: number }[] = [];
  const cut: boolean[] = [];
  const sink: Node = {
    name: "sink",
    attach: () => {},
    receive: (_port, frame) => {
      const packet = (frame[4]! << 8) | frame[5]!;
      left.push({ packet, time: simulation.now, bytes: frame.length });
      cut[packet] = Trimming.dscpOf(frame) === Trimming.DSCP.trimmed;
      // The header is whole again, and the mark of congestion stays.
      expect(Ip.endOf(frame, 14, Ip.IPV4)).toBe(frame.length);
      expect(frame[15]! & 3).toBe(1);
    },
  };
  const free = { queueBytes: Number.POSITIVE_INFINITY, queuePackets: Number.POSITIVE_INFINITY };
  const link = { rate: 8e9 / port.nsByte, delay: 0, ...free };
  network.connect({ node, port: 2 }, { node: sink, port: 1 }, { aToB: link, bToA: link });
  for (const [number, arrival] of arrivals.entries())
    simulation.at(arrival.time, () => node.receive(1, frameOf(number, arrival)));
  simulation.run();
  expect(node.device.waiting).toBe(0);
  const { trimmed, lost, refused, most } = node.trimmer!.countsOf(2);
  const { queue } = node.device.stats.drops;
  return { result: { left, trimmed, lost, refused, dropped: queue - lost - refused, most }, cut };
}

const anyPort = fc
  .record({
    nsByte: fc.constantFrom(1, 2, 4),
    packets: fc.integer({ min: 1, max: 6 }),
    room: fc.integer({ min: 1, max: 6 }),
    headerRoom: fc.integer({ min: 1, max: 8 }),
    length: fc.integer({ min: 40, max: 200 }),
    perPacket: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  })
  .map(({ room, headerRoom, ...rest }) => ({
    ...rest,
    bytes: room * 700,
    headerBytes: headerRoom * rest.length,
  }));

const anyArrivals = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1500 })),
      bytes: fc.integer({ min: 60, max: 1400 }),
      kind: fc.constantFrom("trimmable", "trimmable", "data", "header"),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) => {
    let time = 0;
    return list.map(({ gap, bytes, kind }): ArrivingPacket => {
      time += gap;
      // Headers are short.
      return {
        time,
        kind: kind as ArrivingPacket["kind"],
        bytes: kind === "header" ? 60 + (bytes % 100) : bytes,
      };
    });
  });

describe("a port that trims", () => {
  it("sends, cuts and drops as the second model, at the same nanoseconds", async () => {
    await fc.assert(
      fc.asyncProperty(anyPort, anyArrivals, async (port, arrivals) => {
        const { result } = await simulated(port, arrivals);
        expect(result).toEqual(trimmingPort(port, arrivals));
      }),
      { numRuns: 300 },
    );
  });

  it("says of what it has cut, and of nothing else, that it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(anyPort, anyArrivals, async (port, arrivals) => {
        const { result, cut } = await simulated(port, arrivals);
        expect(cut.filter(Boolean).length).toBe(result.trimmed - result.lost);
        for (const { packet, bytes } of result.left)
          expect(bytes).toBe(
            cut[packet] ? Math.min(port.length, arrivals[packet]!.bytes) : arrivals[packet]!.bytes,
          );
      }),
    );
  });

  it("loses nothing where the queue for headers has room for all that wait", async () => {
    await fc.assert(
      fc.asyncProperty(anyPort, anyArrivals, async (port, arrivals) => {
        const { result } = await simulated({ ...port, headerBytes: 1e6 }, arrivals);
        expect([result.lost, result.refused]).toEqual([0, 0]);
      }),
    );
  });
});

describe("a cut frame", () => {
  it("is a whole datagram for its receiver, in both IP versions", () => {
    for (const version of [4, 6] as const) {
      const family = version === 4 ? Ip.IPV4 : Ip.IPV6;
      const udp = 14 + family.length;
      const frame = new Uint8Array(udp + 8 + 24 + 1000);
      frame.set(version === 4 ? [0x08, 0x00] : [0x86, 0xdd], 12);
      Ip.emit(frame, 14, family, {
        ...{
          dscp: Trimming.DSCP.trimmable,
          ecn: 3,
          flowLabel: version === 4 ? 0 : 77,
          hopLimit: 5,
          protocol: 17,
        },
        ...{ source: 3n, destination: 4n, payloadLength: frame.length - udp },
      });
      frame.set([0x12, 0x34, 0x56, 0x78], udp);
      frame.fill(9, udp + 8, udp + 32);
      const cut = frame.slice(0, udp + 32);
      Trimming.markTrimmed(cut);
      const segment = new Segment();
      expect(segment.read(cut)).toBe(true);
      const { srcPort, dstPort, payloadLength, marked, headers } = segment;
      expect({ srcPort, dstPort, payloadLength, marked }).toEqual({
        ...{ srcPort: 0x1234, dstPort: 0x5678, payloadLength: 24, marked: true },
      });
      expect([headers.dscp, headers.flowLabel]).toEqual([Trimming.DSCP.trimmed, version === 4 ? 0 : 77]);
    }
  });
});
