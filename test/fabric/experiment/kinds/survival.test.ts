/** The kind `survival`: counts against closed forms, and against packets on a sample; what is refused. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../../../src/base/index.js";
import { bootFabric, ProgramCompiler } from "../../../../src/fabric/experiment/boot.js";
import { loadAnyKind } from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";
import { randomLoss, SURVIVAL } from "../../../../src/fabric/experiment/kinds/survival/index.js";
import { sitesOf } from "../../../../src/fabric/experiment/kinds/survival/outcome.js";
import { loadKind } from "../../../../src/fabric/experiment/read.js";
import { CLIENT, restingHost, SERVER } from "../../../../src/fabric/hosts/index.js";
import { SelectorPaths } from "../../../../src/fabric/schemes/index.js";
import { NS_PER_MS, NS_PER_S, type Stream } from "../../../../src/fabric/sim/packet/index.js";
import { hostsOf } from "../../../../src/fabric/topology/index.js";
import { tcp } from "../../sim/tcp/options.js";
import { jobContext } from "../job-context.js";
import { experimentWith } from "../model-fabric.js";

function fileOf(more: string, leaves = 4): string {
  return `kind: survival
name: survival
topology: { kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: ${leaves}, spines_per_plane: 4, homing: dual, hosts_per_rack: 2 }
${more}`;
}

function load(text: string) {
  const diagnostics = new Diagnostics();
  const loaded = loadAnyKind(new SourceFile("survival.yaml", text), diagnostics, KINDS);
  return { loaded, messages: diagnostics.list.map(formatDiagnostic).join("\n") };
}

type Row = Readonly<Record<string, number>>;

async function rowsOf(more: string, leaves?: number): Promise<Row[]> {
  const { loaded, messages } = load(fileOf(more, leaves));
  expect(messages).toBe("");
  return JSON.parse((await loaded!.run({})).json).rows;
}

/** So many, of `of` with this chance each, within four standard deviations. */
function expectAbout(count: number, of: number, chance: number): void {
  expect(Math.abs(count - of * chance)).toBeLessThan(4 * Math.sqrt(of * chance * (1 - chance)) + 1);
}

describe("connections of subflows with ports of their own", () => {
  it.each([4, 8])("are lost as often as independent draws say: %i leaves", async (leaves) => {
    const rows = await rowsOf(
      "connections: 8000\nbetween: inter_pod\nfailures: [tor, leaf, spine, link]\nschemes: [ecmp, pecmp]\n",
      leaves,
    );
    const sites = { tor: 2, leaf: leaves, spine: 4 * leaves, link: 2 * leaves };
    for (const row of rows) {
      const n = sites[row["failure"] as unknown as keyof typeof sites];
      expect(row["sites"]).toBe(n);
      expectAbout(row["lost"]!, 8000, randomLoss(n, 4));
      expect(row["random_lost"]).toBeCloseTo(8000 * randomLoss(n, 4), 0);
      const left = [0, 1, 2, 3, 4].map((alive) => row[`left_${alive}`]!);
      expect(left.reduce((sum, count) => sum + count, 0)).toBe(8000);
      expect(left[0]).toBe(row["lost"]);
      expect(row["lost_subflows_share"]).toBeCloseTo((2 * n - 1) / n ** 2, 1);
    }
  });

  it("has the closed form of footnote 3", () => {
    expect(randomLoss(2, 4)).toBeCloseTo(0.3164, 4);
    expect(100_000 * randomLoss(8, 4)).toBeCloseTo(301.7, 1);
    expect(randomLoss(1, 3)).toBe(1);
  });
});

describe("connections of subflows with one five-tuple", () => {
  const schemes = `schemes:
  - { scheme: pecmp, label: mirrored, subflow_selectors: mirrored }
  - { scheme: pecmp, label: halved }
  - { scheme: pecmp, label: hops, control: hops, field: vlan }
  - { scheme: pecmp, label: same, subflow_selectors: none }
`;

  it("never are lost with halved selectors, and half of them at a ToR with mirrored ones", async () => {
    const rows = await rowsOf(
      `connections: 2000\nsubflow_ports: shared\nfailures: [tor, leaf, spine, link]\n${schemes}`,
    );
    const lost = (scheme: string) =>
      rows.filter((row) => row["scheme"] === (scheme as unknown)).map((row) => row["lost"]!);
    expect(lost("halved")).toEqual([0, 0, 0, 0]);
    expect(lost("hops")).toEqual([0, 0, 0, 0]);
    expect(lost("mirrored").slice(1)).toEqual([0, 0, 0]);
    expectAbout(lost("mirrored")[0]!, 2000, 0.5);
    // All subflows take one path: as one flow.
    expectAbout(lost("same")[0]!, 2000, 3 / 4);
  });
});

