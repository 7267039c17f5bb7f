/** The kind `spread`: rows against closed forms, and what is refused. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadAnyKind } from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";
import { rowsOf } from "./spread-rows.js";

const LINES = `topology: { kind: leaf_spine, tors: 2, leaves: 8, homing: single, hosts_per_rack: 16 }
trace_flows: 40000
pattern: inter_rack
`;

describe("spread", () => {
  it("has the CV that the size of a group causes, and chance beside it", async () => {
    const [even, odd] = await rowsOf(`${LINES}schemes:
  - { scheme: hashing, label: even, design: one }
  - { scheme: hashing, label: odd, design: one, weights: [1] }
`);
    // Two groups of 8 ports with 20,000 flows each: chance is sqrt(7 / 20000) = 0.0187.
    expect(even).toMatchObject({ groups: 2, lost: 0, chance_p50: expect.closeTo(0.0187, 3) });
    expect(even!["cv_max"]).toBeLessThan(0.05);
    expect(odd).toMatchObject({ cv_max: even!["cv_max"] });
  });

  it("counts a flow by its size where sizes are given", async () => {
    const [row] = await rowsOf(`${LINES}sizes: web_search\nschemes: [ecmp]\n`);
    expect(row!["chance_p50"]).toBeGreaterThan(0.03);
  });

  it("has the loads of links between the pods that are least even, where links join pods", async () => {
    const rowWith = async (topology: string) => {
      const lines = `topology: ${topology}\ntrace_flows: 3000\npattern: inter_pod\nschemes: [ecmp]\n`;
      return (await rowsOf(lines))[0]!;
    };
    const blocks =
      "{ kind: spineless, blocks: 3, links_per_pair: 4, tors_per_block: 2, stage2_per_block: 1, stage3_per_block: 1, hosts_per_rack: 2 }";
    const { lost, pods_max_over_min: worst } = await rowWith(blocks);
    expect(lost).toBe(0);
    expect(worst).toBeGreaterThan(1);
    expect(worst).toBeLessThan(2);
    // Spines are in no pod.
    const clos =
      "{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2, homing: single, hosts_per_rack: 2 }";
    expect((await rowWith(clos))["pods_max_over_min"]).toBeNull();
  });

  it("refuses a pattern without pairs", async () => {
    const diagnostics = new Diagnostics();
    const text = `kind: spread\nname: spread\n${LINES}schemes: [ecmp]\n`.replace("inter_rack", "inter_pod");
    loadAnyKind(new SourceFile("spread.yaml", text), diagnostics, KINDS);
    expect(diagnostics.list.map(formatDiagnostic).join("\n")).toContain(
      "spread.yaml:5:10: error[P45211]: all hosts of the topology are in one pod",
    );
  });
});
