/** What RePaC knows of paths: tables 1 to 4 of the paper, the offsets of a fabric against its own hashes, and what is refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError, formatDiagnostic, Random } from "../../../../src/base/index.js";
import { emptyFlows, FlowTracer, MAX_LINKS } from "../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { bucketHops } from "../../../../src/fabric/schemes/repac/buckets.js";
import { computedPathmap, repacFabric } from "../../../../src/fabric/schemes/repac/definition.js";
import { repac } from "../../../../src/fabric/schemes/repac/index.js";
import { MarkChooser } from "../../../../src/fabric/schemes/repac/marks.js";
import { type RepacParameters, repacParameters } from "../../../../src/fabric/schemes/repac/parameters.js";
import {
  changedHops,
  changesByPath,
  type HopMap,
  mostChangedHops,
  movingOffsets,
  offsetOf,
  type Pathmap,
  pathIdOf,
  reachOf,
} from "../../../../src/fabric/schemes/repac/pathmap.js";
import { spareHash } from "../../../../src/fabric/schemes/repac/program.js";
import { buildTopology, hostsOf, topologySchema } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";

const parameters = (own: object = {}): RepacParameters => repacParameters.parse(own);
const mesh = buildTopology(
  topologySchema.parse({
    kind: "clos",
    wiring: "mesh",
    homing: "dual",
    pods: 2,
    tors_per_pod: 4,
    leaves_per_pod: 4,
    spines_per_plane: 8,
  }),
);
const fatTree = buildTopology(topologySchema.parse({ kind: "fat_tree", k: 4 }));

/** RePaC, table 2: six bits of the source port, lowest first, and four next hops. */
const probed: HopMap = { hop: "leaf up", offsets: [0, 0, 1, 0, 1, 2], sizes: [4] };
const table2: Pathmap = { control: { field: "ttl", fieldBits: 0, portBits: 6 }, buckets: 4, hops: [probed] };

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("the paper's tables", () => {
  it("table 1: the share of buckets that stay linear is 1 - F/B, and its mean over failures is 1 - sigma", () => {
    const B = 8;
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    const row = (sigma: number) => {
      const shares = range(0, B).map(
        (failed) => choose(B, failed) * sigma ** failed * (1 - sigma) ** (B - failed),
      );
      const stays = (failed: number) => {
        const hops = bucketHops(B, B, new Set(range(1, failed)));
        return hops.filter(([hop], bucket) => hops[bucket]!.length === 1 && hop === bucket).length / B;
      };
      // Where all next hops have failed, buckets keep their own: there is nothing to remap to.
      const linear = shares.reduce(
        (sum, share, failed) => sum + share * (failed === B ? 0 : stays(failed)),
        0,
      );
      return { shares, linear };
    };
    const percent = (value: number, digits: number) => Number((100 * value).toPrecision(digits));
    expect(
      row(0.01)
        .shares.slice(0, 4)
        .map((share) => percent(share, 2)),
    ).toEqual([92, 7.5, 0.26, 0.0053]);
    expect(
      row(0.001)
        .shares.slice(0, 3)
        .map((share) => percent(share, 2)),
    ).toEqual([99, 0.79, 0.0028]);
    // The paper has "< 10^-9" percent here.
    expect(row(0.001).shares[3]).toBeCloseTo(5.57e-8, 10);
    expect(
      row(0.0001)
        .shares.slice(0, 2)
        .map((share) => percent(share, 2)),
    ).toEqual([100, 0.08]);
    // The paper has 99.68, 99.90 and 99.99 percent; the first is not what its rule gives.
    for (const sigma of [0.01, 0.001, 0.0001]) expect(row(sigma).linear).toBeCloseTo(1 - sigma, 12);
  });

  it("tables 2 and 3: six bits give four path ids with sixteen changes each", () => {
    expect([...changesByPath(table2)]).toEqual([
      [0, [...range(0, 3), ...range(8, 11), ...range(20, 23), ...range(28, 31)]],
      [1, [...range(4, 7), ...range(12, 19), ...range(24, 27)]],
      [2, [...range(32, 35), ...range(40, 43), ...range(52, 55), ...range(60, 63)]],
      [3, [...range(36, 39), ...range(44, 51), ...range(56, 59)]],
    ]);
    expect(pathIdOf(table2, 0b100100)).toBe(3);
    expect(reachOf(table2)).toEqual({ paths: 4, reached: 4 });
  });

  it("table 4: with F failed next hops of N on average a prediction holds in 1 - F/N of the cases", () => {
    const accuracy = (n: number, failed: number) => {
      const hops = bucketHops(n, n, new Set(range(0, failed - 1)));
      return hops.filter((own, bucket) => own.length === 1 && own[0] === bucket).length / n;
    };
    // 12 groups of 100 with one failed next hop: the paper's row is 97.0, 98.5, 99.24, 99.62.
    const law = [4, 8, 16, 32].map((n) => 100 * (0.88 * accuracy(n, 0) + 0.12 * accuracy(n, 1)));
    expect(law.map((share) => Number(share.toFixed(3)))).toEqual([97, 98.5, 99.25, 99.625]);
    expect([4, 8, 16, 32].map((n) => Number((100 / n).toFixed(1)))).toEqual([25, 12.5, 6.3, 3.1]);
  });
});

