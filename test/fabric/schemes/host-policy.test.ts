/** A policy survives the way through a pipe: its description as JSON gives the same selectors and the same NICs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { type FlowKey, SELECTOR_FIELDS } from "../../../src/base/packets/index.js";
import {
  CLIENT,
  type HostPolicy,
  type PolicyDescription,
  restingHost,
} from "../../../src/fabric/hosts/index.js";
import { hostPolicyOf, SCHEMES, type Scheme } from "../../../src/fabric/schemes/index.js";
import { FAILOVERS } from "../../../src/fabric/schemes/pecmp/failovers.js";
import { type PecmpHosts, pecmpHosts } from "../../../src/fabric/schemes/pecmp/hosts.js";
import { type FanOuts, layOut, VERSION_BITS } from "../../../src/fabric/schemes/pecmp/layout.js";
import type { Control } from "../../../src/fabric/schemes/pecmp/matrix.js";
import { offsetSet } from "../../../src/fabric/schemes/pecmp/selectors.js";
import { buildTopology, topologySchema } from "../../../src/fabric/topology/index.js";

type Event =
  | { kind: "timeout"; attempt: number }
  | { kind: "ack"; echo: number }
  | { kind: "data"; selector: number; echo: number; duplicate: boolean };

/** Few different selectors, so that events meet what the chooser tried before. */
const selector = fc.integer({ min: 0, max: 7 });
const echo = fc.oneof(fc.constant(-1), selector);
const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("timeout" as const), attempt: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant("ack" as const), echo }),
    fc.record({ kind: fc.constant("data" as const), selector, echo, duplicate: fc.boolean() }),
  ),
  { minLength: 20, maxLength: 40 },
);
const port = fc.integer({ min: 0, max: 65535 });
const address = fc.bigInt({ min: 1n, max: 2n ** 128n - 1n });
const flow: fc.Arbitrary<FlowKey> = fc.record({
  src: address,
  dst: address,
  protocol: fc.constant(6),
  srcPort: port,
  dstPort: port,
});

function decisions(hosts: HostPolicy, flow: FlowKey, seed: number, events: readonly Event[]): unknown[] {
  const chooser = hosts.open(flow, new Random(seed), CLIENT);
  return events.map((event) => {
    const answer =
      event.kind === "timeout"
        ? chooser.onTimeout(event.attempt)
        : event.kind === "ack"
          ? chooser.onAck({ selector: 0, echo: event.echo })
          : chooser.onData(event, event.duplicate);
    return [answer, chooser.selector, hosts.nic(flow, chooser.selector, 4)];
  });
}

function expectRestored(hosts: HostPolicy, description: PolicyDescription): void {
  const restored = hostPolicyOf(JSON.parse(JSON.stringify(description)), restingHost());
  fc.assert(
    fc.property(flow, fc.nat(), events, (flow, seed, events) => {
      expect(decisions(restored, flow, seed, events)).toEqual(decisions(hosts, flow, seed, events));
    }),
    { numRuns: 10 },
  );
}

const FABRICS: readonly FanOuts[] = [
  { tor: { least: 4, most: 4 }, leaf: { least: 8, most: 8 } },
  { nic: { least: 2, most: 2 }, tor: { least: 2, most: 4 }, spine: { least: 4, most: 4 } },
  { nic: { least: 2, most: 2 }, tor: { least: 3, most: 5 }, legs: { least: 2, most: 2 } },
];

describe("hostPolicyOf", () => {
  it.each(FAILOVERS)("restores P-ECMP with failover %s under every control and version bit", (failover) => {
    for (const fanOuts of FABRICS) {
      for (const control of ["offset", "hops", "both"] satisfies Control[]) {
        for (const versionBit of VERSION_BITS) {
          const offsets = offsetSet("primes", 8);
          const layout = layOut(control, "dscp_flow_label", versionBit, fanOuts, offsets.bits);
          const hosts: PecmpHosts = { failover, layout, offsets, subflows: "halved" };
          expectRestored(pecmpHosts(hosts, restingHost()), { kind: "pecmp", ...hosts });
        }
      }
    }
  });

  it("restores what the plans of all schemes have", () => {
    const topology = buildTopology(topologySchema.parse({ kind: "leaf_spine", tors: 4, leaves: 2 }));
    const restores = (scheme: Scheme, parameters: object) => {
      const { hosts } = scheme.plan(topology, scheme.parameters.parse(parameters));
      expectRestored(scheme.hosts(hosts, restingHost()), hosts);
    };
    for (const scheme of Object.values(SCHEMES)) restores(scheme, {});
    for (const field of SELECTOR_FIELDS)
      for (const copies of [1, 2]) restores(SCHEMES["prr"]!, { field, copies });
  });

  const offsets = offsetSet("odd", 4);
  const layout = layOut("offset", "dscp", "none", FABRICS[0]!, 2);
  const description = { kind: "pecmp", failover: "probe", layout, offsets, subflows: "halved" };
  it.each([
    [
      "an unknown kind",
      { kind: "other" },
      /P42210\]: unknown kind of host policy "other"; known kinds are fixed, .*, pecmp, plb, .*prr/,
    ],
    ["a name of every object", { kind: "toString" }, /P42210\]: unknown kind of host policy "toString"/],
    ["no kind", {}, /P42210\]: the description of a host policy has no kind/],
    ["no object", null, /has no kind/],
    ["no selector", { kind: "fixed" }, /selector: .*number/],
    ["a number of values that is none", { kind: "prr", values: 0 }, /values: .*>=1/],
    ["a number of copies that it does not have", { kind: "prr", values: 4, copies: 3 }, /copies: .*1 or 2/],
    ["a parameter that it does not have", { kind: "prr", values: 4, more: 1 }, /"more"/],
    ["an unknown failover", { ...description, failover: "jump" }, /failover: .*"probe"/],
    ["no layout", { ...description, layout: undefined }, /layout: /],
    ["an unknown hop", { ...description, layout: { ...layout, slices: { roof: {} } } }, /slices/],
  ] as const)("refuses %s", (_what, wrong, message) => {
    expect(() => hostPolicyOf(wrong, restingHost())).toThrow(message);
  });
});
