/** Dahu's primitives on the embedded switch; `test/parity` plays the same scenarios on BMv2. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../../../src/base/index.js";
import { bitmapOf } from "../../../../src/fabric/schemes/dahu/port-classes.js";
import { dahuProgram } from "../../../../src/fabric/schemes/dahu/program.js";
import {
  bitmapUpdate,
  destinationUpdate,
  groupUpdate,
  SELECTOR,
} from "../../../../src/fabric/schemes/dahu/tables.js";
import { call, exact, tableEntry } from "../../../../src/fabric/schemes/fabric.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ModelDahu } from "./model.js";
import {
  countedFrame,
  everywhere,
  flowTo,
  mapped,
  planWith,
  scenarios,
  selects,
  stateOf,
  VIRTUAL_PORTS,
} from "./scenarios.js";

const compiled = new Map<string, Program>();

function programOf(plan: Pick<FabricPlan, "programs">): Program {
  const text = renderProgram(templates, plan.programs[0]!);
  let program = compiled.get(text);
  if (program === undefined) {
    const diagnostics = new Diagnostics();
    program = compile({ file: new SourceFile("switch.p4", text) }, diagnostics)?.program;
    diagnostics.throwIfErrors();
    compiled.set(text, program!);
  }
  return program!;
}

async function start(plan: Pick<FabricPlan, "programs">, updates: readonly Update[]) {
  const sent: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(programOf(plan), {
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  await device.write(updates);
  return { device, sent };
}

const asText = (frames: readonly { port: number; frame: Uint8Array }[]) =>
  frames.map(({ port, frame }) => `${port} ${toHex(frame)}`);

describe("Dahu's program", () => {
  const all = (["register", "copies"] as const).flatMap((map) =>
    scenarios(map).map((own) => ({ map, ...own })),
  );

  it.each(all)("map in $map: $name", async ({ plan, updates, packets, sent: expected, choices }) => {
    const { device, sent } = await start(plan, updates);
    for (const { port, frame } of packets) device.receive(port, Uint8Array.from(frame));
    expect(asText(sent)).toEqual(asText(expected));
    const groups = await device.read([{ kind: "counter", counter: "FabricIngress.group_traffic" }]);
    const counted = groups.reduce(
      (sum, entity) => sum + (entity.kind === "counter" ? Number(entity.data.bytes) : 0),
      0,
    );
    const forwarded = packets.filter((_, i) => choices[i] !== undefined);
    expect(counted).toBe(forwarded.reduce((sum, { frame }) => sum + frame.length, 0));
  });

  it("the scenarios reach each way to choose, and the drop", () => {
    const ways = all.flatMap(({ choices }) => choices.map((choice) => choice?.by ?? "drop"));
    expect(new Set(ways)).toEqual(new Set(["first round", "second round", "fallback", "drop"]));
    const later = all.flatMap(({ choices }) => choices).filter((choice) => (choice?.tried.length ?? 0) > 1);
    expect(later.length).toBeGreaterThan(20);
  });
});

describe("a remapped virtual port", () => {
  const plan = planWith({});
  const FLOWS = 200;
  let running: Awaited<ReturnType<typeof start>>;
  const ports = () => {
    running.sent.length = 0;
    for (let number = 0; number < FLOWS; number++)
      running.device.receive(1, countedFrame(flowTo(number), "ipv4", "dscp", 0));
    return running.sent.map(({ port }) => port);
  };

  beforeAll(async () => {
    running = await start(plan, [...stateOf(plan), selects(0)]);
  });

  it("moves its own flows, and no others", async () => {
    const before = ports();
    const original = new Map(
      stateOf(plan).flatMap(({ entity }): [number, number][] =>
        entity.kind === "register" ? [[entity.index, Number(entity.value)]] : [],
      ),
    );
    const movedBy: number[][] = [];
    for (let virtualPort = 0; virtualPort < VIRTUAL_PORTS; virtualPort++) {
      const from = original.get(virtualPort)!;
      const to = from === 2 ? 3 : 2;
      await running.device.write(mapped(virtualPort, to));
      const moved: number[] = [];
      for (const [flow, port] of ports().entries()) {
        if (port === before[flow]) continue;
        expect([before[flow], port]).toEqual([from + 1, to + 1]);
        moved.push(flow);
      }
      movedBy.push(moved);
      await running.device.write(mapped(virtualPort, from));
    }
    // All ports are allowed, so each flow has one virtual port, its first.
    expect(movedBy.flat().sort((a, b) => a - b)).toEqual([...before.keys()]);
  });
});

describe("the choice behind both rounds", () => {
  it.each(["register", "copies"] as const)(
    "takes each allowed port about as often as the others, map in %s",
    async (kind) => {
      const plan = planWith({ deroutes: 15, map: kind });
      await fc.assert(
        fc.asyncProperty(fc.subarray([2, 3, 4, 5], { minLength: 1 }), async (allowed) => {
          const bitmap = allowed.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
          const members: Update = {
            type: "modify",
            entity: {
              kind: "tableEntry",
              table: "FabricIngress.port_groups",
              match: [{ kind: "exact", field: "meta.group", value: 0n }],
              priority: 0,
              action: { kind: "action", action: "FabricIngress.group_has", params: { members: bitmap } },
            },
          };
          // All virtual ports map to a port to a host, which is no member.
          const map = everywhere(0, kind);
          const { device, sent } = await start(plan, [...stateOf(plan), selects(0), members, ...map]);
          for (let number = 0; number < 400; number++)
            device.receive(1, countedFrame(flowTo(number), "ipv4", "dscp", 0));
          for (const bit of allowed) {
            const share = sent.filter(({ port }) => port === bit + 1).length / 400;
            expect(Math.abs(share - 1 / allowed.length)).toBeLessThan(0.1);
          }
          expect(sent).toHaveLength(400);
        }),
        { numRuns: 8, seed: 1 },
      );
    },
  );

  it.each([16, 64, 128] as const)("counts the bits of a bitmap of %i ports", async (ports) => {
    const program = dahuProgram("switch", {
      role: "switch",
      ports,
      groups: 1,
      virtualPortBits: Math.log2(VIRTUAL_PORTS),
      field: "dscp",
      unit: "bytes",
      sizes: { routes: 16, destinations: 16 },
    });
    // Ports of all parts of the bitmap; the map leads to one that is not allowed.
    const bits = [1, 5, 6, ports / 2 - 1, ports / 2, ports - 3, ports - 1];
    const members = bitmapOf(bits);
    const state: Update[] = [
      groupUpdate("insert", 0, bits),
      destinationUpdate("insert", 0, { group: 0, shortest: bits, further: bits }),
      bitmapUpdate("insert", 0, SELECTOR.shortest),
      ...everywhere(2),
    ];
    const model = new ModelDahu(state, VIRTUAL_PORTS);
    const route: Update = tableEntry("ipv4_routes", [], {
      kind: "action",
      ...call("to_destination", { destination: 0 }),
    });
    const hops = bits.map((bit) =>
      tableEntry("next_hops", [exact("meta.choice", bit)], {
        kind: "action",
        ...call("to_next_hop", { port: bit + 1, mac: 1n }),
      }),
    );
    const { device, sent } = await start({ programs: [program] }, [...state, route, ...hops]);
    const expected = Array.from({ length: 200 }, (_, number) => {
      const flow = flowTo(number);
      device.receive(1, countedFrame(flow, "ipv4", "dscp", 0));
      return model.choose(0, { flow, deroutes: 0, ingress: 1 })!.port;
    });
    expect(sent.map(({ port }) => port)).toEqual(expected);
    expect(bitmapOf(new Set(expected.map((port) => port - 1)))).toBe(members);
  });
});
