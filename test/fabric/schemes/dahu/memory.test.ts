/** The state that Dahu's program needs in a switch (section 5), counted in the compiled program. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { dahuProgram } from "../../../../src/fabric/schemes/dahu/program.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { switchMemory } from "./paper-memory.js";

const KB = 1024;
const SIZES = { groups: 64, virtualPorts: 1024, prefixes: 16_384, bitmaps: 2 };

/** Bytes of the map, the counters and the bitmaps of a compiled program. */
function memoryOf(ports: 64 | 128) {
  const plan = dahuProgram("switch", {
    role: "switch",
    ports,
    groups: SIZES.groups,
    virtualPortBits: Math.log2(SIZES.virtualPorts),
    field: "dscp",
    unit: "bytes",
    sizes: { routes: SIZES.prefixes, destinations: SIZES.prefixes },
  });
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("switch.p4", renderProgram(templates, plan)) }, diagnostics);
  diagnostics.throwIfErrors();
  const { bmv2 } = result!.program;
  const map = bmv2.register_arrays.find(({ name }) => name.endsWith("virtual_ports"))!;
  const counters = bmv2.counter_arrays.find(({ name }) => name.endsWith("group_traffic"))!;
  const destinations = bmv2.pipelines
    .flatMap(({ tables }) => tables)
    .find(({ name }) => name.endsWith("destinations"))!;
  const action = bmv2.actions.find(({ name }) => name.endsWith("use_group"))!;
  const bits = action.runtime_data
    .filter(({ name }) => name !== "group")
    .reduce((sum, { bitwidth }) => sum + bitwidth, 0);
  return {
    map: (map.size * map.bitwidth) / 8,
    counters: counters.size! * 8,
    bitmaps: (destinations.max_size! * bits) / 8,
  };
}

describe("the memory of Dahu's program", () => {
  it.each([
    [128, { map: 64, counters: 64, bitmaps: 512 }, 640],
    [64, { map: 64, counters: 32, bitmaps: 256 }, 352],
  ] as const)("for %i ports is that of the paper", (ports, parts, total) => {
    const found = memoryOf(ports);
    expect(found).toEqual({
      map: parts.map * KB,
      counters: parts.counters * KB,
      bitmaps: parts.bitmaps * KB,
    });
    expect(found.map + found.counters + found.bitmaps).toBe(total * KB);
    expect(switchMemory({ ports, ...SIZES })).toEqual({ ...found, total: total * KB });
  });
});
