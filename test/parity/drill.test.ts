/**
 * DRILL's programs on BMv2. Where each component has one next hop, the choice is that of a hash: the same frames by the same ports as our switch. Where
 * a packet may take several ports, draws differ: the frames are the same but for the addresses of the link, and each is one of what our switch may send.
 */
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/index.js";
import { nodeNamed } from "../../src/fabric/topology/index.js";
import { fabric, segment, start } from "../fabric/schemes/drill/bench.js";
import { passedOn } from "../fabric/schemes/packet-script.js";
import { build } from "../fabric/topology/load.js";
import { BMV2, NO_BMV2, playOnBmv2 } from "./bmv2.js";

/** Both leaves have links of their own rates: two components of one path each. */
const uneven = build({
  kind: "graph",
  nodes: [
    ...["tor0", "tor1"].map((name) => ({ name, role: "tor" as const })),
    ...["leaf0", "leaf1"].map((name) => ({ name, role: "leaf" as const })),
    ...["a", "b", "c", "d"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    { a: "a", b: "tor0" },
    { a: "b", b: "tor0" },
    { a: "c", b: "tor1" },
    { a: "d", b: "tor1" },
    ...["tor0", "tor1"].flatMap((tor) => [
      { a: tor, b: "leaf0", rate: "1Gbps" },
      { a: tor, b: "leaf1", rate: "3Gbps" },
    ]),
  ],
});

describe.skipIf(BMV2 === undefined)(
  `DRILL's programs on BMv2${BMV2 === undefined ? `: ${NO_BMV2}` : ""}`,
  () => {
    it("flows take components as on our switch, with the same bytes", async () => {
      const ours = start("tor0", {}, uneven);
      const packets = Array.from({ length: 40 }, (_, i) => ({
        port: 1,
        frame: segment("a", i % 8 === 7 ? "b" : "c", 1000 + i, uneven),
      }));
      for (const { port, frame } of packets) ours.device.receive(port, frame);
      expect(new Set(ours.sent.map(({ port }) => port)).size).toBe(3);
      const { program, own, sent: expected } = ours;
      const { sent } = await playOnBmv2({
        program,
        updates: own.updates,
        packets,
        ports: 6,
        expected: expected.length,
      });
      const byPort = (frames: readonly { port: number; frame: Uint8Array }[]) =>
        Array.from({ length: 6 }, (_, port) =>
          frames.filter((one) => one.port === port).map(({ frame }) => toHex(frame)),
        );
      expect(byPort(sent)).toEqual(byPort(expected));
    }, 120_000);

    it("packets take each of several ports, and are what that port's link gets", async () => {
      const { program, own } = start("tor0-0");
      const node = nodeNamed(fabric, "tor0-0")!;
      const frame = segment("host0-0-0", "host0-1-0");
      const packets = Array.from({ length: 60 }, () => ({ port: 1, frame }));
      const { sent } = await playOnBmv2({
        program,
        updates: own.updates,
        packets,
        ports: 8,
        expected: packets.length,
      });
      expect(sent).toHaveLength(packets.length);
      for (const { port, frame: out } of sent)
        expect(toHex(out)).toBe(toHex(passedOn(fabric, node, port, frame, "ipv4")));
      expect(new Set(sent.map(({ port }) => port))).toEqual(new Set([3, 4, 5, 6]));
    }, 120_000);
  },
);
