/** The key `traffic` of experiments under load: what it means, and every way to be wrong. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../../../../src/base/index.js";
import { planTraffic } from "../../../../../src/fabric/experiment/kinds/load/plan-traffic.js";
import { loadSchema, trafficSchema } from "../../../../../src/fabric/experiment/kinds/load/schema.js";
import { nodeNamed } from "../../../../../src/fabric/topology/index.js";
import { loadDocument } from "../../../../../src/toolchain/documents/index.js";
import { drawn, leafSpine } from "../../../traffic/flows.js";

const bad = join(import.meta.dirname, "../../../../bad/load-traffic");
const schema = z.strictObject({ load: loadSchema.optional(), traffic: trafficSchema });
const topology = leafSpine(4, 4);

/** Files are those beside the wrong inputs. */
function plan(text: string, name = "traffic.yaml", of = topology) {
  const diagnostics = new Diagnostics();
  const source = new SourceFile(join(bad, name), text);
  const document = loadDocument(source, schema, diagnostics);
  const made =
    document &&
    planTraffic({
      settings: document.value.traffic,
      load: document.value.load,
      segmentBytes: 1000,
      topology: of,
      source,
      locate: document.locate,
      diagnostics,
    });
  return {
    plan: made,
    messages: diagnostics.list.map((one) => formatDiagnostic(one).replaceAll(`${bad}/`, "")),
  };
}

describe("wrong traffic", () => {
  it.each(readdirSync(bad).filter((name) => name.endsWith(".yaml")))("explains %s", (name) => {
    const { plan: made, messages } = plan(readFileSync(join(bad, name), "utf8"), name);
    expect(made).toBeUndefined();
    expect(messages.length).toBe(1);
    expect(messages[0]).toContain(`error[${name.slice(0, 6)}]`);
    expect(messages[0]).toMatchSnapshot();
  });

  it("is a single host", () => {
    const { messages } = plan("load: 0.5\ntraffic: { sizes: rpc, flows: 1 }\n", "x.yaml", leafSpine(1, 1));
    expect(messages[0]).toContain("the topology has one host, and traffic needs two");
  });

  it("is a rack that flows cannot stay in, or cannot leave", () => {
    const at = (share: number, of: typeof topology) =>
      plan(`load: 0.5\ntraffic: { sizes: rpc, flows: 1, pattern: { rack_local: ${share} } }\n`, "x.yaml", of)
        .messages[0];
    expect(at(0.5, leafSpine(2, 1))).toContain('"host0-0-0" is the only host of its rack');
    expect(at(0, leafSpine(2, 1))).toBeUndefined();
    expect(at(0.5, leafSpine(1, 2))).toContain("all hosts of the topology are in one rack");
    expect(at(1, leafSpine(1, 2))).toBeUndefined();
  });

  it("is a matrix of hosts with traffic of a host to itself", () => {
    const { messages } = plan(
      "load: 0.5\ntraffic: { sizes: rpc, flows: 1, pattern: { matrix: diagonal.csv } }\n",
      "x.yaml",
      leafSpine(2, 1),
    );
    expect(messages[0]).toContain(
      'diagonal.csv: line 2, value 2 is traffic of "host0-1-0" to itself; write 0',
    );
  });
});

it("a matrix of racks may have traffic inside of a rack", () => {
  const { messages } = plan(
    "load: 0.5\ntraffic: { sizes: rpc, flows: 1, pattern: { matrix: diagonal.csv } }\n",
    "x.yaml",
    leafSpine(2, 3),
  );
  expect(messages).toEqual([]);
});

it("a host that a capture is mapped to may be misspelt", () => {
  const { messages } = plan(
    "load: 0.5\ntraffic: { sizes: rpc, flows: 1, replay: { file: six.pcap, hosts: { 10.9.0.1: host0-0-00 } } }\n",
  );
  expect(messages[0]).toContain('there is no host "host0-0-00"; did you mean "host0-0-0"?');
});

