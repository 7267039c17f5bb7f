/**
 * CONGA's programs on BMv2: what a ToR and a switch above it send, in the order of the packets, is what our switch sends. All packets come by one
 * port, the only order that BMv2 keeps. Times are so long that the real clock changes nothing.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../src/base/index.js";
import { renderProgram } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { segment, start, wrapped } from "../fabric/schemes/conga/bench.js";
import { build } from "../fabric/topology/load.js";
import { templates } from "../toolchain/generate/load.js";
import { BMV2, NO_BMV2, type PortFrame, playOnBmv2 } from "./bmv2.js";

const SHAPE = { kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 } as const;
/** A ToR's own links stay idle in comparison: egress runs beside ingress, which looks at their use. */
const wide = build({ ...SHAPE, fabric_link: { rate: "1Gbps" } });
/** Eighteen packets in tau fill a link. */
const narrow = build({ ...SHAPE, fabric_link: { rate: "1Gbps", rate_pps: 1 } });
const PARAMETERS = { tau: "18s", alpha: 0.5, ageing: "1000s", flowlet_gap: "1000s" };
const PORTS = 8;

const frame = (from: string, to: string, srcPort = 1000) => segment(from, to, srcPort, 0, wide);

/** Reports of rack 1 on the uplinks, flows there, reports of rack 2, flows there and to a host of the own rack. */
function throughTor(): PortFrame[] {
  const told = (rack: number, metrics: readonly number[]) =>
    metrics.map((feedback, feedbackTag) =>
      wrapped(frame(`host0-${rack}-0`, "host0-0-0"), {
        ...{ rack, tag: (feedbackTag + rack) % 4, congestion: (feedback + 3) % 8, feedbackTag, feedback },
      }),
    );
  const flows = (to: string) => [0, 1, 2, 3, 4, 5].map((i) => frame("host0-0-0", to, 1000 + i));
  const sent = [
    ...told(1, [7, 5, 6, 7]),
    ...flows("host0-1-1"),
    ...told(2, [7, 7, 7, 6]),
    ...flows("host0-2-0"),
    // A flowlet stays, although its uplink has become the worst.
    ...told(1, [0, 7, 1, 1]),
    ...flows("host0-1-1"),
    frame("host0-0-0", "host0-1-1", 2000),
    frame("host0-1-0", "host0-0-1"),
  ];
  return sent.map((one) => ({ port: 3, frame: one }));
}

/** Packets that fill a link, with and without the overlay. */
const throughLeaf = (): PortFrame[] =>
  Array.from({ length: 24 }, (_, i) => ({
    port: 1,
    frame:
      i % 5 === 4
        ? frame("host0-0-0", "host0-1-0")
        : wrapped(frame("host0-0-0", "host0-1-0"), { congestion: i % 4 }),
  }));

describe.skipIf(BMV2 === undefined)(
  `CONGA's programs on BMv2${BMV2 === undefined ? `: ${NO_BMV2}` : ""}`,
  () => {
    it.each([
      ["tor0-0", wide, throughTor],
      ["leaf0-0", narrow, throughLeaf],
    ] as const)(
      "%s",
      async (name, topology, packetsOf) => {
        const ours = start(name, PARAMETERS, topology);
        const packets = packetsOf();
        const expected = packets.flatMap(({ port, frame: one }) => {
          ours.wait(1000);
          return ours.play(port, one) ?? [];
        });
        expect(expected).toHaveLength(packets.length);
        const diagnostics = new Diagnostics();
        const text = renderProgram(
          templates,
          ours.plan.programs.find((program) => program.name === ours.own.program)!,
        );
        const { program } = compile({ file: new SourceFile("conga.p4", text) }, diagnostics)!;
        const { sent } = await playOnBmv2({
          program,
          updates: ours.own.updates,
          packets,
          ports: PORTS,
          expected: expected.length,
        });
        // Frames that leave by different ports race.
        const byPort = (frames: readonly PortFrame[]) =>
          Array.from({ length: PORTS }, (_, port) =>
            frames.filter((one) => one.port === port).map((one) => toHex(one.frame)),
          );
        expect(byPort(sent)).toEqual(byPort(expected));
      },
      120_000,
    );
  },
);