describe("buckets of failed next hops", () => {
  it("figure 3: the two buckets of two failed next hops of eight become six entries", () => {
    const hops = bucketHops(8, 8, new Set([4, 7]));
    expect([...hops[4]!, ...hops[7]!].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 5, 6]);
    for (const bucket of [0, 1, 2, 3, 5, 6]) expect(hops[bucket]).toEqual([bucket]);
  });

  it("spread evenly over those that work, and all other buckets stay", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.infiniteStream(fc.nat(39)),
        (bits, n, drawn) => {
          const buckets = 2 ** bits * 2 ** Math.ceil(Math.log2(n));
          const failed = new Set([...drawn.take(n - 1)].map((hop) => hop % n));
          if (failed.size === n) failed.delete(0);
          const hops = bucketHops(buckets, n, failed);
          const gained = new Array<number>(n).fill(0);
          for (const [bucket, own] of hops.entries()) {
            if (!failed.has(bucket % n)) expect(own).toEqual([bucket % n]);
            else for (const hop of own) gained[hop]! += 1 / own.length;
          }
          const working = range(0, n - 1).filter((hop) => !failed.has(hop));
          for (const hop of working) expect(gained[hop]).toBeCloseTo(gained[working[0]!]!, 9);
          for (const hop of failed) expect(gained[hop]).toBe(0);
        },
      ),
    );
  });

  it("are chosen by another hash than the bucket", () => {
    for (const algorithm of ["crc16", "crc32", "xor16"] as const)
      for (const order of ["forward", "reversed"] as const)
        expect(spareHash({ algorithm, order }).algorithm).not.toBe(algorithm);
  });
});

describe("offsets", () => {
  it("of any change are the XOR of those of its bits, and move every bucket of a group, or not", () => {
    fc.assert(
      fc.property(fc.nat(63), fc.nat(63), (a, b) => {
        expect(offsetOf(probed, a ^ b)).toBe(offsetOf(probed, a) ^ offsetOf(probed, b));
      }),
    );
    expect(movingOffsets(8, 4)).toEqual([false, true, true, true, false, true, true, true]);
    // No power of two: buckets 0 and 3 have next hop 0.
    expect(movingOffsets(8, 3).map(Number)).toEqual([0, 1, 1, 0, 1, 0, 0, 0]);
    expect(movingOffsets(8, 1)).not.toContain(true);
  });

  const CASES = {
    "a mesh": [mesh, { field: "flow_label", planning: true, reach: "any" }, 2],
    "a fat tree": [fatTree, { field: "dscp", planning: true }, 1],
  } as const;
  it.each(Object.keys(CASES) as (keyof typeof CASES)[])(
    "predict the ports of %s: all flows and changes",
    (name) => {
      const [topology, own, scale] = CASES[name];
      const parsed = parameters(own);
      const fabric = repacFabric(topology, parsed);
      const map = computedPathmap(fabric);
      const tracer = new FlowTracer(topology, repac.plan(topology, parsed).pathModel!());
      const random = new Random(`offsets ${name}`);
      const hosts = hostsOf(topology);
      const size = 300 * scale;
      const before = { ...emptyFlows(size, 6), selector: new Uint32Array(size) };
      const after = { ...emptyFlows(size, 6), selector: new Uint32Array(size) };
      const deltas = Array.from({ length: size }, () => random.int(2 ** 18));
      for (let i = 0; i < size; i++) {
        const [from, to] = [random.pick(hosts), random.pick(hosts)];
        for (const flows of [before, after]) {
          flows.source[i] = from.index;
          flows.destination[i] = to.index;
        }
        const [srcPort, dstPort, selector] = [random.int(65536), random.int(65536), random.int(4096)];
        before.sourcePort[i] = srcPort;
        after.sourcePort[i] = srcPort ^ (deltas[i]! & 63);
        before.destinationPort[i] = after.destinationPort[i] = dstPort;
        before.selector[i] = selector;
        after.selector[i] = selector ^ ((deltas[i]! >> 6) & (2 ** map.control.fieldBits - 1));
      }
      const [one, two] = [tracer.of(before), tracer.of(after)];
      const [a, b] = [new Int32Array(MAX_LINKS), new Int32Array(MAX_LINKS)];
      const seen = new Set<string>();
      for (let i = 0; i < size; i++) {
        const delta = deltas[i]! & (2 ** (6 + map.control.fieldBits) - 1);
        const links = one.linksOf(i, a);
        expect(two.linksOf(i, b)).toBe(links);
        for (let hop = 1; hop < links; hop++) {
          const [was, is] = [portOf(topology, a[hop]!), portOf(topology, b[hop]!)];
          const group = fabric.groups.get(was.node)!.find(({ ports }) => ports.includes(was.port));
          if (group === undefined) continue;
          const { role } = topology.nodes[was.node]!;
          const own = map.hops.find((each) => each.hop === `${role} ${group.way}`)!;
          seen.add(own.hop);
          const place = (port: number) => group.ports.indexOf(port - was.port + was.port);
          const peer = fabric.groups
            .get(is.node)!
            .find(({ way, ports }) => way === group.way && ports.includes(is.port))!;
          expect(peer.ports.indexOf(is.port)).toBe(
            place(was.port) ^ (offsetOf(own, delta) % group.ports.length),
          );
        }
      }
      expect(seen).toEqual(new Set(map.hops.map(({ hop }) => hop).filter((hop) => hop !== "nic")));
    },
  );
});

