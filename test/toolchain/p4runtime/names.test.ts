/** Values of types translated to strings: on the wire by name, in the switch by number. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import {
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Update,
} from "../../../src/toolchain/device/index.js";
import { decodeMatches } from "../../../src/toolchain/p4runtime/codec/match.js";
import { CURRENT_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import { makeWire } from "../../../src/toolchain/p4runtime/codec/wire.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  EntitySchema,
  FieldMatchSchema,
  ReadRequestSchema,
  SetForwardingPipelineConfigRequest_Action,
  SetForwardingPipelineConfigRequestSchema,
  TableEntrySchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import type { ServeOptions } from "../../../src/toolchain/p4runtime/index.js";
import { createP4Info, P4InfoIndex, p4info } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../switch/golden.js";
import { startClient, startServer, until } from "./helpers.js";
import { namesProgram } from "./names-program.js";

const PORTS = { eth0: 1n, eth1: 2n, cpu: 255n };
const MAC = 0x020000000007n;
const FRAME = `020000000007${"020000000032"}${"0900"}${"68656c6c6f"}`;

async function start(options: ServeOptions = {}) {
  const frames: { port: number; hex: string }[] = [];
  const device = new Switch(undefined, {
    clock: new ManualClock(),
    cpuPort: 255,
    transmit: (port, frame) => frames.push({ port, hex: toHex(frame) }),
  });
  const server = await startServer(device, { translations: { ports: PORTS }, ...options });
  const client = await startClient(server.address);
  await client.load(namesProgram());
  const number = (type: string, name: string): bigint => client.names!.number(type, name);
  const events: DeviceEvent[] = [];
  client.watch((event) => void events.push(event));
  return { device, server, client, frames, number, events };
}

type Number = Awaited<ReturnType<typeof start>>["number"];

const route = (
  number: Number,
  vrf: string,
  action: string,
  params: Record<string, bigint>,
  dst = MAC,
): Update => ({
  type: "insert",
  entity: {
    kind: "tableEntry",
    table: "I.route",
    match: [
      { kind: "exact", field: "vrf", value: number("vrf_id_t", vrf) },
      { kind: "exact", field: "dst", value: dst },
    ],
    priority: 0,
    action: { kind: "action", action, params },
  },
});

/** The first exact value of an entry's key. */
function keyOf(entity: Entity | undefined): bigint {
  const [match] = entity?.kind === "tableEntry" ? entity.match : [];
  if (match?.kind !== "exact") throw new Error("no exact match");
  return match.value;
}

const failure = async (task: Promise<unknown>): Promise<DeviceError> => {
  const error = await task.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(DeviceError);
  return error as DeviceError;
};

it("forwards by names, and reads them back", async () => {
  const { device, server, client, frames, number } = await start();
  const updates: Update[] = [
    {
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: "I.vrf",
        match: [{ kind: "optional", field: "port", value: number("port_id_t", "eth0") }],
        priority: 1,
        action: { kind: "action", action: "I.set_vrf", params: { vrf: number("vrf_id_t", "red") } },
      },
    },
    route(number, "red", "I.forward", { port: number("port_id_t", "eth1") }),
    route(number, "", "I.forward", { port: number("port_id_t", "7") }),
    route(number, "vrf-default", "I.wide", { port: 300n }),
  ];
  await client.write(updates);
  device.receive(1, fromHex(FRAME)!);
  device.receive(5, fromHex(FRAME)!);
  expect(frames).toEqual([
    { port: 2, hex: FRAME },
    { port: 7, hex: FRAME },
  ]);
  expect(await client.read([{ kind: "tableEntry", table: "I.route" }])).toEqual(
    updates.slice(1).map(({ entity }) => entity),
  );
  // in the switch: the first free number, and the pairs of the annotation
  const inside = await device.read([{ kind: "tableEntry", table: "I.route" }]);
  expect(inside.map(keyOf)).toEqual([1n, 0n, 15n]);

  // another controller has numbers of its own, but the same names
  const other = await startClient(server.address, { readOnly: true });
  const [entry] = await other.read([{ kind: "tableEntry", table: "I.vrf" }]);
  const { match, action } = entry as Extract<Entity, { kind: "tableEntry" }>;
  expect(other.names!.name("port_id_t", (match[0] as { value: bigint }).value)).toBe("eth0");
  expect(other.names!.name("vrf_id_t", (action as { params: Record<string, bigint> }).params["vrf"]!)).toBe(
    "red",
  );
});

