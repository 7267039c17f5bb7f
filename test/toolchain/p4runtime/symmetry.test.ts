/** What controllers of other makes write is what they read: Read-Write Symmetry, with the embedded switch. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  type EntitySchema,
  ReadRequestSchema,
  Update_Type,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { type Program, readBmv2, readP4Info } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../switch/golden.js";
import { destination, openChannel, refusal, startClient, startServer, wireOf } from "./helpers.js";
import { cpuProgram } from "./program.js";

const golden = join(import.meta.dirname, "../../golden");

function goldenProgram(program: string): Program {
  const diagnostics = new Diagnostics();
  const source = (name: string) => new SourceFile(name, readFileSync(join(golden, program, name), "utf8"));
  const bmv2 = readBmv2(source(`${program}.json`), diagnostics)!;
  return { bmv2, p4info: readP4Info(source(`${program}.p4info.txtpb`), "text", diagnostics)! };
}

const exactly = (value: number) => ({ case: "exact" as const, value: { value: new Uint8Array([value]) } });

type EntityInit = NonNullable<MessageInitShape<typeof EntitySchema>["entity"]>;

async function start(program: Program) {
  const device = new Switch(program, { clock: new ManualClock(), transmit: () => {} });
  const { address } = await startServer(device);
  const client = await startClient(address, { electionId: 5n });
  const channel = openChannel(address);
  const common = { deviceId: 1n, electionId: electionIdMessage(5n) };
  return {
    client,
    wire: wireOf(program),
    write: (type: Update_Type, entity: EntityInit) =>
      channel.write(create(WriteRequestSchema, { ...common, updates: [{ type, entity: { entity } }] })),
    read: async (entity: EntityInit) =>
      (await channel.read(create(ReadRequestSchema, { deviceId: 1n, entities: [{ entity }] }))).map(
        (answer) => answer.entity.value,
      ),
  };
}

describe("ports (9.2.2, 9.5)", () => {
  it("of replicas come back in the form in which they were written", async () => {
    const { write, read, client } = await start(goldenProgram("selector"));
    const replicas = [
      { portKind: { case: "egressPort" as const, value: 3 }, instance: 1 },
      { portKind: { case: "port" as const, value: new Uint8Array([4]) }, instance: 2 },
    ];
    const group = (multicastGroupId: number): EntityInit => ({
      case: "packetReplicationEngineEntry",
      value: { type: { case: "multicastGroupEntry", value: { multicastGroupId, replicas } } },
    });
    await write(Update_Type.INSERT, group(1));
    expect(await read(group(1))).toEqual([
      expect.objectContaining({
        type: expect.objectContaining({
          value: expect.objectContaining({
            replicas: replicas.map((replica) => expect.objectContaining(replica)),
          }),
        }),
      }),
    ]);
    const session: EntityInit = {
      case: "packetReplicationEngineEntry",
      value: { type: { case: "cloneSessionEntry", value: { sessionId: 7, replicas } } },
    };
    await write(Update_Type.INSERT, session);
    expect(await read(session)).toEqual([
      expect.objectContaining({
        type: expect.objectContaining({
          value: expect.objectContaining({
            replicas: replicas.map((replica) => expect.objectContaining(replica)),
          }),
        }),
      }),
    ]);
    // our client has ports as numbers, whatever their form
    expect(await client.read([{ kind: "multicastGroup" }])).toEqual([
      {
        kind: "multicastGroup",
        groupId: 1,
        replicas: [
          { port: 3, instance: 1 },
          { port: 4, instance: 2 },
        ],
      },
    ]);
  });

  it("that are watched come back in the form in which they were written", async () => {
    const { write, read, client, wire } = await start(goldenProgram("selector"));
    const table = wire.index.tables.list.find(({ profile }) => profile !== undefined)!;
    const profile = table.profile!;
    const actions = [...table.actions.values()].map(({ action }) => action);
    const { name } = actions.find(({ params }) => params.list.length > 0)!;
    const call = {
      action: name,
      params: Object.fromEntries(actions.find((a) => a.name === name)!.params.list.map((p) => [p.name, 1n])),
    };
    await client.write(
      [1, 2, 3].map((memberId) => ({
        type: "insert",
        entity: { kind: "member", profile: profile.name, memberId, action: call },
      })),
    );
    const members = [
      { memberId: 1, weight: 1, watchKind: { case: "watch" as const, value: 5 } },
      { memberId: 2, weight: 1, watchKind: { case: "watchPort" as const, value: new Uint8Array([6]) } },
      { memberId: 3, weight: 1, watchKind: { case: "watch" as const, value: 0 } },
    ];
    const group: EntityInit = {
      case: "actionProfileGroup",
      value: { actionProfileId: profile.id, groupId: 9, members, maxSize: 3 },
    };
    await write(Update_Type.INSERT, group);
    expect(await read(group)).toEqual([
      expect.objectContaining({ members: members.map((member) => expect.objectContaining(member)) }),
    ]);
  });
});

describe("one shots (9.2.3)", () => {
  it("come back as they were written, watch ports in the form of each action", async () => {
    const { write, read, wire } = await start(goldenProgram("selector"));
    const table = wire.index.tables.list.find(({ profile }) => profile !== undefined)!;
    const { action } = [...table.actions.values()].find(({ action: { params } }) => params.list.length > 0)!;
    const calls = (value: number) => ({
      actionId: action.id,
      params: action.params.list.map(({ id }) => ({ paramId: id, value: new Uint8Array([value]) })),
    });
    const actions = [
      { action: calls(1), weight: 1, watchKind: { case: "watch" as const, value: 5 } },
      { action: calls(2), weight: 2, watchKind: { case: "watchPort" as const, value: new Uint8Array([6]) } },
      { action: calls(3), weight: 1, watchKind: { case: undefined } },
    ];
    const key = { tableId: table.id, match: [{ fieldId: 1, fieldMatchType: exactly(7) }] };
    const entry: EntityInit = {
      case: "tableEntry",
      value: {
        ...key,
        action: { type: { case: "actionProfileActionSet", value: { actionProfileActions: actions } } },
      },
    };
    await write(Update_Type.INSERT, entry);
    const [found] = await read({ case: "tableEntry", value: key });
    expect(found).toMatchObject({
      action: { type: { case: "actionProfileActionSet", value: { actionProfileActions: actions } } },
    });
  });
});

describe("the default entry (9.1.3)", () => {
  it("of a table with an action profile is a constant NoAction, alone and in the wildcard", async () => {
    const program = goldenProgram("selector");
    const { write, read, wire } = await start(program);
    const table = wire.index.tables.list.find(({ profile }) => profile !== undefined)!;
    const [entry] = await read({ case: "tableEntry", value: { tableId: table.id, isDefaultAction: true } });
    const known = wire.index.actions.byName("NoAction");
    const action = known && { type: { case: "action", value: { actionId: known.id, params: [] } } };
    expect(entry).toMatchObject({ tableId: table.id, isDefaultAction: true, ...(action && { action }) });
    const all = await read({ case: "tableEntry", value: { isDefaultAction: true } });
    expect(all).toContainEqual(entry);
    const reset: EntityInit = { case: "tableEntry", value: { tableId: table.id, isDefaultAction: true } };
    expect((await refusal(write(Update_Type.MODIFY, reset))).updates![0]!.code).toBe("PERMISSION_DENIED");
  });
});

describe("direct resources (9.3.2, 9.4.2)", () => {
  it("of an entry that does not exist are NOT_FOUND, those of all entries are not", async () => {
    const { client } = await start(cpuProgram());
    await client.write([destination(1)]);
    const { entity } = destination(2);
    if (entity.kind !== "tableEntry") throw new Error("a destination is a table entry");
    const table = entity.table;
    expect(await client.read([{ kind: "directCounter", table }])).toHaveLength(1);
    const error = await refusal(client.read([{ kind: "directCounter", table, match: entity.match }]));
    expect(error.updates).toEqual([{ code: "NOT_FOUND", message: expect.stringContaining(table) }]);
    expect(error.message).toMatch(
      /^1 of 1 read requests failed: NOT_FOUND table TheIngress.destinations has no/,
    );
    // an entry that does not exist is no error
    expect(await client.read([{ kind: "tableEntry", table, match: entity.match }])).toEqual([]);
  });

  it("of a meter of an entry that does not exist are NOT_FOUND too", async () => {
    const { write, read, client, wire } = await start(goldenProgram("memory"));
    const table = wire.index.tables.list.find(({ directMeter }) => directMeter !== undefined)!;
    const { action } = [...table.actions.values()].find(({ scope }) => scope !== 2)!;
    const match = (value: number) =>
      table.fields.list.map(({ id }) => ({ fieldId: id, fieldMatchType: exactly(value) }));
    const owner = (value: number) => ({ tableId: table.id, match: match(value) });
    const params = action.params.list.map(({ id }) => ({ paramId: id, value: new Uint8Array([1]) }));
    await write(Update_Type.INSERT, {
      case: "tableEntry",
      value: { ...owner(1), action: { type: { case: "action", value: { actionId: action.id, params } } } },
    });
    expect(await read({ case: "directMeterEntry", value: { tableEntry: owner(1) } })).toHaveLength(1);
    const error = await refusal(read({ case: "directMeterEntry", value: { tableEntry: owner(2) } }));
    expect(error.updates).toEqual([{ code: "NOT_FOUND", message: expect.stringContaining(table.name) }]);
    expect(await client.read([{ kind: "directMeter", table: table.name }])).toHaveLength(1);
  });
});
