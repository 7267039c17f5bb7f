/**
 * A chooser as an outsider writes it, PLB in a few lines: switches mark by the depth of their queues, and a flow whose
 * rounds are marked draws another path. Two flows that begin on one link end on two.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { bootFabric, ProgramCompiler } from "../../../src/fabric/experiment/boot.js";
import type { SchemeRun } from "../../../src/fabric/experiment/index.js";
import type { HostPolicy, PathChooser, Round } from "../../../src/fabric/hosts/index.js";
import { type Fabric, NS_PER_MS, NS_PER_S } from "../../../src/fabric/sim/packet/index.js";
import { nodeNamed } from "../../../src/fabric/topology/index.js";
import { experimentWith } from "./model-fabric.js";

/** Packets; one window of 16 stays below it, two do not. */
const THRESHOLD = 18;

/** PLB (SIGCOMM'22): after some congested rounds in a row the flow draws another path. */
class CongestionAware implements PathChooser {
  selector = 0;
  moves = 0;
  #congested = 0;
  constructor(readonly random: Random) {}
  onRound({ ackedBytes, markedBytes }: Round): void {
    this.#congested = markedBytes > ackedBytes / 2 ? this.#congested + 1 : 0;
    if (this.#congested < 3 || this.random.int(2) === 0) return;
    this.#congested = 0;
    this.moves++;
    this.selector = this.random.int(64);
  }
  onTimeout = () => [this.selector];
  onAck(): void {}
  onData = () => [this.selector];
}

const experiment = experimentWith({
  topology: `{ kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2,
               host_link: { rate: 1Gbps, delay: 10us }, fabric_link: { rate: 10Mbps, delay: 10us } }`,
  schemes: "[prr]",
  failures: "[leaf]",
});

const choosers: CongestionAware[] = [];
const policies: Record<"steady" | "aware", HostPolicy> = {
  steady: {
    open: () => ({ selector: 0, onTimeout: () => [0], onAck: () => {}, onData: () => [0] }),
    nic: () => 0,
    ecn: true,
  },
  aware: {
    open: (_flow, random) => {
      choosers.push(new CongestionAware(random));
      return choosers.at(-1)!;
    },
    nic: () => 0,
    ecn: true,
  },
};

const fabrics = new Map<string, Fabric>();

beforeAll(async () => {
  const [scheme] = experiment.schemes as [SchemeRun];
  const programs = scheme.plan.programs.map((program) => ({
    ...program,
    values: { ...program.values, ecn: { threshold: THRESHOLD } },
  }));
  const compiler = new ProgramCompiler();
  for (const [name, policy] of Object.entries(policies)) {
    const marking: SchemeRun = { ...scheme, hosts: () => policy, plan: { ...scheme.plan, programs } };
    fabrics.set(name, await bootFabric(experiment, marking, compiler, 1));
  }
});

const TRANSPORT = {
  segmentBytes: 1000,
  windowSegments: 16,
  margin: 200 * NS_PER_MS,
  cap: NS_PER_S,
  initial: NS_PER_S,
};

/** Bytes a second of both flows in the last second of three. */
function rates(which: "steady" | "aware", ports: readonly [number, number]): number[] {
  const fabric = fabrics.get(which)!;
  const { simulation } = fabric.network;
  const hosts = ["host0-0-0", "host0-0-1", "host0-1-0", "host0-1-1"].map((name) =>
    fabric.host(nodeNamed(experiment.topology, name)!.index),
  );
  const flows = ports.map((port, i) => {
    const [a, b] = [hosts[i]!, hosts[i + 2]!];
    const random = new Random(7).fork(port);
    const client = a.open(4, port, { address: b.address(4), port: 80 }, random.fork("a"), TRANSPORT);
    b.open(4, 80, { address: a.address(4), port }, random.fork("b"), TRANSPORT);
    client.send(Number.POSITIVE_INFINITY);
    return client;
  });
  simulation.run(simulation.now + 2 * NS_PER_S);
  const before = flows.map(({ bytesAcknowledged }) => bytesAcknowledged);
  simulation.run(simulation.now + NS_PER_S);
  const made = flows.map(({ bytesAcknowledged }, i) => bytesAcknowledged - before[i]!);
  for (const flow of flows) flow.close();
  simulation.run(simulation.now + NS_PER_S);
  for (const host of hosts) host.reset();
  return made;
}

describe("marks by the depth of a queue", () => {
  it("let flows leave a congested path, on which others stay", () => {
    let shared = 0;
    for (let i = 0; i < 8; i++) {
      const ports = [40000 + i, 50000 + 3 * i] as const;
      const steady = rates("steady", ports);
      choosers.length = 0;
      const aware = rates("aware", ports);
      // A link carries 1.25 MB/s; of these a segment's payload is 1000 of 1082 bytes.
      for (const rate of aware) expect(rate).toBeGreaterThan(1_050_000);
      if (Math.max(...steady) > 900_000) {
        // On two links from the beginning: nothing is marked, so nothing moves.
        expect(choosers.map(({ moves }) => moves)).toEqual([0, 0, 0, 0]);
        continue;
      }
      shared++;
      expect(choosers.some(({ moves }) => moves > 0)).toBe(true);
    }
    expect(shared).toBeGreaterThan(1);
    expect(shared).toBeLessThan(8);
  });
});

describe("queues.ecn_threshold", () => {
  const queues = "{ ecn_threshold: 12 }";

  it("makes every program from a template mark, and leaves those with a threshold of their own", async () => {
    const { schemes, settings } = experimentWith({
      schemes: "[ecmp, prr, pecmp]",
      failures: "[tor]",
      queues,
    });
    expect(settings.queues.ecn_threshold).toBe(12);
    const compiler = new ProgramCompiler({ ecnThreshold: 12 });
    for (const scheme of schemes) await compiler.compileAll(scheme);
    expect(compiler.sources.length).toBeGreaterThanOrEqual(schemes.length);
    for (const { text, file } of compiler.sources) expect(text, file).toContain("enq_qdepth >= 12");
    expect(compiler.notes).toEqual([]);

    const [scheme] = schemes as [SchemeRun];
    const programs = scheme.plan.programs.map((program) => ({
      ...program,
      values: { ...program.values, ecn: { threshold: THRESHOLD } },
    }));
    const own = new ProgramCompiler({ ecnThreshold: 12 });
    await own.compileAll({ ...scheme, plan: { ...scheme.plan, programs } });
    for (const { text } of own.sources) expect(text).toContain(`enq_qdepth >= ${THRESHOLD}`);
    expect(own.notes).toEqual([
      "Programs of the scheme ecmp mark packets by a rule of their own and not by queues.ecn_threshold.",
    ]);
  });
});