it("names ports of packets, replicas, members and digests", async () => {
  const { device, client, frames, number, events } = await start();
  const port = (name: string): bigint => number("port_id_t", name);
  await client.packetOut({ payload: fromHex(FRAME)!, metadata: { egress_port: port("eth1"), pad: 0n } });
  await until(() => frames.length === 1);
  expect(frames.splice(0)).toEqual([{ port: 2, hex: FRAME }]);

  await client.write([
    {
      type: "insert",
      entity: {
        kind: "multicastGroup",
        groupId: 1,
        replicas: [
          { port: Number(port("eth0")), instance: 0 },
          { port: Number(port("eth1")), instance: 0 },
        ],
      },
    },
    route(number, "", "I.multicast", {}),
    route(number, "", "I.learn", {}, 9n),
    route(number, "", "I.punt", {}, 10n),
    {
      type: "insert",
      entity: { kind: "digest", digest: "learned", maxListSize: 1, maxTimeoutNs: 0n, ackTimeoutNs: 0n },
    },
    {
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: "I.spread",
        match: [{ kind: "exact", field: "type", value: 0x900n }],
        priority: 0,
        action: {
          kind: "oneShot",
          actions: [
            {
              action: "I.forward",
              params: { port: port("eth0") },
              weight: 1,
              watchPort: Number(port("eth0")),
            },
            {
              action: "I.forward",
              params: { port: port("eth1") },
              weight: 1,
              watchPort: Number(port("eth1")),
            },
          ],
        },
      },
    },
  ]);
  const [group] = await device.read([{ kind: "multicastGroup" }]);
  expect(group).toMatchObject({ replicas: [{ port: 1 }, { port: 2 }] });
  device.setPortState(1, false);
  device.receive(3, fromHex(FRAME)!);
  device.setPortState(1, true);
  device.setPortState(2, false);
  device.receive(3, fromHex(FRAME)!);
  device.setPortState(2, true);
  expect(frames.splice(0).map((frame) => frame.port)).toEqual([2, 1]);

  const untyped = FRAME.replace("0900", "0901");
  device.receive(3, fromHex(untyped)!);
  expect(frames.splice(0).map((frame) => frame.port)).toEqual([1, 2]);
  device.receive(2, fromHex(untyped.replace("020000000007", "000000000009"))!);
  device.receive(1, fromHex(untyped.replace("020000000007", "00000000000a"))!);
  await until(() => events.length === 2);
  const digest = events.find((event) => event.kind === "digest")!;
  expect(digest.list.data).toEqual([[port("eth1"), number("vrf_id_t", ""), 0x020000000032n]]);
  const packet = events.find((event) => event.kind === "packetIn")!;
  expect(packet.packet.metadata).toEqual({ ingress_port: port("eth0"), pad: 0n });
});

it("sends UTF-8 text in the place of numbers", async () => {
  const { client, number } = await start();
  await client.write([route(number, "grün", "I.forward", { port: number("port_id_t", "eth1") })]);
  const seen: string[] = [];
  const { channel } = client;
  const request = create(ReadRequestSchema, {
    deviceId: 1n,
    entities: [create(EntitySchema, { entity: { case: "tableEntry", value: create(TableEntrySchema) } })],
  });
  for (const { entity } of await channel.read(request)) {
    if (entity.case !== "tableEntry") continue;
    for (const { fieldMatchType } of entity.value.match) {
      if (fieldMatchType.case === "exact")
        seen.push(Buffer.from(fieldMatchType.value.value).toString("latin1"));
    }
    const type = entity.value.action?.type;
    if (type?.case === "action") seen.push(Buffer.from(type.value.params[0]!.value).toString());
  }
  expect(seen).toEqual([Buffer.from("grün").toString("latin1"), "\x02\0\0\0\0\x07", "eth1"]);
});

