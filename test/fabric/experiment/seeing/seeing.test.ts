/** What a run on the simulator shows beside its results: captures of links, and flows hop by hop. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import {
  PcapngDecoder,
  type PcapngInterface,
  type PcapngPacket,
  Segment,
} from "../../../../src/base/packets/index.js";
import { loadExperimentFile, type RunOptions } from "../../../../src/fabric/experiment/index.js";
import { traceSchema } from "../../../../src/toolchain/trace/schema.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-seeing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = `name: seeing
topology: { kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 5us } }
schemes: [ecmp]
transport: { segment_bytes: 1000, window_segments: 4 }
flows:
  - { from: host0-0-0, to: host0-1-0, start: 0ms, bytes: 5000 }
  - { from: host0-0-1, to: host0-1-1, start: 1ms, bytes: 3000 }
duration: 3ms
`;

async function run(name: string, options: RunOptions, more = "") {
  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentFile(new SourceFile("s.yaml", FILE + more), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  const out = join(folder, name);
  const results = await experiment.run({ ...options, out });
  return { out, results };
}

function capture(out: string): { interfaces: readonly PcapngInterface[]; packets: readonly PcapngPacket[] } {
  const decoder = new PcapngDecoder("ecmp.pcapng");
  decoder.push(readFileSync(join(out, "captures", "ecmp.pcapng")));
  const packets: PcapngPacket[] = [];
  for (let packet = decoder.next(); packet !== undefined; packet = decoder.next()) packets.push(packet);
  decoder.finish();
  return { interfaces: decoder.interfaces, packets };
}

function segmentOf(frame: Uint8Array): Segment {
  const segment = new Segment();
  expect(segment.read(frame)).toBe(true);
  return segment;
}

describe("captures", () => {
  it("have one interface a direction of a link, and every frame that arrives, at its time", async () => {
    const { out } = await run("link", { seeing: { pcap: ["tor0-0 leaf0-0"] } });
    const { interfaces, packets } = capture(out);
    expect(interfaces.map(({ name }) => name)).toEqual(["tor0-0:3>leaf0-0:1", "leaf0-0:1>tor0-0:3"]);
    const [data, acks] = [0, 1].map((number) => packets.filter((one) => one.interface === number));
    expect(data!.map(({ frame }) => segmentOf(frame).payloadLength)).toEqual(new Array(8).fill(1000));
    expect(acks!.map(({ frame }) => segmentOf(frame).payloadLength)).toEqual(new Array(8).fill(0));
    // The frame of one hop is not changed by the next: the ToR has lowered the hop limit once, the leaf not yet.
    for (const { frame } of data!) expect(segmentOf(frame).hopLimit).toBe(63);
    const times = packets.map(({ seconds, nanoseconds }) => seconds * 1e9 + nanoseconds);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("of a port have what it sends and receives", async () => {
    const { out } = await run("port", { seeing: { pcap: ["host0-0-0:1"] } });
    const { interfaces, packets } = capture(out);
    expect(interfaces.map(({ name }) => name)).toEqual(["host0-0-0:1"]);
    const ways = packets.map(({ frame, outbound }) => [outbound, segmentOf(frame).payloadLength]);
    expect(ways.filter(([outbound]) => outbound)).toEqual(new Array(5).fill([true, 1000]));
    expect(ways.filter(([outbound]) => !outbound)).toEqual(new Array(5).fill([false, 0]));
  });

  it("of all links have each frame once a hop", async () => {
    const { out } = await run("all", {}, "see: { pcap: all }\n");
    const { interfaces, packets } = capture(out);
    expect(interfaces).toHaveLength(2 * 6);
    expect(packets).toHaveLength(16 * 4);
  });

  it.each([
    ["tor9", 'no node is called "tor9"'],
    ["tor0-0:7", "tor0-0 has no port 7"],
    ["tor0-0 tor0-1", "no link between tor0-0 and tor0-1"],
    ["tor0-0 leaf0-0 tor0-1", "has more than two nodes"],
  ])("of links that are not there are refused: %s", async (link, message) => {
    await expect(run("wrong", { seeing: { pcap: [link] } })).rejects.toThrow(message);
  });
});

describe("traces of a flow", () => {
  it("have a document a hop for both directions, of this flow alone", async () => {
    const { out } = await run("flow", { seeing: { flows: [1] } });
    expect(readdirSync(join(out, "traces"))).toEqual(["ecmp-flow-1.jsonl"]);
    const lines = readFileSync(join(out, "traces", "ecmp-flow-1.jsonl"), "utf8")
      .trim()
      .split("\n");
    const packets = lines.map((line) => traceSchema.parse(JSON.parse(line)));
    // Three segments and three acknowledgements, at three switches each.
    expect(packets).toHaveLength(18);
    const devices = packets.map(({ device }) => device).sort();
    expect([...new Set(devices)]).toEqual(["leaf0-0", "tor0-0", "tor0-1"]);
    expect(devices.filter((device) => device === "leaf0-0")).toHaveLength(6);
    const hit = packets.every(({ root }) =>
      root.events.some((event) => event.kind === "table_lookup" && event.hit),
    );
    expect(hit).toBe(true);
  });

  it("change no results", async () => {
    const seen = await run("seen", { seeing: { flows: [0, 1], pcap: ["all"] } });
    const plain = await run("plain", {});
    const text = (out: string) => readFileSync(join(out, "results.json"), "utf8");
    expect(text(seen.out)).toBe(text(plain.out));
  });
});

it("is refused on engines that cannot show it", async () => {
  await expect(run("bmv2", { engine: "bmv2", seeing: { flows: [0] } })).rejects.toThrow(
    "does not trace flows",
  );
});

describe("an experiment of another kind", () => {
  const topology =
    "topology: { kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 2 }\nschemes: [ecmp]\n";
  const read = async (text: string, seeing: NonNullable<RunOptions["seeing"]>, name: string) => {
    const diagnostics = new Diagnostics();
    const experiment = await loadExperimentFile(new SourceFile("k.yaml", topology + text), diagnostics);
    expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
    const out = join(folder, name);
    await experiment!.run({ seeing, out });
    return out;
  };

  it("shows flows under load by their numbers, each job in files of its own", async () => {
    const text =
      "name: l\nload: 0.3\ntraffic: { sizes: { fixed: 20KB }, pattern: all_to_all, flows: 6 }\nsweep: { load: [0.2, 0.4] }\n";
    const out = await read(text, { flows: [2], pcap: ["tor0-0 leaf0-0"] }, "load");
    const names = (of: string) => readdirSync(join(out, of)).sort();
    expect(names("traces")).toHaveLength(2);
    expect(names("captures")).toHaveLength(2);
    for (const name of names("traces")) {
      expect(name).toMatch(/load-0.[24].*ecmp.*seed-1-flow-2\.jsonl$/);
      expect(readFileSync(join(out, "traces", name), "utf8")).not.toBe("");
    }
  });

  it("shows the flow of a run of failover", async () => {
    const text = "name: f\nfailures: [link]\nruns: 2\n";
    const out = await read(text, { flows: [1] }, "failover");
    expect(readFileSync(join(out, "traces", "ecmp-flow-1.jsonl"), "utf8")).not.toBe("");
  });
});
