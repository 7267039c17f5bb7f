/** Presto's switches on BMv2: each label leads by the same port as on our switch, with the same bytes; label 0 by the hash. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../src/base/index.js";
import { schemeNamed } from "../../src/fabric/schemes/index.js";
import { nodeNamed } from "../../src/fabric/topology/index.js";
import { renderProgram } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { frameOf } from "../fabric/schemes/frames.js";
import { build } from "../fabric/topology/load.js";
import { templates } from "../toolchain/generate/load.js";
import { ManualClock } from "../toolchain/switch/golden.js";
import { BMV2, NO_BMV2, type PortFrame, playOnBmv2 } from "./bmv2.js";

const fabric = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });
const PORTS = 8;

describe.skipIf(BMV2 === undefined)(
  `Presto's programs on BMv2${BMV2 === undefined ? `: ${NO_BMV2}` : ""}`,
  () => {
    it.each(["tor0-0", "leaf0-0"])(
      "%s",
      async (name) => {
        const scheme = schemeNamed("presto")!;
        const plan = scheme.plan(fabric, scheme.parameters.parse({}));
        const node = nodeNamed(fabric, name)!;
        const own = plan.switches.find((one) => one.node === node.index)!;
        const text = renderProgram(templates, plan.programs.find((one) => one.name === own.program)!);
        const diagnostics = new Diagnostics();
        const { program } = compile({ file: new SourceFile("presto.p4", text) }, diagnostics)!;
        const host = (of: string) => nodeNamed(fabric, of)!.host!.ipv4;
        const packets: PortFrame[] = ["host0-1-0", "host0-2-1", "host0-0-1"].flatMap((to) =>
          [0, 1, 2, 3, 4].flatMap((selector) =>
            [1000, 1001, 1002].map((srcPort) => {
              const flow = { src: host("host0-0-0"), dst: host(to), protocol: 6, srcPort, dstPort: 80 };
              return { port: 1, frame: frameOf({ family: "ipv4", flow, field: "dscp", selector }) };
            }),
          ),
        );
        const expected: PortFrame[] = [];
        const device = new Switch(program, {
          ...{ name, clock: new ManualClock(), seed: 1 },
          transmit: (port, frame) => expected.push({ port, frame: Uint8Array.from(frame) }),
        });
        device.apply(own.updates);
        for (const { port, frame } of packets) device.receive(port, frame);
        if (name === "tor0-0") expect(new Set(expected.map(({ port }) => port)).size).toBe(5);
        const { sent } = await playOnBmv2({
          program,
          updates: own.updates,
          packets,
          ports: PORTS,
          expected: expected.length,
        });
        const byPort = (frames: readonly PortFrame[]) =>
          Array.from({ length: PORTS }, (_, port) =>
            frames.filter((one) => one.port === port).map(({ frame }) => toHex(frame)),
          );
        expect(byPort(sent)).toEqual(byPort(expected));
      },
      120_000,
    );
  },
);