it("refuses ports that are not there, and finds nothing under unknown names", async () => {
  const { client, number } = await start();
  const to = (port: string) => route(number, "", "I.forward", { port: number("port_id_t", port) });
  expect(await failure(client.write([to("eth9")]))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(
      'action "I.forward": parameter "port": "eth9" is no port_id_t; there are "eth0", "eth1", "cpu", numbers from 0 to 511',
    ),
  });
  expect((await failure(client.write([to("512")]))).code).toBe("INVALID_ARGUMENT");
  const blue = route(number, "blue", "I.punt", {});
  const { match } = blue.entity as Extract<Entity, { kind: "tableEntry" }>;
  expect(await client.read([{ kind: "tableEntry", table: "I.route", match }])).toEqual([]);
  expect((await failure(client.write([{ ...blue, type: "delete" }]))).code).toBe("NOT_FOUND");
  expect((await failure(client.write([{ ...blue, type: "modify" }]))).code).toBe("NOT_FOUND");
});

it("gives the numbers of names out of use to new ones, and says when there are none", async () => {
  const { client, number } = await start();
  // bit<4>: 16 numbers, of which "" and "vrf-default" hold two
  const routes = Array.from({ length: 14 }, (_, i) => route(number, `vrf ${i}`, "I.punt", {}));
  await client.write(routes);
  expect((await failure(client.write([route(number, "one more", "I.punt", {})]))).code).toBe(
    "RESOURCE_EXHAUSTED",
  );
  await client.write(routes.slice(3, 5).map((update) => ({ ...update, type: "delete" })));
  await client.write([route(number, "one more", "I.punt", {}), route(number, "two more", "I.punt", {})]);
  const entries = await client.read([{ kind: "tableEntry", table: "I.route" }]);
  const names = entries.map((entity) => client.names!.name("vrf_id_t", keyOf(entity)));
  const kept = Array.from({ length: 14 }, (_, i) => `vrf ${i}`).filter((_, i) => i !== 3 && i !== 4);
  expect(names.sort()).toEqual([...kept, "one more", "two more"].sort());
});

it("keeps known names that a refused request uses, and no name of a refused state", async () => {
  const { server, client, number } = await start();
  const red = route(number, "red", "I.punt", {});
  await client.write([red]);
  const vrfs = async (): Promise<string[]> => {
    const reader = await startClient(server.address, { readOnly: true });
    const found = await reader.read([{ kind: "tableEntry", table: "I.route" }]);
    return found.map((entity) => reader.names!.name("vrf_id_t", keyOf(entity)));
  };
  expect((await failure(client.write([red]))).code).toBe("ALREADY_EXISTS");
  expect(await vrfs()).toEqual(["red"]);
  const document = new TextDecoder().decode(await client.state!.save());
  const other = Buffer.from("red").toString("base64");
  for (let i = 0; i < 20; i++) {
    // Each state would use one of the 14 numbers for a name that is new.
    const fresh = document.replaceAll(
      other,
      Buffer.from(`n${String.fromCharCode(97 + i)}w`).toString("base64"),
    );
    const broken = new TextEncoder().encode(`${fresh.trimEnd()}\n{"entitee":{}}\n`);
    expect((await failure(client.state!.restore(broken))).code).toBe("INVALID_ARGUMENT");
  }
  await client.write(Array.from({ length: 13 }, (_, i) => route(number, `vrf ${i}`, "I.punt", {})));
  expect(await vrfs()).toHaveLength(14);
});

it("keeps names over RECONCILE_AND_COMMIT and through a second server", async () => {
  const { client, number, device } = await start();
  await client.write([route(number, "red", "I.punt", {}), route(number, "blue", "I.punt", {})]);
  await client.write([{ ...route(number, "red", "I.punt", {}), type: "delete" }]);
  const second = await startServer(client);
  const far = await startClient(second.address);
  const [entry] = await far.read([{ kind: "tableEntry", table: "I.route" }]);
  expect(far.names!.name("vrf_id_t", keyOf(entry))).toBe("blue");
  await far.write([route((type, name) => far.names!.number(type, name), "green", "I.punt", {})]);
  const nearer = await client.read([{ kind: "tableEntry", table: "I.route" }]);
  expect(nearer.map((entity) => client.names!.name("vrf_id_t", keyOf(entity)))).toEqual(["blue", "green"]);

  const inside = await device.read([{ kind: "tableEntry" }]);
  await client.channel.setConfig(
    create(SetForwardingPipelineConfigRequestSchema, {
      deviceId: 1n,
      electionId: electionIdMessage(1n),
      action: SetForwardingPipelineConfigRequest_Action.RECONCILE_AND_COMMIT,
      config: {
        p4info: namesProgram().p4info,
        p4DeviceConfig: new TextEncoder().encode(JSON.stringify(namesProgram().bmv2)),
      },
    }),
  );
  expect(await device.read([{ kind: "tableEntry" }])).toEqual(inside);
  const after = await client.read([{ kind: "tableEntry", table: "I.route" }]);
  expect(after.map((entity) => client.names!.name("vrf_id_t", keyOf(entity)))).toEqual(["blue", "green"]);
});

