import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import { restingHost } from "../../../../src/fabric/hosts/index.js";
import { hostPolicyOf, SCHEMES, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { compileFabric } from "../../../../src/fabric/schemes/pecmp/fabric.js";
import { makeRerouter } from "../../../../src/fabric/schemes/pecmp/hosts.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { HOPS, readSlice } from "../../../../src/fabric/schemes/pecmp/layout.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import type { Topology } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";

const fabricOf = (topology: Topology, input: object) =>
  compileFabric(topology, pecmpParameters.parse(input), () => undefined);

const flow = (i: number): FlowKey => ({ src: 1n, dst: 2n, protocol: 6, srcPort: i, dstPort: 80 });

describe("leaving a path", () => {
  const odd = build({
    ...{ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 5, spines_per_plane: 7, hosts_per_rack: 1 },
  });
  const cases: [string, Topology, object][] = [
    ["odd offsets", example("clos"), {}],
    ["odd offsets with a version bit", example("clos"), { version_bit: "overall" }],
    ["primes", odd, { field: "flow_label" }],
    ["primes where links are missing", example("asymmetric"), {}],
    ["a slice for every hop", odd, { control: "both", field: "flow_label" }],
    ["slices with version bits", odd, { control: "hops", field: "dscp_flow_label", version_bit: "per-hop" }],
  ];
  it.each(cases)("changes the next hop at every hop, again and again: %s", (_, topology, input) => {
    const { layout, offsets, switches } = fabricOf(topology, input);
    const rerouter = makeRerouter(layout, offsets);
    const sizes = new Map(HOPS.map((hop) => [hop, new Set<number>()]));
    for (const { matrices } of switches) {
      for (const { hop, matrix } of matrices) sizes.get(hop)!.add(matrix.base.length);
    }
    if (layout.fanOuts.nic !== undefined) sizes.get("nic")!.add(layout.fanOuts.nic.most);
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = new Random(seed);
        let at = 0;
        for (let i = 0; i < 6; i++) {
          const next = rerouter.leave(at, [at], random);
          expect(next).toBeLessThan(2 ** layout.bits);
          for (const [hop, own] of sizes) {
            const [a, b] = [readSlice(layout, hop, at), readSlice(layout, hop, next)];
            for (const n of own) expect([hop, n, (b - a) % n === 0]).toEqual([hop, n, false]);
          }
          at = next;
        }
      }),
      { numRuns: 40 },
    );
  });

  it("tries what was not tried yet first", () => {
    const { layout, offsets } = fabricOf(build({ kind: "leaf_spine", tors: 4, leaves: 8 }), {});
    const rerouter = makeRerouter(layout, offsets);
    const random = new Random(1);
    const tried = [0];
    for (let i = 0; i < 4; i++) tried.push(rerouter.leave(0, tried, random));
    expect([...tried].sort()).toEqual([0, 1, 3, 5, 7]);
  });

  it("draws every offset equally often", () => {
    const { layout, offsets } = fabricOf(build({ kind: "leaf_spine", tors: 4, leaves: 8 }), {});
    const rerouter = makeRerouter(layout, offsets);
    const random = new Random(2);
    const counts = new Map<number, number>();
    for (let i = 0; i < 4000; i++) {
      const next = rerouter.leave(0, [0], random);
      counts.set(next, (counts.get(next) ?? 0) + 1);
    }
    for (const offset of offsets.offsets) expect(Math.abs(counts.get(offset)! - 1000)).toBeLessThan(4 * 28);
  });
});

describe("the NIC bond", () => {
  it("adds the selector to the hash (section 4)", () => {
    const hosts = pecmp.hosts(pecmp.plan(example("clos"), pecmpParameters.parse({})).hosts, restingHost());
    for (let i = 0; i < 50; i++) {
      for (let s = 0; s < 4; s++) {
        expect(hosts.nic(flow(i), s, 2)).toBe((hosts.nic(flow(i), 0, 2) + s) % 2);
      }
    }
  });

  const policyOf = (name: string) => {
    const scheme = schemeNamed(name)!;
    return hostPolicyOf(scheme.plan(example("clos"), scheme.parameters.parse({})).hosts, restingHost());
  };

  /** Clove's hosts hash the outer header: addresses and selector. */
  const HASH_NO_PORTS = ["clove"];
  const isEven = (first: number) =>
    expect(Math.abs(first - 2000), `${first} of 4000`).toBeLessThan(4 * Math.sqrt(1000));

  it.each(Object.keys(SCHEMES).filter((name) => !HASH_NO_PORTS.includes(name)))(
    "spreads flows evenly: %s",
    (name) => {
      const hosts = policyOf(name);
      let first = 0;
      for (let i = 0; i < 4000; i++) first += hosts.nic(flow(i), 0, 2);
      isEven(first);
    },
  );

  it.each(HASH_NO_PORTS)("spreads selectors evenly, whatever the ports: %s", (name) => {
    const hosts = policyOf(name);
    let first = 0;
    for (let s = 0; s < 4000; s++) {
      const nic = hosts.nic(flow(0), s, 2);
      expect(hosts.nic(flow(s), s, 2)).toBe(nic);
      first += nic;
    }
    isEven(first);
  });

  it("is re-drawn by PRR's field, kept by plain ECMP", () => {
    const prr = policyOf("prr");
    const ecmp = policyOf("ecmp");
    const used = (hosts: typeof prr) =>
      new Set(Array.from({ length: 64 }, (_, s) => hosts.nic(flow(7), s, 2)));
    expect(used(prr).size).toBe(2);
    expect(used(ecmp).size).toBe(1);
  });
});