function portOf(topology: typeof mesh, directed: number): { node: number; port: number } {
  const { a, b } = topology.links[directed >> 1]!;
  return directed % 2 === 0 ? a : b;
}

describe("marks", () => {
  it("change every hop where some change does, and else as many as any change", () => {
    const map = computedPathmap(repacFabric(mesh, parameters({ field: "vlan", reach: "any" })));
    const marks = new MarkChooser(map);
    const most = mostChangedHops(map);
    expect(most).toBe(Math.max(...changedHops(map)));
    expect(most).toBe(map.hops.length);
    const random = new Random("marks");
    for (let flow = 0; flow < 200; flow++) {
      const start = random.int(2 ** map.control.fieldBits);
      const tried = [start];
      const first = marks.next(tried, random);
      expect(marks.changed(first ^ start)).toBe(most);
      const second = marks.next([start, first], random);
      expect([start, first]).not.toContain(second);
      // Two failed paths: the third leaves both of them as far as one can.
      expect(Math.min(marks.changed(second ^ start), marks.changed(second ^ first))).toBeGreaterThan(
        most - 2,
      );
    }
    const one = new MarkChooser({
      ...table2,
      control: { field: "ttl", fieldBits: 2, portBits: 0 },
      hops: [{ ...probed, offsets: [0, 1] }],
    });
    // Bit 0 changes nothing: marks 2 and 3 are drawn, never 1.
    expect(new Set(range(1, 50).map(() => one.next([0], random)))).toEqual(new Set([2, 3]));
    expect(one.next([0, 1, 2, 3], random)).not.toBe(3);
  });
});

describe("what is refused", () => {
  const messages = (own: object, topology = fatTree) => {
    try {
      repac.plan(topology, parameters(own));
    } catch (error) {
      if (error instanceof DiagnosticError) return error.diagnostics.map(formatDiagnostic).join("\n");
      throw error;
    }
    return "";
  };

  it("a hash that is not linear, with a counterexample", () => {
    const text = messages({ hash: { leaf: { up: { function: "csum16" } } } });
    expect(text).toContain("error[P45300]: the hash of leaf up, csum16 forward, is not linear");
    expect(text).toMatch(
      /the change [0-9a-f]{80,} leads to bucket \d; if the choice were linear, to bucket \d/,
    );
    expect(messages({ hash: { leaf: { up: { function: "xor16" } } }, reach: "any" })).toBe("");
  });

  it("buckets that are no power of two, or too few", () => {
    expect(messages({ buckets: 12 })).toMatch(
      /P45301.*12 buckets are no power of two[\s\S]*leads to bucket[\s\S]*write 8 or 16/,
    );
    expect(messages({ buckets: 4 }, mesh)).toContain(
      "4 buckets for groups of up to 8 next hops: 4 next hops would have none",
    );
    expect(messages({ buckets: 16 })).toBe("");
  });

  it("too few control bits for the tiers", () => {
    expect(messages({ field: "ttl", reach: "paths" }, mesh)).toMatch(
      /P45302.*reach 8 of the \d+ paths through nic, tor up/,
    );
    expect(messages({ field: "vlan", reach: "paths" }, mesh)).toBe("");
    // Hosts use 12 bits at most: where they use as many, no field is wider.
    const jupiter = example("jupiter");
    for (const field of ["vlan", "flow_label"])
      expect(messages({ field, reach: "paths" }, jupiter)).toMatch(
        /note: write other hash functions for these tiers, or reach: hops$/m,
      );
    expect(messages({ field: "ttl", reach: "paths" }, mesh)).toContain(
      "a field with more bits, for example vlan (12)",
    );
    const alike = { function: "crc32", order: "forward" } as const;
    // Two tiers whose bits are the same, and a field that moves neither of their lowest bits.
    expect(
      messages({ field: "ttl", reach: "paths", hash: { tor: { up: alike }, leaf: { up: alike } } }),
    ).toMatch(/P45302/);
  });

  it("port ranges that collide, are empty or cut blocks in two", () => {
    const planned = (port_ranges: unknown) => messages({ planning: true, port_ranges });
    expect(
      planned([
        [4096, 8191],
        [8128, 12287],
      ]),
    ).toContain("the source ports from 8128 to 12287 collide with those of range 1, from 4096 to 8191");
    expect(planned([[8192, 4096]])).toContain("is empty");
    expect(planned([[4100, 8191]])).toMatch(/no whole blocks of 64[\s\S]*write \[4160, 8191\]/);
    expect(
      planned([
        [4096, 8191],
        [8192, 12287],
      ]),
    ).toBe("");
  });
});

