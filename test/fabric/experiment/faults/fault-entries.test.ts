/** Faults as entries: at which switch and port, with which match and action, in which table. */
import { describe, expect, it } from "vitest";
import type { Element } from "../../../../src/fabric/experiment/faults/fault.js";
import {
  faultEntries,
  faultTables,
  type SwitchFault,
} from "../../../../src/fabric/experiment/faults/fault-entries.js";
import { nodeNamed } from "../../../../src/fabric/topology/index.js";
import { example } from "../../topology/load.js";
import { packets, silence } from "./silence.js";

const topology = example("clos");
const node = (name: string) => nodeNamed(topology, name)!;
const [tor, leaf] = [node("tor0-0"), node("leaf0-1")];
const up = tor.ports.find(({ peer }) => peer === leaf.index)!;
const toHost = tor.ports.find(({ peer }) => topology.nodes[peer]!.role === "host")!;
const link: Element = { kind: "link", index: up.link, ways: "both" };
const leafElement: Element = { kind: "node", index: leaf.index };

/** Node, port field and port of each entry. */
function spots(element: Element, fault = silence(element)) {
  return faultEntries(topology, { ...fault, element }, 0).flatMap(({ node: at, entries }) =>
    entries.map(({ match: [first] }) => [
      at,
      first?.field.replace("standard_metadata.", ""),
      first?.kind === "ternary" ? Number(first.value) : undefined,
    ]),
  );
}

describe("entries of a fault", () => {
  it("are one wildcard for a switch that loses everything, which packets to its CPU match too", () => {
    expect(spots(leafElement)).toEqual([[leaf.index, undefined, undefined]]);
  });

  it("are where packets leave a switch that loses a share, so that each packet is drawn once", () => {
    const fault = silence(leafElement, { effect: packets({ loss: 0.1 }) });
    expect(spots(leafElement, fault)).toEqual(
      leaf.ports.map(({ number }) => [leaf.index, "egress_port", number]),
    );
  });

  it("are at the sending end of each direction of a link", () => {
    expect(spots(link)).toEqual([
      [tor.index, "egress_port", up.number],
      [leaf.index, "egress_port", up.peerPort],
    ]);
    expect(spots({ ...link, ways: "out" })).toEqual([[tor.index, "egress_port", up.number]]);
    expect(spots({ ...link, ways: "in" })).toEqual([[leaf.index, "egress_port", up.peerPort]]);
  });

  it("are at the switch's end of a host's link, and of all links of a host", () => {
    const both = [
      [tor.index, "ingress_port", toHost.number],
      [tor.index, "egress_port", toHost.number],
    ];
    expect(spots({ kind: "link", index: toHost.link, ways: "both" })).toEqual(both);
    const host = topology.nodes[toHost.peer]!;
    const other = topology.nodes[host.ports[1]!.peer]!;
    expect(spots({ kind: "node", index: host.index }).map(([at]) => at)).toEqual([
      ...[tor.index, tor.index],
      ...[other.index, other.index],
    ]);
  });

  it("match packets by version, prefix, protocol, ports and size", () => {
    const match = {
      src: { ipVersion: 4, address: 0x0a000000n, length: 8 },
      dst: { ipVersion: 4, address: 0n, length: 0 },
      protocol: 6,
      dstPort: 80,
      minBytes: 100,
    } as const;
    const [{ entries }] = faultEntries(topology, silence({ ...link, ways: "out" }, { match }), 2) as [
      SwitchFault,
    ];
    expect(entries[0]!.table).toBe("FabricEgress.faults_3");
    expect(entries[0]!.match.slice(1)).toEqual([
      { kind: "ternary", field: "ipv4", value: 1n, mask: 1n },
      { kind: "ternary", field: "meta.flow_src", value: 0x0a000000n, mask: (1n << 128n) - (1n << 24n) },
      { kind: "ternary", field: "meta.flow_protocol", value: 6n, mask: 0xffn },
      { kind: "ternary", field: "meta.flow_dst_port", value: 80n, mask: 0xffffn },
      { kind: "range", field: "standard_metadata.packet_length", low: 100n, high: 0xffffffffn },
    ]);
  });

  it("give shares as thresholds of 32 random bits, and none for a delay", () => {
    const impaired = (effect: Parameters<typeof packets>[0]) =>
      faultEntries(topology, silence({ ...link, ways: "out" }, { effect: packets(effect) }), 0)
        .map(({ entries }) => entries[0]!.action)
        .at(0);
    expect(impaired({ loss: 0.5, corruption: 1 })).toEqual({
      kind: "action",
      action: "FabricEgress.impair",
      params: { loss_below: 0x80000000n, corruption_below: 0x100000000n },
    });
    expect(impaired({ loss: 1 })).toMatchObject({ action: "FabricEgress.lose" });
    expect(impaired({ delay: 5 })).toBeUndefined();
  });
});

describe("fault tables", () => {
  const share = { effect: packets({ loss: 0.1 }) };
  const tablesOf = (...faults: ReturnType<typeof silence>[]) => {
    const tables = faultTables(topology, faults);
    return tables && faults.map((fault) => tables.get(fault));
  };

  it("differ for faults that one packet can meet in a switch, and are shared by others", () => {
    const next = tor.ports.find(
      ({ peer, number }) => topology.nodes[peer]!.role === "leaf" && number !== up.number,
    )!;
    const other: Element = { kind: "link", index: next.link, ways: "out" };
    // The same link twice, another link of the ToR, and the ToR itself.
    expect(
      tablesOf(
        silence(link, share),
        silence(link, share),
        silence(other, share),
        silence({ kind: "node", index: tor.index }),
      ),
    ).toEqual([0, 1, 0, 2]);
  });

  it("are shared by faults that follow each other", () => {
    expect(
      tablesOf(silence(link, { ...share, at: 0, until: 5 }), silence(link, { ...share, at: 6 })),
    ).toEqual([0, 0]);
    expect(
      tablesOf(silence(link, { ...share, at: 0, until: 5 }), silence(link, { ...share, at: 5 })),
    ).toEqual([0, 1]);
  });

  it("are not needed by faults without entries, and there are eight", () => {
    expect(tablesOf(silence(link, { effect: { kind: "down" } }))).toEqual([undefined]);
    expect(tablesOf(...Array.from({ length: 8 }, () => silence(link, share)))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ]);
    expect(tablesOf(...Array.from({ length: 9 }, () => silence(link, share)))).toBeUndefined();
  });
});