describe("traffic", () => {
  const opened = (text: string) => {
    const { plan: made, messages } = plan(text);
    expect(messages).toEqual([]);
    return made!.workload(new Random(1));
  };

  it("is all to all with Poisson arrivals over TCP unless it says otherwise", () => {
    const workload = opened("load: 0.25\ntraffic: { sizes: { fixed: 10KB }, flows: 20 }\n");
    expect(workload.offeredBps).toBeCloseTo(0.25 * 160e9, 0);
    const flows = drawn(workload);
    expect(flows.length).toBe(20);
    expect(new Set(flows.map(({ bytes, protocol, port }) => `${bytes} ${protocol} ${port}`))).toEqual(
      new Set(["10000 tcp 5201"]),
    );
  });

  it("of a part is as beside the mix where the part does not say", () => {
    const workload = opened(`load: 0.5
traffic:
  flows: 4000
  sizes: { uniform: [1KB, 3KB] }
  port: 80
  mix:
    - { share: 0.8 }
    - { share: 0.2, sizes: { fixed: 64KB }, protocol: { udp: 1Gbps }, port: 90 }
`);
    expect(workload.offeredBps).toBeCloseTo(80e9, 0);
    const flows = drawn(workload);
    const udp = flows.filter(({ protocol }) => protocol === "udp");
    expect(udp.every(({ bytes, rateBps, port }) => bytes === 64_000 && rateBps === 1e9 && port === 90)).toBe(
      true,
    );
    const tcp = flows.filter(({ protocol }) => protocol === "tcp");
    expect(tcp.every(({ bytes, port }) => bytes >= 1000 && bytes <= 3000 && port === 80)).toBe(true);
    const bytes = (list: typeof flows) => list.reduce((sum, flow) => sum + flow.bytes, 0);
    expect(bytes(udp) / bytes(flows)).toBeGreaterThan(0.15);
    expect(bytes(udp) / bytes(flows)).toBeLessThan(0.25);
  });

  it("takes own distributions in percent and in fractions, and remembers what was read", () => {
    const percent = plan("load: 0.5\ntraffic: { sizes: { cdf: { file: percent.txt } }, flows: 3 }\n").plan!;
    const fraction = plan(
      "load: 0.5\ntraffic: { sizes: { cdf: { file: fractions.txt, shares: fraction } }, flows: 3 }\n",
    ).plan!;
    expect(drawn(percent.workload(new Random(1)))).toEqual(drawn(fraction.workload(new Random(1))));
    expect(percent.files.map(([path]) => path)).toEqual(["percent.txt"]);
    expect(percent.files[0]![1]).toMatch(/^[0-9a-f]{64}$/);
    expect(percent.files[0]![1]).not.toBe(fraction.files[0]![1]);
  });

  it("has requests of named clients and servers, in open and closed loops", () => {
    const names = "clients: [host0-0-0], servers: [host0-1-0, host0-1-1]";
    const open = opened(
      `load: 0.5\ntraffic: { sizes: rpc, flows: 40, pattern: { requests: { fan_out: 2, ${names}, question: 1KB } } }\n`,
    );
    // One client of 10 Gbit/s.
    expect(open.offeredBps).toBeCloseTo(5e9, 0);
    const closed = opened(
      `traffic: { sizes: rpc, flows: 40, pattern: { requests: { fan_out: 2, ${names}, loop: { think: 0s } } } }\n`,
    );
    expect(closed.offeredBps).toBeUndefined();
    expect(closed.next()).toMatchObject({ startNs: 0, group: { flows: 2 } });
  });

  it("may be a trace, with its times stretched, up to a number of flows or a time", () => {
    const flows = (more: string) => {
      const { plan: made, messages } = plan(
        `traffic: { trace: { file: sorted.csv${more.startsWith(" t") ? `,${more} }` : ` }${more}`} }\n`,
      );
      expect(messages).toEqual([]);
      return { plan: made!, flows: drawn(made!.workload(new Random(1))) };
    };
    const all = flows("");
    expect(
      all.flows.map(({ id, startNs, bytes, protocol, port }) => [id, startNs, bytes, protocol, port]),
    ).toEqual([
      [0, 1000, 500, "tcp", 5201],
      [1, 2000, 600, "tcp", 80],
      [2, 2000, 700, "tcp", 5201],
    ]);
    const { nodes } = topology;
    expect(
      all.flows.map(({ source, destination }) => [nodes[source]!.name, nodes[destination]!.name]),
    ).toEqual([
      ["host0-0-0", "host0-1-0"],
      ["host0-1-1", "host0-0-0"],
      ["host0-3-3", "host0-0-1"],
    ]);
    expect(all.plan).toMatchObject({ flows: 3, durationNs: 2001 });
    expect(all.plan.files[0]![1]).toMatch(/^[0-9a-f]{64}$/);
    // A run may begin again, and two may run at the same time.
    expect(drawn(all.plan.workload(new Random(2)))).toEqual(all.flows);
    expect(flows(" time_scale: 0.5").flows.map(({ startNs }) => startNs)).toEqual([500, 1000, 1000]);
    expect(flows(", flows: 2").flows.length).toBe(2);
    const short = flows(", duration: 1500ns, protocol: { udp: 1Gbps }");
    expect(short.flows.map(({ protocol, rateBps }) => [protocol, rateBps])).toEqual([["udp", 1e9]]);
    expect(short.plan.durationNs).toBe(1500);
  });

  it("may have packets of a capture in addition, read again in each run", () => {
    const text = (more: string) =>
      `load: 0.5\ntraffic: { sizes: rpc, flows: 1, replay: { file: six.pcap, hosts: { 10.9.0.1: host0-0-0, "10.9.1.0/24": host0-1-0 }${more} } }\n`;
    const { plan: made, messages } = plan(text(""));
    expect(messages).toEqual([]);
    const [a, b] = ["host0-0-0", "host0-1-0"].map((name) => nodeNamed(topology, name)!.index);
    const play = (of: typeof made) => {
      const source = of!.replay!();
      return Array.from({ length: 7 }, () => source.next()).map(
        (one) => one && [one.timeNs, one.host, one.frame.length],
      );
    };
    const expected = [
      [0, a, 134],
      [100_000, b, 94],
      [200_000, a, 134],
      [300_000, b, 94],
      [400_000, a, 134],
      [500_000, b, 94],
      undefined,
    ];
    expect(play(made)).toEqual(expected);
    expect(play(made)).toEqual(expected);
    expect(made!.files.map(([path]) => path)).toEqual(["six.pcap"]);
    expect(play(plan(text(", time_scale: 2")).plan)[1]![0]).toBe(200_000);
    expect(plan("load: 0.5\ntraffic: { sizes: rpc, flows: 1 }\n").plan!.replay).toBeUndefined();
  });

  it("may come at an interval, which counts requests", () => {
    const flows = drawn(
      opened(
        "traffic: { sizes: rpc, duration: 10ms, arrivals: constant, interval: 1ms, pattern: { incast: { senders: 3 } } }\n",
      ) as never,
    );
    expect([...new Set(flows.map(({ startNs }) => startNs))]).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((ms) => ms * 1e6),
    );
    expect(flows.length).toBe(27);
  });
});
