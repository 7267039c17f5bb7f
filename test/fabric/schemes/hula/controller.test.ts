/** Probes that controllers send, for switches without packet generators: the same frames, and the same way out of a silent failure. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadTimeline, runTimeline } from "../../../../src/fabric/experiment/index.js";
import { hula } from "../../../../src/fabric/schemes/registry.js";
import type { ControllerPacket } from "../../../../src/toolchain/device/index.js";
import { DeviceError } from "../../../../src/toolchain/device/index.js";
import { build } from "../../topology/load.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-hula-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const topology = build({ kind: "leaf_spine", tors: 3, leaves: 2, homing: "single", hosts_per_rack: 1 });
const planned = (parameters: object) => hula.plan(topology, hula.parameters.parse(parameters));

describe("controllers of probes", () => {
  it("are there in place of the packet generators, one at each ToR", () => {
    const own = planned({ probes_from: "controller", probe_interval: "20ms" });
    expect(own.switches.flatMap(({ generators }) => generators ?? [])).toEqual([]);
    const generated = planned({ probe_interval: "20ms" });
    expect(generated).not.toHaveProperty("controllers");
    const starting = generated.switches.filter(({ generators }) => generators !== undefined);
    expect(own.controllers!.map(({ name, switches, place }) => ({ name, switches, place }))).toEqual(
      starting.map(({ node }) => ({
        ...{ name: `hula-${topology.nodes[node]!.name}`, switches: [node], place: "switch" },
      })),
    );
    expect(own.switches.map(({ updates }) => updates)).toEqual(
      generated.switches.map(({ updates }) => updates),
    );
    expect(own.notes![0]).toContain("from each of 3 racks, sent by controllers, takes");
  });

  it("send the generators' frames once a period, also after their switch was away", async () => {
    const [first] = planned({ probes_from: "controller", probe_interval: "20ms" }).controllers!;
    const { generators } = planned({ probe_interval: "20ms" }).switches.find(
      ({ node }) => node === first!.switches[0],
    )!;
    const sent: ControllerPacket[] = [];
    const periods: number[] = [];
    let tick: () => unknown = () => {};
    let away = false;
    await first!.controller.start({
      clock: {
        every: (ns: number, call: () => unknown) => {
          periods.push(ns);
          tick = call;
        },
      },
      switches: [
        {
          device: {
            packetOut: async (packet: ControllerPacket) => {
              if (away) throw new DeviceError("UNAVAILABLE", "the switch does not run");
              sent.push(packet);
            },
          },
        },
      ],
    } as never);
    await tick();
    away = true;
    await tick();
    away = false;
    await tick();
    expect(periods).toEqual([20_000_000]);
    const probe = { payload: generators![0]!.frame, metadata: {} };
    expect(sent).toEqual([probe, probe]);
  });

  it("lead flows away from a silent switch as the generators do", async () => {
    const text = `name: probes
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, host_link: { rate: 1Gbps, delay: 250us } }
schemes:
  - { scheme: hula, label: generator, probe_interval: 1ms }
  - { scheme: hula, label: controller, probe_interval: 1ms, probes_from: controller }
  - ecmp
transport: { segment_bytes: 200, window_segments: 1, rto_margin: 20ms, rto_cap: 50ms }
flows: [{ from: host0-0-0, to: host0-1-0, count: 4 }]
faults:
  - { at: 50ms, until: 400ms, kind: silent, switch: leaf0-0 }
  - { at: 500ms, until: 850ms, kind: silent, switch: leaf0-1 }
duration: 1s
`;
    const diagnostics = new Diagnostics();
    const timeline = loadTimeline(new SourceFile("p.yaml", text), diagnostics);
    expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
    const { rows } = await runTimeline(timeline!, { out: join(folder, "out") });
    const longest = (label: string) =>
      Math.max(...rows.filter(({ scheme }) => scheme === label).map((row) => row.longest_outage_ms ?? 0));
    const timeouts = (label: string) =>
      rows.filter(({ scheme }) => scheme === label).reduce((sum, row) => sum + row.timeouts, 0);
    expect(longest("ecmp")).toBeGreaterThan(300);
    for (const label of ["generator", "controller"]) {
      expect(timeouts(label)).toBeGreaterThan(0);
      expect(longest(label)).toBeLessThan(60);
    }
  });
});