it("keeps the rules of matches: names are exact or optional, and UTF-8", async () => {
  const field = (id: number, name: string, value: p4info.MatchField_MatchType) => ({
    id,
    name,
    match: { case: "matchType" as const, value },
    typeName: { name: "vrf_t" },
  });
  const { EXACT, LPM, TERNARY, RANGE } = p4info.MatchField_MatchType;
  const info = createP4Info({
    tables: [
      {
        preamble: { id: 0x02000001, name: "t" },
        matchFields: [field(1, "e", EXACT), field(2, "l", LPM), field(3, "t", TERNARY), field(4, "r", RANGE)],
      },
    ],
    typeInfo: {
      newTypes: {
        vrf_t: {
          representation: {
            case: "translatedType",
            value: { uri: "", sdnType: { case: "sdnString", value: {} } },
          },
        },
      },
    },
  });
  const wire = makeWire(new P4InfoIndex(info), CURRENT_DIALECT, false);
  const table = wire.index.tables.list[0]!;
  const name = new TextEncoder().encode("red");
  const told = (...list: MessageInitShape<typeof FieldMatchSchema>[]): string => {
    try {
      decodeMatches(
        wire,
        table,
        list.map((each) => create(FieldMatchSchema, each)),
      );
      return "OK";
    } catch (error) {
      return `${(error as DeviceError).code} ${(error as DeviceError).message}`;
    }
  };
  const exact = { fieldId: 1, fieldMatchType: { case: "exact" as const, value: { value: name } } };
  expect(told(exact)).toBe("OK");
  expect(told({ ...exact, fieldMatchType: { case: "exact", value: { value: Uint8Array.of(0xff) } } })).toBe(
    'INVALID_ARGUMENT "t": field "e": 0xff is no UTF-8 text',
  );
  const lpm = { case: "lpm" as const, value: { value: name, prefixLen: 8 } };
  const ternary = { case: "ternary" as const, value: { value: name, mask: name } };
  const range = { case: "range" as const, value: { low: name, high: name } };
  for (const [i, fieldMatchType] of [lpm, ternary, range].entries()) {
    expect(told(exact, { fieldId: i + 2, fieldMatchType })).toMatch(
      /^UNIMPLEMENTED .* is translated to a string, which is not matched (lpm|ternary|range)$/,
    );
  }
});

it("keeps no names of updates that were refused", async () => {
  const { device, server, client, number } = await start();
  const port = { port: number("port_id_t", "eth1") };
  const missing = (vrf: string): Update => ({ ...route(number, vrf, "I.forward", port), type: "modify" });
  for (const vrf of ["a", "b", "c"])
    expect((await failure(client.write([missing(vrf)]))).code).toBe("NOT_FOUND");
  const both = [missing("gone"), route(number, "kept", "I.forward", port), missing("kept too")];
  await failure(client.write([...both, route(number, "kept too", "I.forward", port)], "continueOnError"));
  await client.write([route(number, "next", "I.forward", port)]);
  const inside = await device.read([{ kind: "tableEntry", table: "I.route" }]);
  expect(inside.map(keyOf).sort()).toEqual([1n, 2n, 3n]);
  const named = (await client.read([{ kind: "tableEntry", table: "I.route" }])).map((entity) =>
    client.names!.name("vrf_id_t", keyOf(entity)),
  );
  expect(named.sort()).toEqual(["kept", "kept too", "next"]);
  await client.close();
  await server.close();
});
