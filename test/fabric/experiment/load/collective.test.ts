/** Collective operations in files of the kind `load`: the closed form in an empty network, and what the results say. */
import { describe, expect, it } from "vitest";
import { loadRows } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import { loadOf, play } from "./play.js";

const RATE = 10e9;
const DELAY = 1000;
const HEADERS = 66;
const onLink = (bytes: number) => Math.ceil((8e9 * bytes) / RATE);

/** Hosts at one switch, so that all neighbours are alike. */
const star = (operation: string, hosts: number, bytes: number, rest = "") => `topology:
  { kind: leaf_spine, tors: 1, leaves: 1, hosts_per_rack: ${hosts}, homing: single, host_link: { rate: 10Gbps, delay: 1us }, fabric_link: { rate: 10Gbps } }
schemes: [ecmp]
traffic: { sizes: { fixed: ${bytes} }, pattern: { collective: { operation: ${operation}, loop: { think: 0s } } }, flows: 1000, duration: 1ns }
transport: { protocol: messages, window: 64KB, segment_bytes: 1000 }
${rest}`;

describe("an operation alone in the network", () => {
  it.each([
    ["all_reduce", 4],
    ["all_reduce", 8],
    ["all_to_all", 6],
  ] as const)("takes its steps times a packet and an answer: %s of %i hosts", async (operation, hosts) => {
    // Parts of one packet: a host answers the packet that has come, and sends the next one behind the answer.
    const [outcome] = await play(loadOf(star(operation, hosts, hosts * 1000)));
    const steps = operation === "all_reduce" ? 2 * (hosts - 1) : hosts - 1;
    const packet = 2 * onLink(1000 + HEADERS) + 2 * DELAY;
    const expected = steps * packet + (steps - 1) * onLink(HEADERS);
    const [row] = loadRows([outcome!]);
    expect(row!.requests).toBe(1);
    expect(row!.rct_mean_ms).toBe(expected / 1e6);
    expect(row!.rct_slowdown_mean).toBeCloseTo(expected / (steps * packet), 5);
  });

  it("is at most an answer a packet above the closed form of its bytes", async () => {
    for (const operation of ["all_reduce", "all_to_all"]) {
      const [hosts, bytes] = [6, 1_200_000];
      const [row] = loadRows(await play(loadOf(star(operation, hosts, bytes))));
      const steps = operation === "all_reduce" ? 2 * (hosts - 1) : hosts - 1;
      const packets = bytes / hosts / 1000;
      // 2(N-1)/N of the bytes over the rate, with their headers, and the latency of each step: another link of a packet and the propagation.
      const latency = onLink(1000 + HEADERS) + 2 * DELAY;
      const closed = steps * (packets * onLink(1000 + HEADERS) + latency);
      const slowdown = (row!.rct_mean_ms as number) / (closed / 1e6);
      expect(slowdown).toBeGreaterThanOrEqual(1);
      expect(slowdown).toBeLessThan(1 + HEADERS / (1000 + HEADERS) + 0.01);
      expect(row!.rct_slowdown_mean).toBeCloseTo(slowdown, 5);
    }
  });
});

describe("the steps of operations in a fabric", () => {
  it("are the same flows under every scheme, whole operations, and again the same figures", async () => {
    const text = `topology: { kind: leaf_spine, tors: 2, leaves: 2, hosts_per_rack: 2, homing: single }
schemes: [ecmp, { scheme: spray, field: flow_label }]
traffic: { ip: 6, sizes: { fixed: 80KB }, pattern: { collective: { operation: all_reduce, hosts: [host0-0-0, host0-1-0, host0-0-1, host0-1-1], loop: { think: 10us } } }, flows: 60 }
transport: { protocol: messages, window: 64KB, segment_bytes: 1000 }
`;
    const load = loadOf(text);
    const outcomes = await play(load);
    for (const outcome of outcomes) {
      expect(outcome.started).toBe(48);
      expect(loadRows([outcome])[0]).toMatchObject({ requests: 2, requests_unfinished: 0, unfinished: 0 });
    }
    expect(JSON.stringify(loadRows(await play(load)))).toBe(JSON.stringify(loadRows(outcomes)));
  });

  it("have no ideal time where hosts do not reach each other, as no flow has", async () => {
    const [row] = loadRows(
      await play(loadOf(star("all_reduce", 3, 3000, "sizes: { small: 1KB, large: 2KB }\n"))),
    );
    expect(row!.rct_slowdown_mean).toBeGreaterThanOrEqual(1);
  });
});
