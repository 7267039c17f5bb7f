/** BF Runtime over gRPC: what a controller installs is what packets meet, and digests come on the stream. */
import { join, resolve } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type ClientDuplexStream, credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { Diagnostics, defined, fromHex, toHex } from "../../../src/base/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { chipTables } from "../../../src/toolchain/p4runtime/bfrt/chip-schema.js";
import {
  GROUP as MGID,
  NODE,
  PORT_HDL_INFO,
  PORT_STAT,
  PORT_STR_INFO,
  PRUNE,
} from "../../../src/toolchain/p4runtime/bfrt/fixed-schema.js";
import {
  SetForwardingPipelineConfigRequest_Action as Action,
  DataFieldSchema,
  type Entity,
  GetForwardingPipelineConfigRequestSchema,
  TableModIncFlag_Type as Inc,
  type KeyFieldSchema,
  ReadRequestSchema,
  type ReadResponse,
  SetForwardingPipelineConfigRequestSchema,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
  type TableEntrySchema,
  Update_Type as Type,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/bfrt_proto/bfruntime_pb.js";
import { serve } from "../../../src/toolchain/p4runtime/index.js";
import { BfRuntimeService } from "../../../src/toolchain/p4runtime/service.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../switch/golden.js";
import { until } from "./helpers.js";

const folder = resolve(import.meta.dirname, "../../golden/tna/run");

type KeyInit = MessageInitShape<typeof KeyFieldSchema>;
type EntryInit = MessageInitShape<typeof TableEntrySchema>;

async function start(name: string) {
  const path = join(folder, `${name}.p4`);
  const { program, bfrt } = await loadProgram({ path, include: [], define: [] }, new Diagnostics(), "error");
  const schema = (await bfrt!())!;
  const sent: string[] = [];
  const clock = new ManualClock();
  const device = new Switch(program, {
    clock,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
  });
  const server = await serve(device, { address: "127.0.0.1:0", bfrt: { name, schema } });
  const Client = makeGenericClientConstructor(BfRuntimeService, "BfRuntime");
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await server.close();
    await device.close();
  });
  const call = <T>(method: string, request: object): Promise<T> =>
    new Promise((done, failed) =>
      client[method]!(request, (error: Error | null, answer: T) => (error ? failed(error) : done(answer))),
    );
  const ids = new Map(schema.tables.map((table) => [table.name, table]));
  const table = (of: string) => {
    const found = ids.get(of);
    if (found === undefined) throw new Error(`no table ${of}`);
    return found;
  };
  const write = (entry: EntryInit, type = Type.INSERT) =>
    call<unknown>(
      "write",
      create(WriteRequestSchema, {
        updates: [{ type, entity: { entity: { case: "tableEntry", value: entry } } }],
      }),
    );
  const read = (entry: EntryInit): Promise<Entity["entity"][]> =>
    new Promise((done, failed) => {
      const found: Entity["entity"][] = [];
      const request = create(ReadRequestSchema, {
        entities: [{ entity: { case: "tableEntry", value: entry } }],
      });
      const stream = client["read"]!(request);
      stream.on("data", (one: ReadResponse) => found.push(...one.entities.map(({ entity }) => entity)));
      stream.on("error", failed);
      stream.on("end", () => done(found));
    });
  return { client, clock, device, sent, schema, call, table, write, read };
}

const exact = (fieldId: number, ...bytes: number[]): KeyInit => ({
  fieldId,
  matchType: { case: "exact", value: { value: new Uint8Array(bytes) } },
});
const number = (fieldId: number, ...bytes: number[]) => ({
  fieldId,
  value: { case: "stream" as const, value: new Uint8Array(bytes) },
});
const keyed = (...fields: KeyInit[]) => ({ case: "key" as const, value: { fields } });

const MEMBER = 65_539;
const GROUP = 65_540;
const PRIORITY = 65_537;

