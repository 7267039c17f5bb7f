/** The tracer and the meter follow any path model as its definition says: random tables, groups, rows, classes and hashes. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  type FlowColumns,
  FlowTracer,
  MAX_LINKS,
  type PathModel,
  type PortChoice,
  SpreadMeter,
} from "../../../src/fabric/paths/index.js";
import { hostsOf, type Topology, withLinksDown } from "../../../src/fabric/topology/index.js";
import { follow, HASHES, nextOf, type OneFlow, randomNetwork } from "./model-walk.js";

function randomChoice(random: Random, ports: readonly number[]): PortChoice {
  const row = () => Array.from({ length: 1 + random.int(5) }, () => random.pick(ports));
  const seed = random.int(3) === 0 ? 0 : random.uint32();
  const hash = random.int(HASHES.length);
  if (random.int(2) === 0) return { hash, seed, rows: [row()] };
  const width = random.pick([1, 2, 3, 32]);
  const slice = { low: width === 32 ? 0 : random.int(32 - width), width };
  const rows = Array.from({ length: 1 + random.int(5) }, row);
  return { hash, seed, rows: rows.length > 2 ? [...rows, rows[0]!] : rows, slice };
}

function randomModel(topology: Topology, random: Random): PathModel {
  const switches = topology.nodes.flatMap(({ index, role, ports }) => {
    if (role === "host") return [];
    const numbers = ports.map(({ number }) => number);
    const choices = Array.from({ length: 1 + random.int(4) }, () => randomChoice(random, numbers));
    const byPort = random.int(2) === 0;
    const bySource = random.int(2) === 0;
    const classes = 1 + (byPort ? 1 : 0) + (bySource ? 2 : 0);
    return [
      {
        node: index,
        classes,
        choices,
        next: nextOf(topology, random, index, classes, choices.length),
        ...(byPort ? { portClass: [0, ...numbers.map(() => random.int(2))] } : {}),
        ...(bySource ? { sourceClass: topology.racks.map(() => random.int(3)) } : {}),
      },
    ];
  });
  return { hashes: HASHES, switches };
}

/** Flows with all bits of all fields at random; the last batch has neither selectors nor NICs. */
function randomBatch(topology: Topology, random: Random, version: 4 | 6, plain: boolean): FlowColumns {
  const size = 25;
  const hosts = hostsOf(topology);
  const list = Array.from({ length: size }, () => random.shuffle(hosts).slice(0, 2));
  return {
    size,
    version,
    source: Int32Array.from(list, ([from]) => from!.index),
    destination: Int32Array.from(list, ([, to]) => to!.index),
    protocol: Uint8Array.from(list, () => random.int(256)),
    sourcePort: Uint16Array.from(list, () => random.int(65536)),
    destinationPort: Uint16Array.from(list, () => random.int(65536)),
    ...(plain
      ? {}
      : {
          selector: Uint32Array.from(list, () => random.uint32()),
          nic: Uint8Array.from(list, ([from]) => random.int(from!.ports.length)),
        }),
  };
}

const flowOf = (flows: FlowColumns, i: number): OneFlow => ({
  source: flows.source[i]!,
  destination: flows.destination[i]!,
  version: flows.version,
  protocol: flows.protocol[i]!,
  sourcePort: flows.sourcePort[i]!,
  destinationPort: flows.destinationPort[i]!,
  selector: flows.selector?.[i] ?? 0,
  nic: flows.nic?.[i] ?? 0,
});

describe("in a random network with a random model", () => {
  it.each(Array.from({ length: 24 }, (_, seed) => seed))(
    "flows take the paths of the definition, and load their groups (seed %i)",
    (seed) => {
      const random = new Random(seed);
      const whole = randomNetwork(random);
      const topology = seed % 4 === 3 ? withLinksDown(whole, [random.int(whole.links.length)]) : whole;
      const model = randomModel(topology, random);
      const tracer = new FlowTracer(topology, model);
      const meter = new SpreadMeter(tracer);
      const links = new Float64Array(2 * topology.links.length);
      const loads = new Map<PortChoice, { flows: number; byPort: Map<number, number> }>();
      let lost = 0;
      for (const [batch, version] of ([4, 6, 4] as const).entries()) {
        const flows = randomBatch(topology, random, version, batch === 2);
        const traced = tracer.of(flows);
        const out = new Int32Array(MAX_LINKS);
        const weights =
          batch === 1 ? undefined : Float64Array.from({ length: flows.size }, () => random.int(9));
        meter.add(flows, weights);
        for (let i = 0; i < flows.size; i++) {
          const found = follow(topology, model, flowOf(flows, i));
          const count = traced.linksOf(i, out);
          expect([i, count]).toEqual([i, found.arrived ? found.links.length : -1]);
          if (!found.arrived) {
            lost++;
            continue;
          }
          expect([...out.subarray(0, count)]).toEqual(found.links);
          const weight = weights?.[i] ?? 1;
          for (const link of found.links) links[link]! += weight;
          for (const { choice, row, port } of found.hops) {
            if (row.length === 1) continue;
            const load = loads.get(choice) ?? { flows: 0, byPort: new Map<number, number>() };
            loads.set(choice, load);
            load.flows++;
            load.byPort.set(port, (load.byPort.get(port) ?? 0) + weight);
          }
        }
      }
      expect(lost).toBeLessThan(70);
      expect(meter.lost).toBe(lost);
      expect([...meter.links]).toEqual([...links]);
      const wanted = model.switches.flatMap(({ node, choices }) =>
        choices.flatMap((choice) => {
          const slots = choice.rows.flatMap((row) => Array.from(row));
          const ports = [...new Set(slots)];
          const load = loads.get(choice);
          if (load === undefined || ports.length === 1) return [];
          return [
            {
              node,
              slots: choice.rows[0]!.length,
              ports,
              loads: ports.map((port) => load.byPort.get(port) ?? 0),
              wanted: ports.map((port) => slots.filter((slot) => slot === port).length),
              flows: load.flows,
            },
          ];
        }),
      );
      expect(meter.groups()).toEqual(wanted);
    },
  );
});