describe("paths that control bits reach, where groups have any number of next hops", () => {
  const drawn = fc.record({
    buckets: fc.constantFrom(4, 8),
    hops: fc.array(
      fc.record({
        size: fc.integer({ min: 2, max: 4 }),
        seed: fc.array(fc.nat(7), { minLength: 3, maxLength: 3 }),
      }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  });

  it("are those that every header reaches, counted one by one", () => {
    fc.assert(
      fc.property(drawn, ({ buckets, hops }) => {
        const map: Pathmap = {
          control: { field: "ttl", fieldBits: 3, portBits: 0 },
          buckets,
          hops: hops.map(({ size, seed }, i) => ({
            hop: `hop ${i}`,
            sizes: [size],
            offsets: seed.map((offset) => offset % buckets),
          })),
        };
        let least = Number.POSITIVE_INFINITY;
        for (let start = 0; start < buckets ** hops.length; start++) {
          const seen = new Set<string>();
          for (let delta = 0; delta < 8; delta++)
            seen.add(
              hops
                .map(
                  ({ size }, i) =>
                    ((Math.floor(start / buckets ** i) % buckets) ^ offsetOf(map.hops[i]!, delta)) % size,
                )
                .join(),
            );
          least = Math.min(least, seen.size);
        }
        const paths = hops.reduce((product, { size }) => product * size, 1);
        expect(reachOf(map)).toEqual({ paths, reached: least });
      }),
    );
  });

  it.each([
    ["six leaves", build({ kind: "leaf_spine", tors: 4, leaves: 6, homing: "single" }), 6],
    ["a fat tree of k = 6", build({ kind: "fat_tree", k: 6 }), 9],
  ])("are counted as they are, not as powers of two: %s", (_, topology, paths) => {
    expect(reachOf(computedPathmap(repacFabric(topology, parameters({ field: "ttl" })))).paths).toBe(paths);
  });
});

describe("a role in several stages", () => {
  it.each(["repac", "ecmp", "wcmp"])("is named as polarised: %s", (name) => {
    const scheme = schemeNamed(name)!;
    const notes = (topology: ReturnType<typeof example>) =>
      (scheme.plan(topology, scheme.parameters.parse({})).notes ?? []).filter((note) =>
        note.includes("polarisation"),
      );
    expect(notes(example("jupiter"))).toEqual([
      expect.stringMatching(
        /^The stages 2 and 3 have the role leaf, and so one hash function for each direction/,
      ),
      expect.stringMatching(/^The stages 4 and 5 have the role spine/),
    ]);
    expect(notes(example("clos"))).toEqual([]);
  });
});

describe("a role in several stages under RePaC", () => {
  const scheme = schemeNamed("repac")!;
  const lost =
    /^RePaC's pathmap has one hop for the stages of a role: a change of the control bits moves a flow at all of them or at none/;

  it("has one hop in the pathmap, and the plan and the pathmap of the command say what is lost", () => {
    const topology = example("jupiter");
    const own = scheme.parameters.parse({});
    const { hops, notes } = scheme.pathmap!(topology, own);
    expect(hops.filter(({ hop }) => hop === "leaf up")).toHaveLength(1);
    for (const told of [notes, scheme.plan(topology, own).notes])
      expect(told).toContainEqual(expect.stringMatching(lost));
    expect(scheme.plan(example("clos"), own).notes).not.toContainEqual(expect.stringMatching(lost));
  });
});

describe("path ids", () => {
  const drawn = fc
    .record({
      bucketBits: fc.integer({ min: 1, max: 3 }),
      portBits: fc.integer({ min: 0, max: 4 }),
      hops: fc.array(fc.array(fc.nat(), { minLength: 10, maxLength: 10 }), { minLength: 1, maxLength: 3 }),
    })
    .map(({ bucketBits, portBits, hops }): Pathmap => {
      const buckets = 2 ** bucketBits;
      return {
        control: { field: "dscp", fieldBits: 4, portBits },
        buckets,
        hops: hops.map((offsets, i) => ({
          hop: `hop ${i}`,
          offsets: offsets.slice(0, 4 + portBits).map((offset) => offset % buckets),
          sizes: [2],
        })),
      };
    });

  it("have the offset of each hop as a digit, the first hop's lowest, and come in ascending order", () => {
    fc.assert(
      fc.property(drawn, (map) => {
        const paths = changesByPath(map);
        const ids = [...paths.keys()];
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
        const seen: number[] = [];
        for (const [id, changes] of paths)
          for (const change of changes) {
            seen.push(change);
            expect(map.hops.map((_, i) => Math.floor(id / map.buckets ** i) % map.buckets)).toEqual(
              map.hops.map((hop) => offsetOf(hop, change)),
            );
          }
        expect(seen.toSorted((a, b) => a - b)).toEqual(range(0, 2 ** (4 + map.control.portBits) - 1));
      }),
    );
  });

  it("differ in as many hops as a change moves, where a group has two next hops", () => {
    fc.assert(
      fc.property(drawn, (map) => {
        const counts = changedHops(map);
        const own = Array.from(
          counts,
          (_, change) => map.hops.filter((hop) => offsetOf(hop, change) % 2 === 1).length,
        );
        expect([...counts]).toEqual(own);
        const ofField = own.filter((_, change) => change % 2 ** map.control.portBits === 0);
        expect(mostChangedHops(map)).toBe(Math.max(...ofField));
      }),
    );
  });
});

describe("the next mark", () => {
  const map: Pathmap = {
    control: { field: "dscp", fieldBits: 2, portBits: 1 },
    buckets: 2,
    // The bit of the port moves both hops; the field's first bit moves the first hop, its second bit the second.
    hops: [
      { hop: "a", offsets: [1, 1, 0], sizes: [2] },
      { hop: "b", offsets: [1, 0, 1], sizes: [2] },
    ],
  };

  it("moves the most hops from each value that has failed, and every value is tried before one comes again", () => {
    const chooser = new MarkChooser(map);
    expect(range(0, 3).map((change) => chooser.changed(change))).toEqual([0, 1, 1, 2]);
    const random = new Random("marks");
    const tried = [0];
    for (let i = 0; i < 3; i++) tried.push(chooser.next(tried, random));
    expect(tried[1]).toBe(3);
    expect(tried.toSorted()).toEqual([0, 1, 2, 3]);
    // All have failed: it begins again from the last one, and moves both hops.
    expect(chooser.next(tried, random)).toBe(tried.at(-1)! ^ 3);
    const both = new Set(Array.from({ length: 40 }, () => chooser.next([0, 3], random)));
    expect([...both].toSorted()).toEqual([1, 2]);
  });

  it("is the only value where the field has no bits", () => {
    const none = new MarkChooser({
      ...map,
      control: { field: "dscp", fieldBits: 0, portBits: 1 },
      hops: [{ hop: "a", offsets: [1], sizes: [2] }],
    });
    expect(none.next([0], new Random("none"))).toBe(0);
  });
});

it("the other hash of a bucket differs in its function and in the order of its input", () => {
  expect(spareHash({ algorithm: "crc16", order: "forward" })).toEqual({
    algorithm: "crc32",
    order: "reversed",
  });
  expect(spareHash({ algorithm: "crc32", order: "reversed" })).toEqual({
    algorithm: "crc16",
    order: "forward",
  });
});

it("groups of several sizes are moved where every one is", () => {
  const map: Pathmap = {
    control: { field: "dscp", fieldBits: 2, portBits: 0 },
    buckets: 4,
    hops: [{ hop: "a", offsets: [1, 2], sizes: [2, 4] }],
  };
  // An offset of 2 keeps the next hop of a group of two, and moves that of a group of four.
  expect([...changedHops(map)]).toEqual([0, 1, 0, 1]);
});
