/** The kind `requests`: its measures on given IOs, the application in a small fabric, and what is refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadAnyKind } from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";
import {
  type Io,
  longestHang,
  longestJitter,
} from "../../../../src/fabric/experiment/kinds/requests/on-simulator.js";

const io = (start: number, end: number | undefined, client = 0): Io => ({ client, start, end, left: 0 });

describe("stretches of slow IOs", () => {
  it("are unions of overlapping IOs that take longer than the limit", () => {
    expect(longestJitter([], 10, 100)).toBe(0);
    expect(longestJitter([io(0, 10), io(5, 15)], 10, 100)).toBe(0);
    expect(longestJitter([io(0, 20), io(15, 40), io(41, 60)], 10, 100)).toBe(40);
    expect(longestJitter([io(0, 20), io(5, 12, 1), io(20, 35)], 10, 100)).toBe(35);
    expect(longestJitter([io(60, undefined)], 10, 100)).toBe(40);
  });
});

describe("hangs", () => {
  it("are times in which IOs wait and none completes", () => {
    expect(longestHang([], 100)).toBe(0);
    expect(longestHang([io(10, 15), io(50, 53)], 100)).toBe(5);
    expect(longestHang([io(10, 40), io(12, 20), io(22, 24)], 100)).toBe(16);
    expect(longestHang([io(10, undefined), io(12, 20)], 100)).toBe(80);
    // A completion of another client is none of this one.
    expect(longestHang([io(10, 60), io(20, 30, 1)], 100)).toBe(50);
  });

  it("are as a look at every instant finds them", () => {
    const ios = fc.array(
      fc.record({ start: fc.nat(40), takes: fc.option(fc.integer({ min: 1, max: 30 })), client: fc.nat(1) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(ios, (list) => {
        const end = 50;
        const all = list.map(({ start, takes, client }) => {
          const done = takes === null ? undefined : start + takes;
          return io(start, done === undefined || done > end ? undefined : done, client);
        });
        let expected = 0;
        for (const client of [0, 1]) {
          const own = all.filter((one) => one.client === client);
          // Half instants lie between events: a run of them with IOs waiting and no completion between two.
          let run = 0;
          for (let t = 0; t < end; t++) {
            const completes = own.some((one) => one.end === t);
            const waits = own.some((one) => one.start <= t && (one.end ?? end) > t);
            run = (completes ? 0 : run) + (waits ? 1 : 0);
            if (!waits) run = 0;
            expected = Math.max(expected, run);
          }
        }
        expect(longestHang(all, end)).toBe(expected);
      }),
    );
  });
});

const BASE = `kind: requests
name: requests
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 10Gbps, delay: 10us }, fabric_link: { rate: 10Gbps, delay: 1us } }
application:
  clients: [host0-0-0]
  servers: [host0-1-0, host0-1-1]
  fan_out: 2
  connections: 3
  request: 4KB
  interval: 5ms
  timeout: 100ms
  jitter: 50ms
  hang: 50ms
duration: 600ms
transport: { segment_bytes: 1000, rto_min: 20ms }
`;

function load(text: string) {
  const diagnostics = new Diagnostics();
  const loaded = loadAnyKind(new SourceFile("requests.yaml", text), diagnostics, KINDS);
  return { loaded, messages: diagnostics.list.map(formatDiagnostic).join("\n") };
}

async function rowsOf(more: string): Promise<Readonly<Record<string, number>>[]> {
  const { loaded, messages } = load(BASE + more);
  expect(messages).toBe("");
  return JSON.parse((await loaded!.run({})).json).rows;
}

describe("the application", () => {
  it("has all IOs answered within some round trips while nothing fails", async () => {
    const [row] = await rowsOf("schemes: [ecmp]\n");
    expect(row).toMatchObject({
      unfinished: 0,
      slow: 0,
      jitter_share: 0,
      hang_share: 0,
      reconnects: 0,
      timeouts: 0,
    });
    // A Poisson process of 5 ms for 600 ms.
    expect(Math.abs(row!["ios"]! - 120)).toBeLessThan(4 * Math.sqrt(120));
    // Four segments of 4 us on each of three links, two links of 10 us and two of 1 us each way.
    expect(row!["latency_p50_ms"]).toBeGreaterThan(0.044);
    expect(row!["latency_max_ms"]).toBeLessThan(1);
  });

  it("leaves a failed leaf by new connections alone under ECMP, and by its hosts under P-ECMP", async () => {
    const [ecmp, pecmp] = await rowsOf(
      `schemes: [ecmp, { scheme: pecmp, failover: probe }]
faults: [{ at: 200ms, switch: leaf0-0, kind: silent }]
sweep: { seeds: 3 }
`,
    );
    expect(ecmp!["reconnects"]).toBeGreaterThan(0);
    expect(ecmp!["jitter_share"]).toBe(1);
    // No connection is given up before it has waited for 100 ms.
    expect(ecmp!["jitter_min_s"]).toBeGreaterThan(0.1);
    expect(pecmp).toMatchObject({ unfinished: 0, reconnects: 0 });
    expect(pecmp!["jitter_max_s"] ?? 0).toBeLessThan(ecmp!["jitter_min_s"]!);
    expect(pecmp!["slow"]).toBeLessThan(ecmp!["slow"]!);
  });

  it("asks again what waited, exactly once, when the way is back", async () => {
    const [row] = await rowsOf(
      `schemes: [ecmp]
faults:
  - { at: 200ms, until: 350ms, host: host0-1-0, kind: silent }
`,
    );
    expect(row).toMatchObject({ unfinished: 0, hang_share: 1 });
    expect(row!["reconnects"]).toBeGreaterThan(0);
    expect(row!["hang_max_s"]).toBeGreaterThan(0.15);
  });
});

describe("refuses", () => {
  it.each([
    ["a client that is no host", "host0-0-0]", "nobody]", /P43014.*nobody/],
    ["a host twice", "host0-1-1]", "host0-1-0]", /P45523.*twice/],
    [
      "more servers than there are",
      "fan_out: 2",
      "fan_out: 3",
      /requests\.yaml:7:\d+: error\[P45523\].*fan_out is 3/,
    ],
    [
      "a transport without connections",
      "transport: { seg",
      "transport: { handshake: false, seg",
      /requests\.yaml:15:\d+: error\[P45523\].*handshake/,
    ],
    [
      "a fault of nothing",
      "duration: 600ms",
      "faults: [{ at: 1ms, switch: no, kind: silent }]\nduration: 600ms",
      /P43014/,
    ],
    ["no time to ask", "duration: 600ms", "duration: 600ms\nwarm_up: 1s", /P45523.*warm-up/],
    ["an interval of nothing", "interval: 5ms", "interval: 0s", /interval/],
  ])("%s", (_what, from, to, message) => {
    const text = `${BASE}schemes: [ecmp]\n`;
    expect(text).toContain(from);
    expect(load(text.replace(from, to)).messages).toMatch(message);
  });
});