describe("packets through the compiled programs", () => {
  const topology =
    "{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2, homing: dual, hosts_per_rack: 1, host_link: { rate: 1Gbps, delay: 10us }, fabric_link: { rate: 1Gbps, delay: 10us } }";
  const CONNECTIONS = 24;

  it.each(["mirrored", "halved"])("lose the connections that the path model names: %s", async (rule) => {
    const experiment = experimentWith({
      topology,
      schemes: `[{ scheme: pecmp, failover: none, subflow_selectors: ${rule} }]`,
      failures: "[tor]",
    });
    const [scheme] = experiment.schemes;
    const fabric = await bootFabric(experiment, scheme!, new ProgramCompiler(), 1);
    const { simulation } = fabric.network;
    const own = experiment.topology;
    const [from, to] = [hostsOf(own)[0]!, hostsOf(own)[1]!];
    const [a, b] = [fabric.host(from.index), fabric.host(to.index)];
    const options = tcp({ subflows: { count: 4, scheduler: "round_robin" } });
    const servers: Stream[] = [];
    b.listen(5001, options, (stream) => servers.push(stream), new Random(1));
    const ports = Array.from({ length: CONNECTIONS }, (_, i) => 20_000 + 17 * i);
    const clients = ports.map((port) => {
      const peer = { address: b.address(4), port: 5001 };
      return a.connectMultipath(4, new Array<number>(4).fill(port), peer, new Random(port), options);
    });
    for (const client of clients) client.send(4000);
    simulation.run(simulation.now + 100 * NS_PER_MS);
    for (const client of clients) expect(client.bytesAcknowledged).toBe(4000);
    const failed = from.ports[1]!.peer;
    fabric.network.failNode(fabric.nodes[failed]!);
    for (const client of clients) client.send(4000);
    simulation.run(simulation.now + 20 * NS_PER_S);
    const lost = ports.filter((_, i) => clients[i]!.bytesAcknowledged < 8000);

    const paths = new SelectorPaths(own, scheme!.plan.pathModel!(), scheme!.plan.hosts);
    const policy = scheme!.hosts(restingHost());
    const crosses = (port: number, subflow: number, back: boolean) => {
      const key = back
        ? { src: b.address(4), dst: a.address(4), protocol: 6, srcPort: 5001, dstPort: port }
        : { src: a.address(4), dst: b.address(4), protocol: 6, srcPort: port, dstPort: 5001 };
      const end = { ...(back ? SERVER : CLIENT), subflow, subflows: 4 };
      const { selector } = policy.open(key, new Random(0), end);
      const ends = back ? [to.index, from.index] : [from.index, to.index];
      const flow = {
        ...{ source: ends[0]!, destination: ends[1]!, version: 4 as const, protocol: 6 },
        ...{ sourcePort: key.srcPort, destinationPort: key.dstPort },
      };
      return paths.pathOf(flow, selector)!.nodes.includes(failed);
    };
    const predicted = ports.filter((port) =>
      [0, 1, 2, 3].every((subflow) => crosses(port, subflow, false) || crosses(port, subflow, true)),
    );
    expect(lost).toEqual(predicted);
    if (rule === "halved") expect(lost).toEqual([]);
    else {
      expect(lost.length).toBeGreaterThan(CONNECTIONS / 5);
      expect(lost.length).toBeLessThan((4 * CONNECTIONS) / 5);
    }
  });
});

describe("progress", () => {
  it("has a step for each hundred thousand connections, and one for the rest", async () => {
    const diagnostics = new Diagnostics();
    const text = fileOf("connections: 60\nfailures: [leaf]\nschemes: [ecmp]\n");
    const experiment = loadKind(SURVIVAL, new SourceFile("survival.yaml", text), diagnostics)!;
    let steps = 0;
    const progress = (count: number) => {
      steps += count;
    };
    await SURVIVAL.runner.run(experiment, SURVIVAL.units(experiment), { ...jobContext(1), progress });
    expect(steps).toBe(experiment.units[0]!.steps);
  });
});

describe("sites of a failure", () => {
  it("are the switches that the client's paths choose from", () => {
    const { topology } = experimentWith({
      topology:
        "{ kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 3, spines_per_plane: 2, homing: dual }",
      failures: "[tor]",
    });
    const [client] = hostsOf(topology);
    const counts = (["tor", "leaf", "spine", "link"] as const).map(
      (failure) => sitesOf(topology, client!.index, failure).count,
    );
    expect(counts).toEqual([2, 3, 6, 6]);
  });
});

describe("refuses", () => {
  const base = "connections: 10\nfailures: [tor]\n";
  it.each([
    ["a scheme whose paths depend on what happens", `${base}schemes: [hula]\n`, /P45210.*hula/],
    [
      "a host that is not there",
      `${base}schemes: [ecmp]\nbetween: [host0-0-0, nobody]\n`,
      /P45521\].*nobody/,
    ],
    ["hosts of one rack", `${base}schemes: [ecmp]\nbetween: [host0-0-0, host0-0-1]\n`, /P45521\].*one rack/],
    ["no connections", "connections: 0\nfailures: [tor]\nschemes: [ecmp]\n", /number of connections/],
    ["an unknown failure", "connections: 9\nfailures: [core]\nschemes: [ecmp]\n", /failures/],
    ["another engine", `${base}schemes: [ecmp]\nengine: switch\n`, /no packets/],
  ])("%s", (_what, more, message) => {
    expect(load(fileOf(more)).messages).toMatch(message);
  });

  it.each([
    ["inter_rack", "all hosts of the topology are in one rack", "write a topology with two racks or more"],
    ["inter_pod", "all hosts of the topology are in one pod", "write between: inter_rack"],
  ])("one place where there should be two: %s", (between, message, note) => {
    const text = fileOf(`${base}schemes: [ecmp]\nbetween: ${between}\n`).replace(
      /topology: .*/,
      `topology: { kind: leaf_spine, tors: ${between === "inter_rack" ? 1 : 2}, leaves: 2, homing: single }`,
    );
    const { messages } = load(text);
    expect(messages).toMatch(/survival\.yaml:7:\d+: error\[P45521\]/);
    expect(messages).toContain(message);
    expect(messages).toContain(`note: ${note}`);
  });

  it("a tier that the topology does not have", () => {
    const text = fileOf("connections: 9\nfailures: [leaf, spine]\nschemes: [ecmp]\n").replace(
      /topology: .*/,
      "topology: { kind: leaf_spine, tors: 4, leaves: 2 }",
    );
    expect(load(text).messages).toMatch(/survival\.yaml:5:\d+: error\[P45522\].*role spine/);
  });
});
