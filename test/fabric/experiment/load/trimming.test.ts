/** `queues.trim` in files of the kind `load`: what it changes, and what the results say of it. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../../src/base/index.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { loadRows } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import { loadFiles } from "../../../../src/fabric/experiment/kinds/load/values.js";
import { checkTrimmedSchemes } from "../../../../src/fabric/experiment/packet-trimming.js";
import { loadOf, play } from "./play.js";

const incast = (
  queues: string,
  ip = 4,
  schemes = "[ecmp]",
  transport = "recovery: selective_repeat",
) => `topology:
  { kind: leaf_spine, tors: 2, leaves: 2, hosts_per_rack: 4, homing: single, host_link: { rate: 10Gbps }, fabric_link: { rate: 10Gbps } }
schemes: ${schemes}
traffic: { ip: ${ip}, sizes: { fixed: 50KB }, pattern: { incast: { senders: 6, receivers: [host0-0-0] } }, interval: 1ms, flows: 12 }
transport: { protocol: messages, ${transport}, window: 40KB, segment_bytes: 1440, rto_margin: 20ms, rto_initial: 20ms }
queues: ${queues}
drain: 1s
`;

describe("an incast that is trimmed", () => {
  it.each([4, 6])("ends without a timeout, where without trimming it waits for one: IPv%i", async (ip) => {
    const [dropped] = await play(loadOf(incast("{ packets: 20 }", ip)));
    expect(loadRows([dropped!])[0]!.timeouts).toBeGreaterThan(0);
    expect(dropped!.trimmed).toBeUndefined();
    const [cut] = await play(loadOf(incast("{ packets: 20, trim: {} }", ip)));
    const [row] = loadRows([cut!]);
    expect(row).toMatchObject({ timeouts: 0, drops: 0, trimmed_lost: 0, headers_lost: 0, unfinished: 0 });
    expect(row!.trimmed).toBeGreaterThan(0);
    // Each cut packet is sent again, once.
    expect(row!.retransmissions).toBe(row!.trimmed);
    expect(row!.fct_max_ms).toBeLessThan((loadRows([dropped!])[0]!.fct_max_ms as number) / 2);
  });

  it("loses headers in a queue that is too small for them, and counts them as drops", async () => {
    const outcomes = await play(loadOf(incast("{ packets: 20, trim: { header_queue: 200 } }")));
    const [row] = loadRows(outcomes);
    expect(row!.trimmed_lost).toBeGreaterThan(0);
    expect(row!.drops).toBe((row!.trimmed_lost as number) + (row!.headers_lost as number));
    expect(row!.header_queue_max_bytes).toBeLessThanOrEqual(200);
    expect(row!.timeouts).toBeGreaterThan(0);
    expect(row!.unfinished).toBe(0);
  });

  it("runs under schemes that spray, mark, put a header before the packets, or repeat all from a gap", async () => {
    const schemes =
      "[{ scheme: spray, field: flow_label }, { scheme: reps, field: flow_label }, conga, drill]";
    for (const transport of [
      "recovery: selective_repeat",
      "recovery: go_back_n",
      "congestion_control: swift",
    ]) {
      const rows = loadRows(
        await play(loadOf(incast("{ packets: 20, ecn_threshold: 10, trim: {} }", 6, schemes, transport))),
      );
      for (const row of rows) expect(row).toMatchObject({ unfinished: 0, drops_host: 0 });
    }
  });

  it("leaves a header whole that a ToR puts before a packet, or takes away: what is cut at an uplink is answered", async () => {
    const file = incast(
      "{ packets: 10, trim: { header_queue: 100KB, headers_per_packet: 10 } }",
      6,
      "[conga]",
    )
      .replace("fabric_link: { rate: 10Gbps }", "fabric_link: { rate: 2Gbps }")
      .replace(/pattern: .*flows: 12/, "interval: 20us, flows: 16");
    const [outcome] = await play(loadOf(file));
    const [row] = loadRows([outcome!]);
    expect(row).toMatchObject({ unfinished: 0, drops_host: 0, trimmed_lost: 0, headers_lost: 0 });
    // Each header is answered. Timers find only what the hosts' own queues drop, which cut nothing.
    expect(row!.retransmissions).toBeGreaterThanOrEqual(row!.trimmed as number);
    expect(row!.timeouts).toBeLessThanOrEqual(row!.drops_host_queue as number);
    const uplinks = outcome!.trimmed!.filter(({ to }) => to.startsWith("leaf"));
    expect(uplinks.reduce((sum, { trimmed }) => sum + trimmed, 0)).toBeGreaterThan(0);
  });

  it("has room for one cut frame with its overlay, and for no second one", async () => {
    const [outcome] = await play(loadOf(incast("{ packets: 10, trim: { header_queue: 94 } }", 6, "[conga]")));
    const most = (toHost: boolean) =>
      Math.max(
        ...outcome!.trimmed!.filter(({ to }) => to.startsWith("host") === toHost).map((port) => port.most),
      );
    expect([most(false), most(true)]).toEqual([94, 86]);
  });

  it("keeps packets whole that are not longer than a cut one", async () => {
    const file = incast("{ packets: 20, trim: { length: 1400 } }").replace("fixed: 50KB", "fixed: 1KB");
    const [outcome] = await play(loadOf(file.replace("flows: 12", "flows: 120").replace("1ms", "20us")));
    expect(loadRows([outcome!])[0]).toMatchObject({ trimmed: 0, retransmissions: 0, timeouts: 0, drops: 0 });
  });

  it("is refused under a program of the user's whose packets have a selector in the DSCP", () => {
    const file = incast("{ packets: 20, trim: {} }");
    const machine = loadOf(file).settings;
    const refused = (field: "dscp" | "flow_label", selector: number) => {
      const diagnostics = new Diagnostics();
      const plan = { field, hosts: { kind: "fixed", selector } };
      checkTrimmedSchemes(machine, [{ label: "own", plan }], () => undefined, diagnostics);
      return diagnostics.list.map(({ code }) => code);
    };
    expect(refused("dscp", 5)).toEqual(["P43051"]);
    expect(refused("dscp", 0)).toEqual([]);
    expect(refused("flow_label", 5)).toEqual([]);
  });

  it("has a file by port, and the same figures again", async () => {
    const load = loadOf(
      incast("{ packets: 20, trim: { headers_per_packet: 10, answers: data, length: 128 } }"),
    );
    const outcomes = await play(load);
    expect(JSON.stringify(loadRows(await play(load)))).toBe(JSON.stringify(loadRows(outcomes)));
    const unit = LOAD.units(load)[0]!;
    const sweep = {
      keys: [],
      points: [{ values: {}, experiment: load, units: [{ unit, outcomes, rows: loadRows(outcomes) }] }],
    };
    const file = loadFiles(sweep as never).find(([name]) => name === "trimming.csv");
    const lines = String(file![1]).trim().split("\n");
    expect(lines[0]).toBe("scheme,seed,switch,to,trimmed,trimmed_lost,headers_lost,header_queue_max_bytes");
    expect(lines.length - 1).toBe(outcomes[0]!.trimmed!.length);
  });
});
