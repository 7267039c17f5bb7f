/** The fault table: off by default, and what its entries do to packets in the embedded switch. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { SCHEMES, schemeNamed } from "../../../src/fabric/schemes/index.js";
import { nodeNamed } from "../../../src/fabric/topology/index.js";
import type { Match, Update } from "../../../src/toolchain/device/index.js";
import { renderProgram, withFaultTables } from "../../../src/toolchain/generate/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { frameOf } from "../../fabric/schemes/frames.js";
import { example } from "../../fabric/topology/load.js";
import { templates } from "./load.js";

const topology = example("clos");

function lose(...match: Match[]): Update["entity"] {
  const action = { kind: "action", action: "FabricEgress.lose", params: {} } as const;
  return { kind: "tableEntry", table: "FabricEgress.faults", match, priority: 1, action };
}
const port = (which: "ingress" | "egress", value: number): Match => ({
  kind: "ternary",
  field: `standard_metadata.${which}_port`,
  value: BigInt(value),
  mask: 0x1ffn,
});

describe.each(Object.keys(SCHEMES))("the fault table of %s", (name) => {
  const scheme = schemeNamed(name)!;
  const plan = scheme.plan(topology, scheme.parameters.parse({}));

  it.each(plan.programs)("is no part of $name unless asked for", (program) => {
    expect(renderProgram(templates, program)).not.toContain("faults");
    const text = renderProgram(templates, withFaultTables(program));
    const added = text.split("\n").filter((line) => !renderProgram(templates, program).includes(line.trim()));
    expect(added.join("\n")).toContain("table faults");
    expect(added.every((line) => line.startsWith("  "))).toBe(true);
  });

  it("loses what came by a port, what would leave by one, or everything, and nothing else", async () => {
    const tor = nodeNamed(topology, "tor0-0")!;
    const planned = plan.switches.find(({ node }) => node === tor.index)!;
    const program = withFaultTables(plan.programs.find((one) => one.name === "tor")!);
    const diagnostics = new Diagnostics();
    const file = new SourceFile("tor.p4", renderProgram(templates, program));
    const compiled = compile({ file }, diagnostics);
    diagnostics.throwIfErrors();
    const sent: number[] = [];
    const device = new Switch(undefined, {
      clock: { now: () => 0, at: () => () => {} },
      seed: 1,
      transmit: (out) => sent.push(out),
    });
    await device.load(compiled!.program);
    await device.write(planned.updates);

    const [from, to] = ["host1-0-0", "host0-0-1"].map((host) => nodeNamed(topology, host)!.host!.ipv4);
    const flow = { src: from!, dst: to!, protocol: 6, srcPort: 1, dstPort: 2 };
    const frame = frameOf({ family: "ipv4", flow, field: "dscp", selector: 0, dstMac: tor.mac });
    const outOf = (entry: number) => {
      sent.length = 0;
      device.receive(entry, Uint8Array.from(frame));
      return [...sent];
    };
    const [out] = outOf(3);
    const other = out! + 1;
    const cases: [Match[], entry: number, lost: boolean][] = [
      [[port("ingress", 3)], 3, true],
      [[port("ingress", 3)], 4, false],
      [[port("egress", out!)], 3, true],
      [[port("egress", other)], 3, false],
      [[port("ingress", 4), port("egress", out!)], 3, false],
      [[port("ingress", 4), port("egress", out!)], 4, true],
      [[], 6, true],
    ];
    for (const [match, entry, lost] of cases) {
      await device.write([{ type: "insert", entity: lose(...match) }]);
      expect(
        outOf(entry),
        JSON.stringify(match, (_, v) => (typeof v === "bigint" ? Number(v) : v)),
      ).toEqual(lost ? [] : [out]);
      await device.write([{ type: "delete", entity: lose(...match) }]);
      expect(outOf(entry)).toEqual([out]);
    }
    const counted = await device.read([{ kind: "counter", counter: "FabricIngress.drops" }]);
    expect(counted.every((entry) => entry.kind === "counter" && entry.data.packets === 0n)).toBe(true);
  });
});