describe("BF Runtime", () => {
  it("gives the schema of the program and of what every program has", async () => {
    const { call, schema } = await start("control");
    const answer = await call<{
      config: { p4Name: string; bfruntimeInfo: Uint8Array }[];
      nonP4Config: { bfruntimeInfo: Uint8Array };
    }>("getForwardingPipelineConfig", create(GetForwardingPipelineConfigRequestSchema));
    const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    expect(answer.config.map(({ p4Name }) => p4Name)).toEqual(["control"]);
    const own = JSON.parse(text(answer.config[0]!.bfruntimeInfo)) as { tables: { name: string }[] };
    expect(own.tables.map(({ name }) => name)).toEqual(schema.tables.map(({ name }) => name));
    expect(text(answer.nonP4Config.bfruntimeInfo)).toContain("$mirror.cfg");
  });

  it("installs members, groups and entries that packets meet, and tells of digests", async () => {
    const { client, device, sent, table, write, schema } = await start("control");
    const stream = client["streamChannel"]!() as ClientDuplexStream<unknown, StreamMessageResponse>;
    const heard: StreamMessageResponse["update"][] = [];
    stream.on("data", (message: StreamMessageResponse) => heard.push(message.update));
    stream.on("error", () => {});
    onTestFinished(() => stream.cancel());
    stream.write(
      create(StreamMessageRequestSchema, {
        update: { case: "subscribe", value: { notifications: { enableLearnNotifications: true } } },
      }),
    );
    await until(() => heard.length === 1);
    expect(heard[0]).toMatchObject({ case: "subscribe", value: { status: { code: 0 } } });

    const members = table("pipe.Work.members");
    const send = members.action_specs!.find(({ name }) => name === "Work.send")!;
    const counted = table("pipe.Work.counted");
    const count = counted.action_specs!.find(({ name }) => name === "Work.count")!;
    await write({
      tableId: members.id,
      value: keyed(exact(MEMBER, 0, 0, 0, 3)),
      data: { actionId: send.id, fields: [number(1, 0, 2)] },
    });
    const list = create(DataFieldSchema, {
      fieldId: MEMBER,
      value: { case: "intArrVal", value: { val: [3] } },
    });
    await write({
      tableId: table("pipe.Work.selector").id,
      value: keyed(exact(GROUP, 0, 0, 0, 1)),
      data: { fields: [list] },
    });
    await write({
      tableId: table("pipe.Work.chosen").id,
      value: keyed(exact(1, 7)),
      data: { fields: [number(GROUP, 0, 0, 0, 1)] },
    });
    await write({
      tableId: counted.id,
      value: keyed(
        {
          fieldId: 1,
          matchType: { case: "ternary", value: { value: new Uint8Array([1]), mask: new Uint8Array([255]) } },
        },
        exact(PRIORITY, 0, 0, 0, 5),
      ),
      data: { actionId: count.id },
    });
    device.receive(4, fromHex("01071234")!);
    // The colour of a meter without a configuration is in the first byte.
    expect(sent).toEqual(["2 00071234"]);
    await until(() => heard.length === 2);
    expect(heard[1]).toMatchObject({
      case: "digest",
      value: {
        digestId: schema.learn_filters[0]!.id,
        data: [
          {
            fields: [
              { value: { value: new Uint8Array([0x12, 0x34]) } },
              { value: { value: new Uint8Array([0, 4]) } },
            ],
          },
        ],
      },
    });
  });

  it("counts in entries, keeps what a modify leaves out, deletes all without a key", async () => {
    const { device, table, write, read } = await start("control");
    const { id, action_specs } = table("pipe.Work.counted");
    const actionId = action_specs!.find(({ name }) => name === "Work.count")!.id;
    const value = keyed(
      {
        fieldId: 1,
        matchType: { case: "ternary", value: { value: new Uint8Array([1]), mask: new Uint8Array([255]) } },
      },
      exact(PRIORITY, 0, 0, 0, 0),
    );
    await write({ tableId: id, value, data: { actionId } });
    device.receive(4, fromHex("01071234")!);
    const packets = async (): Promise<number[]> =>
      (await read({ tableId: id })).flatMap((one) =>
        one.case === "tableEntry" && !one.value.isDefaultEntry
          ? (one.value.data?.fields ?? []).flatMap(({ fieldId, value: of }) =>
              fieldId === 65_554 && of.case === "stream" ? [of.value.at(-1)!] : [],
            )
          : [],
      );
    expect(await packets()).toEqual([1]);
    await write(
      { tableId: id, value, data: { fields: [number(65_554, 0, 0, 0, 0, 0, 0, 0, 9)] } },
      Type.MODIFY,
    );
    expect(await packets()).toEqual([9]);
    await write({ tableId: id }, Type.DELETE);
    expect(await packets()).toEqual([]);
  });

  it("takes a parameter that a client leaves out as 0, as the drivers do", async () => {
    const { table, write, read } = await start("control");
    const { id, action_specs } = table("pipe.Work.members");
    const actionId = action_specs!.find(({ name }) => name === "Work.send")!.id;
    const value = keyed(exact(MEMBER, 0, 0, 0, 3));
    const port = async (): Promise<number[]> => {
      const [one] = await read({ tableId: id, value });
      if (one?.case !== "tableEntry") throw new Error("no entry");
      return one.value.data!.fields.flatMap(({ fieldId, value: of }) =>
        fieldId === 1 && of.case === "stream" ? [...of.value] : [],
      );
    };
    await write({ tableId: id, value, data: { actionId } });
    expect(await port()).toEqual([0, 0]);
    await write({ tableId: id, value, data: { actionId, fields: [number(1, 0, 2)] } }, Type.MODIFY);
    expect(await port()).toEqual([0, 2]);
    await write({ tableId: id, value, data: { actionId } }, Type.MODIFY);
    expect(await port()).toEqual([0, 0]);
  });

  it("writes registers whose two words are one cell", async () => {
    const { table, write, read } = await start("state");
    const { id } = table("pipe.Work.pairs");
    const value = keyed(exact(65_557, 0, 0, 0, 1));
    await write(
      { tableId: id, value, data: { fields: [number(1, 0x12, 0x34), number(2, 0x56, 0x78)] } },
      Type.MODIFY,
    );
    const words = async (pipeId: number): Promise<number[][]> => {
      const [cell] = await read({ tableId: id, value, entryTgt: { pipeId } });
      if (cell?.case !== "tableEntry") throw new Error("no entry");
      return cell.value.data!.fields.map((one) =>
        one.value.case === "stream" ? [one.fieldId, ...one.value.value] : [],
      );
    };
    const [first, second] = [
      [1, 0x12, 0x34],
      [2, 0x56, 0x78],
    ];
    expect(await words(1)).toEqual([first, second]);
    // A controller of the hardware gets the value of each of the four pipes.
    expect(await words(0xffff)).toEqual([...Array(4).fill(first), ...Array(4).fill(second)]);
  });

  it("refuses what the switch has not, with an error for each update", async () => {
    const { table, write, read } = await start("control");
    await expect(write({ tableId: 1 })).rejects.toThrow(/NOT_FOUND no table has the id 1/);
    await expect(write({ tableId: table("tbl_dbg_counter").id })).rejects.toThrow(/UNIMPLEMENTED/);
    await expect(read({ tableId: table("pipe.Work.chosen").id, value: keyed(exact(1, 7)) })).rejects.toThrow(
      /NOT_FOUND/,
    );
    await expect(
      write({ tableId: table("pipe.Work.chosen").id, value: keyed(exact(1, 1, 7)) }),
    ).rejects.toThrow(/does not fit in 8 bits/);
  });

  const flag = (fieldId: number, val: boolean[]) => ({
    fieldId,
    value: { case: "boolArrVal" as const, value: { val } },
  });
  const list = (fieldId: number, val: number[]) => ({
    fieldId,
    value: { case: "intArrVal" as const, value: { val } },
  });

  it("sets metadata of ports, and excludes copies by node and by port", async () => {
    const { device, sent, table, write } = await start("ports");
    const metadata = table("pipe.Take.$PORT_METADATA");
    await write({
      tableId: metadata.id,
      value: keyed(exact(metadata.key[0]!.id, 0, 5)),
      data: { fields: [number(1, 0x12, 0x34), number(2, 0x56)] },
    });
    device.receive(5, defined(fromHex("00000000")));
    expect(sent.splice(0)).toEqual(["2 00561234"]);

    const [groups, nodes, prune] = [MGID, NODE, PRUNE].map(({ id }) => id);
    for (const [id, rid, ports] of [
      [1, 7, [10, 11]],
      [2, 8, [12, 40]],
    ] as const)
      await write({
        tableId: nodes!,
        value: keyed(exact(1, 0, 0, 0, id)),
        data: { fields: [number(1, 0, rid), list(3, [...ports])] },
      });
    await write({
      tableId: groups!,
      value: keyed(exact(1, 0, 1)),
      data: { fields: [list(1, [1, 2]), flag(2, [true, false]), list(3, [9, 0])] },
    });
    await write({ tableId: prune!, value: keyed(exact(1, 0, 3)), data: { fields: [list(1, [40, 11])] } });
    const copies = (packet: string): number[] => {
      device.receive(1, defined(fromHex(packet)));
      return sent.splice(0).map((line) => Number(line.split(" ")[0]));
    };
    // No id fits; node 1 alone has level 1; port 40 is excluded for packets with the identifier of node 2, port 11 for the other one's.
    expect(copies("01010000")).toEqual([10, 11, 12, 40]);
    expect(copies("01090000")).toEqual([12, 40]);
    expect(copies("03010008")).toEqual([10, 11, 12]);
    expect(copies("03010007")).toEqual([10, 12, 40]);
    expect(copies("02010007")).toEqual([10, 11, 12, 40]);
  });

  it("configures filters and early detection, and reads them back", async () => {
    const { device, table, write, read, sent } = await start("filters");
    const mean = table("pipe.Work.mean");
    const part = (name: string) =>
      mean.data.map((one) => one.singleton!).find((one) => one.name === name)!.id;
    const key = keyed(exact(mean.key[0]!.id, 0, 0, 0, 1));
    const value = (fieldId: number, floatVal: number) => ({
      fieldId,
      value: { case: "floatVal" as const, value: floatVal },
    });
    await write({
      tableId: mean.id,
      value: key,
      data: {
        fields: [
          { fieldId: part("$LPF_SPEC_TYPE"), value: { case: "strVal", value: "RATE" } },
          value(part("$LPF_SPEC_GAIN_TIME_CONSTANT_NS"), 1e6),
          value(part("$LPF_SPEC_DECAY_TIME_CONSTANT_NS"), 2e6),
          number(part("$LPF_SPEC_OUT_SCALE_DOWN_FACTOR"), 1),
        ],
      },
    });
    expect(device.query([{ kind: "register", register: "pipe.Work.mean.$spec", index: 1 }])).toMatchObject([
      { value: (1_000_000n << 96n) | (2_000_000n << 64n) | (1n << 32n) | 2n },
    ]);
    device.receive(1, defined(fromHex("000103e8")));
    device.receive(1, defined(fromHex("000103e8")));
    expect(sent).toEqual(["2 000101f4", "2 000103e8"]);
    const [found] = await read({ tableId: mean.id, value: key });
    if (found?.case !== "tableEntry") throw new Error("no entry");
    const fields = new Map(found.value.data!.fields.map((one) => [one.fieldId, one.value.value]));
    expect(fields.get(part("$LPF_SPEC_TYPE"))).toBe("RATE");
    expect(fields.get(part("$LPF_SPEC_DECAY_TIME_CONSTANT_NS"))).toBe(2e6);

    const early = table("pipe.Work.early");
    const of = (name: string) => early.data.map((one) => one.singleton!).find((one) => one.name === name)!.id;
    const wred = (probability: number) =>
      write({
        tableId: early.id,
        value: keyed(exact(early.key[0]!.id, 0, 0, 0, 1)),
        data: {
          fields: [
            value(of("$WRED_SPEC_TIME_CONSTANT_NS"), 0),
            number(of("$WRED_SPEC_MIN_THRESH_CELLS"), 0),
            number(of("$WRED_SPEC_MAX_THRESH_CELLS"), 100),
            value(of("$WRED_SPEC_MAX_PROBABILITY"), probability),
          ],
        },
      });
    await wred(0.5);
    sent.length = 0;
    for (let i = 0; i < 400; i++) device.receive(1, defined(fromHex("01010032")));
    // The mean is half way between the thresholds: a quarter of the packets is dropped. 7 drops, 3 does not.
    const dropped = sent.filter((line) => line === "2 01070032").length;
    expect(sent.every((line) => /^2 010[37]0032$/.test(line))).toBe(true);
    expect(Math.abs(dropped - 100)).toBeLessThan(4 * Math.sqrt(400 * 0.25 * 0.75));
    await expect(wred(2)).rejects.toThrow(/PROBABILITY/);
  });

  it("adds nodes to a group and takes them out, and begins anew with a start of the device", async () => {
    const { call, sent, device, write, read, table } = await start("ports");
    const ports = async (): Promise<number[]> => {
      device.receive(1, defined(fromHex("01000000")));
      return sent.splice(0).map((line) => Number(line.split(" ")[0]));
    };
    const node = (id: number, port: number) =>
      write({
        tableId: NODE.id,
        value: keyed(exact(1, 0, 0, 0, id)),
        data: { fields: [number(1, 0, id), list(3, [port])] },
      });
    const group = keyed(exact(1, 0, 1));
    const nodes = (ids: number[]) => ({ fields: [list(1, ids), flag(2, [true]), list(3, ids)] });
    await write({
      tableId: MGID.id,
      value: group,
      data: { fields: [list(1, []), flag(2, []), list(3, [])] },
    });
    for (const [id, port] of [
      [7, 10],
      [8, 11],
    ] as const) {
      await node(id, port);
      await write({ tableId: MGID.id, value: group, data: nodes([id]) }, Type.MODIFY_INC);
    }
    expect(await ports()).toEqual([10, 11]);
    const tableModIncFlag = { type: Inc.MOD_INC_DELETE };
    await write({ tableId: MGID.id, value: group, data: nodes([7]), tableModIncFlag }, Type.MODIFY_INC);
    expect(await ports()).toEqual([11]);
    const [left] = await read({ tableId: MGID.id, value: group });
    expect(left).toMatchObject({ value: { data: { fields: { 2: { value: { value: { val: [8] } } } } } } });

    const operation = { entity: { case: "tableOperation" as const, value: { tableId: MGID.id } } };
    await call("write", create(WriteRequestSchema, { updates: [{ type: Type.INSERT, entity: operation }] }));
    const metadata = table("pipe.Take.$PORT_METADATA");
    const value = keyed(exact(metadata.key[0]!.id, 0, 5));
    await write({ tableId: metadata.id, value, data: { fields: [number(1, 0x12, 0x34)] } });
    await call(
      "setForwardingPipelineConfig",
      create(SetForwardingPipelineConfigRequestSchema, {
        action: Action.VERIFY_AND_WARM_INIT_BEGIN_AND_END,
        config: [{ p4Name: "ports" }],
      }),
    );
    expect(await ports()).toEqual([]);
    expect(await read({ tableId: NODE.id })).toEqual([]);
    device.receive(5, defined(fromHex("00000000")));
    expect(sent).toEqual(["2 00000000"]);
  });

  const texts = (found: Entity["entity"][]): string[] =>
    found.flatMap((one) =>
      one.case === "tableEntry"
        ? one.value.data!.fields.map(({ value }) =>
            value.case === "stream" ? String(BigInt(`0x${toHex(value.value)}`)) : String(value.value),
          )
        : [],
    );

  it("knows the ports of connectors, and what has passed", async () => {
    const { device, read } = await start("control");
    const named = keyed({
      fieldId: 1,
      matchType: { case: "exact", value: { value: new TextEncoder().encode("18/3") } },
    });
    expect(texts(await read({ tableId: PORT_STR_INFO.id, value: named }))).toEqual(["135"]);
    const placed = keyed(exact(1, 0, 0, 0, 65), exact(2, 0, 0, 0, 0));
    expect(texts(await read({ tableId: PORT_HDL_INFO.id, value: placed }))).toEqual(["64"]);
    await expect(
      read({ tableId: PORT_HDL_INFO.id, value: keyed(exact(1, 0, 0, 0, 66), exact(2, 0, 0, 0, 0)) }),
    ).rejects.toThrow(/NOT_FOUND/);
    device.receive(4, defined(fromHex("01071234")));
    device.receive(4, defined(fromHex("0107123456")));
    const counts = await read({ tableId: PORT_STAT.id, value: keyed(exact(1, 0, 0, 0, 4)) });
    expect(texts(counts).slice(0, 5)).toEqual(["2", "2", "0", "9", "9"]);
  });

  it("runs applications of the packet generator in the pipes that have it", async () => {
    const { clock, read, sent, table, write } = await start("control");
    const { ports, apps, buffer } = chipTables("tna");
    const members = table("pipe.Work.members");
    const actionId = members.action_specs!.find(({ name }) => name === "Work.send")!.id;
    await write({
      tableId: members.id,
      value: keyed(exact(MEMBER, 0, 0, 0, 3)),
      data: { actionId, fields: [number(1, 0, 2)] },
    });
    await write({
      tableId: table("pipe.Work.chosen").id,
      value: keyed(exact(1, 0)),
      data: { fields: [number(MEMBER, 0, 0, 0, 3)] },
    });
    await write({
      tableId: buffer.id,
      value: keyed(exact(1, 0, 0, 0, 16), exact(2, 0, 0, 0, 2)),
      data: { fields: [number(1, 0xab, 0xcd)] },
    });
    const field = (name: string, value: number) =>
      number(
        apps.data.find(({ singleton }) => singleton?.name === name)!.singleton!.id,
        value >> 8,
        value & 255,
      );
    const on = (fieldId: number, val: boolean) => ({
      fieldId,
      value: { case: "boolVal" as const, value: val },
    });
    const app = keyed(exact(1, 0, 0, 0, 2));
    const timer = apps.action_specs!.find(({ name }) => name === "trigger_timer_one_shot")!.id;
    await write({
      tableId: apps.id,
      value: app,
      data: {
        actionId: timer,
        fields: [
          number(1, 0, 0, 0x27, 0x10),
          on(12, true),
          field("pkt_len", 2),
          field("pkt_buffer_offset", 16),
          field("pipe_local_source_port", 68),
          field("packets_per_batch_cfg", 1),
        ],
      },
    });
    clock.advance(20);
    // No pipe has the generator yet.
    expect(sent).toEqual([]);
    await write(
      { tableId: ports.id, value: keyed(exact(1, 0, 0, 0, 196)), data: { fields: [on(2, true)] } },
      Type.MODIFY,
    );
    clock.advance(40);
    // The program's byte for a colour, the number of the batch, that of the packet.
    expect(sent).toEqual(["2 000000000000abcd", "2 000000000001abcd"]);
    expect(texts(await read({ tableId: apps.id, value: app })).slice(0, 3)).toEqual(["10000", "true", "2"]);
    await write({ tableId: apps.id, value: app, data: { fields: [on(12, false)] } }, Type.MODIFY);
    await expect(
      write(
        { tableId: apps.id, value: app, data: { fields: [on(12, true), field("pkt_len", 20_000)] } },
        Type.MODIFY,
      ),
    ).rejects.toThrow(/OUT_OF_RANGE/);
  });

  it("resets a constant default action, which changes nothing", async () => {
    const { schema, write } = await start("state");
    const constant = defined(schema.tables.find((one) => one.has_const_default_action === true));
    await write({ tableId: constant.id, isDefaultEntry: true }, Type.DELETE);
  });
});
