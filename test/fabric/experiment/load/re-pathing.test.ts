/** Balancing and spraying through the compiled programs: moves are counted, and turns load links evenly. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadAnyKind } from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";

type Row = Readonly<Record<string, number>>;

async function rowsOf(more: string): Promise<Row[]> {
  const text = `name: moves
topology: { kind: leaf_spine, tors: 2, leaves: 4, homing: single, hosts_per_rack: 4,
  host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }
drain: 2s
${more}`;
  const diagnostics = new Diagnostics();
  const loaded = loadAnyKind(new SourceFile("moves.yaml", text), diagnostics, KINDS);
  expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
  const { rows } = JSON.parse((await loaded!.run({})).json) as { rows: Row[] };
  return rows.filter((row) => (row["size"] as unknown) === "all");
}

describe("balancing", () => {
  it("moves flows that share a link, and their moves are counted; ECMP has no such key", async () => {
    const [plb, pecmp, ecmp] = await rowsOf(`
schemes: [{ scheme: plb, rounds: 3, field: vlan }, { scheme: pecmp, failover: prr, balance: { rounds: 3 } }, ecmp]
traffic: { sizes: { fixed: 700KB }, arrivals: constant, pattern: permutation, flows: 20, interval: 700us }
transport: { congestion_control: cubic, segment_bytes: 1400, rto_margin: 5ms, rto_initial: 5ms }
queues: { packets: 200, ecn_threshold: 20 }
`);
    for (const row of [plb!, pecmp!]) {
      expect(row["repaths"]).toBeGreaterThan(2);
      expect(row).toMatchObject({ flows: 20, unfinished: 0 });
    }
    expect(ecmp).not.toHaveProperty("repaths");
    expect(plb!["fct_mean_ms"]).toBeLessThan(1.1 * ecmp!["fct_mean_ms"]!);
  });
});

describe("spraying", () => {
  it("loads the uplinks of a ToR evenly in turn, more evenly than at random, and far more than by flows", async () => {
    const [turns, random, flows] = await rowsOf(`
schemes:
  - { scheme: pecmp, label: turns, control: hops, spray: round_robin }
  - { scheme: pecmp, label: random, control: hops, spray: random }
  - { scheme: pecmp, label: flows }
load: 0.5
traffic: { sizes: { fixed: 200KB }, pattern: inter_rack, flows: 30 }
transport: { congestion_control: cubic, segment_bytes: 1400, rto_margin: 5ms, rto_initial: 5ms, reordering: true }
`);
    expect(turns!["link_cv"]).toBeLessThan(0.6 * random!["link_cv"]!);
    expect(random!["link_cv"]).toBeLessThan(0.5 * flows!["link_cv"]!);
    for (const row of [turns!, random!]) {
      expect(row).toMatchObject({ unfinished: 0 });
      expect(row["reordered_share"]).toBeGreaterThan(flows!["reordered_share"]!);
    }
    // Senders expect reordering: it costs few segments.
    expect(turns!["retransmissions"]).toBeLessThan(0.02 * 30 * 143);
  });
});
