/** The program of the trace tests in a switch, with what its packets need. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../../src/base/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import {
  type PacketTrace,
  Switch,
  type SwitchOptions,
  type TraceEvent,
  type TraceTree,
} from "../../../../src/toolchain/switch/index.js";
import { fresh, ManualClock, type Output } from "../golden.js";

const PROGRAM = "features.p4";

let compiled: Program | undefined;

export function featuresProgram(): Program {
  if (compiled !== undefined) return fresh(compiled);
  const diagnostics = new Diagnostics();
  const text = readFileSync(resolve(import.meta.dirname, PROGRAM), "utf8");
  const file = new SourceFile(PROGRAM, text);
  const result = compile({ file, resolveInclude: () => undefined }, diagnostics);
  diagnostics.throwIfErrors();
  compiled = result!.program;
  return compiled;
}

const send = (port: bigint) => ({ action: "TheIngress.send", params: { port } });

const inserts = (...entities: Update["entity"][]): Update[] =>
  entities.map((entity) => ({ type: "insert", entity }));

/** A route, a filter of high priority, a group of three members, groups and sessions. */
const UPDATES: readonly Update[] = inserts(
  {
    kind: "tableEntry",
    table: "TheIngress.routes",
    match: [{ kind: "lpm", field: "hdr.order.address", value: 0x0a000000n, prefixLength: 8 }],
    priority: 0,
    action: { kind: "action", ...send(2n) },
  },
  {
    kind: "tableEntry",
    table: "TheIngress.filters",
    match: [{ kind: "ternary", field: "hdr.order.value", value: 4n, mask: 0xcn }],
    priority: 70,
    action: { kind: "action", action: "TheIngress.discard", params: {} },
  },
  ...[10, 20, 30].map((memberId) => ({
    kind: "member" as const,
    profile: "TheIngress.paths",
    memberId,
    action: send(BigInt(memberId)),
  })),
  {
    kind: "group",
    profile: "TheIngress.paths",
    groupId: 7,
    members: [10, 20, 30].map((memberId) => ({ memberId, weight: 1 })),
    maxSize: 0,
  },
  {
    kind: "tableEntry",
    table: "TheIngress.balanced",
    match: [{ kind: "exact", field: "hdr.order.what", value: 2n }],
    priority: 0,
    action: { kind: "group", groupId: 7 },
  },
  {
    kind: "multicastGroup",
    groupId: 3,
    replicas: [
      { port: 5, instance: 1 },
      { port: 6, instance: 2 },
    ],
  },
  {
    kind: "cloneSession",
    sessionId: 5,
    replicas: [{ port: 8, instance: 9 }],
    classOfService: 0,
    packetLengthBytes: 4,
  },
  {
    kind: "cloneSession",
    sessionId: 6,
    replicas: [
      { port: 8, instance: 1 },
      { port: 9, instance: 2 },
    ],
    classOfService: 0,
    packetLengthBytes: 0,
  },
);

export function startFeatures(options: Partial<SwitchOptions> = {}) {
  const clock = new ManualClock();
  const outputs: Output[] = [];
  const traces: PacketTrace[] = [];
  const device = new Switch(featuresProgram(), {
    clock,
    transmit: (port, frame) => outputs.push({ port, hex: toHex(frame) }),
    trace: (packet) => traces.push(packet),
    ...options,
  });
  device.apply(UPDATES);
  return {
    device,
    clock,
    outputs,
    traces,
    /** Sends a packet and gives its trace. */
    trace: (hex: string, port = 1): PacketTrace => {
      const before = traces.length;
      device.receive(port, fromHex(hex)!);
      return traces[before]!;
    },
  };
}

export function eventsOf<Kind extends TraceEvent["kind"]>(
  tree: TraceTree,
  kind: Kind,
): Extract<TraceEvent, { kind: Kind }>[] {
  return tree.events.filter((event): event is Extract<TraceEvent, { kind: Kind }> => event.kind === kind);
}

export function nodesOf(tree: TraceTree): TraceTree[] {
  return [tree, ...(tree.branches ?? []).flatMap(nodesOf)];
}
