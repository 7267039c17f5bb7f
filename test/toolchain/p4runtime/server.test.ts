/** The server as any controller sees it: requests that ours would not make are made by hand. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { ServiceError } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Update } from "../../../src/toolchain/device/index.js";
import type { P4RuntimeChannel, Stream } from "../../../src/toolchain/p4runtime/client/channel.js";
import { encodeUpdate } from "../../../src/toolchain/p4runtime/codec/entity.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  SetForwardingPipelineConfigRequest_Action as Action,
  WriteRequest_Atomicity as Atomicity,
  ReadRequestSchema,
  GetForwardingPipelineConfigRequest_ResponseType as ResponseType,
  SetForwardingPipelineConfigRequestSchema,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
  type UpdateSchema,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { codeName } from "../../../src/toolchain/p4runtime/status.js";
import { createP4Info, type Program, p4info } from "../../../src/toolchain/program/index.js";
import {
  codeOf,
  cpuProgram,
  destination,
  openChannel,
  refusal,
  startClient,
  startPair,
  startServer,
  until,
  wireOf,
} from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

const program = cpuProgram();
const wire = wireOf(program);
const configOf = (p: Program, cookie = 7n) => ({
  p4info: p.p4info,
  p4DeviceConfig: new TextEncoder().encode(JSON.stringify(p.bmv2)),
  cookie: { cookie },
});

/** A stream by hand: the messages that it got and how it ended. */
function openStream(channel: P4RuntimeChannel) {
  const stream: Stream = channel.openStream();
  const heard: StreamMessageResponse["update"][] = [];
  const state: { ended: string | undefined } = { ended: undefined };
  stream.on("data", (message: StreamMessageResponse) => heard.push(message.update));
  stream.on("error", (error: ServiceError) => (state.ended = codeName(error.code)));
  onTestFinished(() => stream.cancel());
  return {
    heard,
    state,
    send: (update: NonNullable<MessageInitShape<typeof StreamMessageRequestSchema>["update"]>) =>
      stream.write(create(StreamMessageRequestSchema, { update })),
    claim: (id: bigint, deviceId = 1n) =>
      stream.write(
        create(StreamMessageRequestSchema, {
          update: { case: "arbitration", value: { deviceId, electionId: electionIdMessage(id) } },
        }),
      ),
    close: () => stream.end(),
  };
}

async function startRaw(device = new MemoryDevice()) {
  const server = await startServer(device);
  const channel = openChannel(server.address);
  const stream = openStream(channel);
  stream.claim(5n);
  await until(() => stream.heard.length === 1);
  const write = (
    updates: MessageInitShape<typeof UpdateSchema>[],
    more: MessageInitShape<typeof WriteRequestSchema> = {},
  ) =>
    channel.write(
      create(WriteRequestSchema, { deviceId: 1n, electionId: electionIdMessage(5n), updates, ...more }),
    );
  const config = (
    action: Action,
    p?: Program,
    more: MessageInitShape<typeof SetForwardingPipelineConfigRequestSchema> = {},
  ) =>
    channel.setConfig(
      create(SetForwardingPipelineConfigRequestSchema, {
        deviceId: 1n,
        electionId: electionIdMessage(5n),
        action,
        ...(p === undefined ? {} : { config: configOf(p) }),
        ...more,
      } as MessageInitShape<typeof SetForwardingPipelineConfigRequestSchema>),
    );
  const read = (entities: MessageInitShape<typeof ReadRequestSchema>["entities"], deviceId = 1n) =>
    channel.read(create(ReadRequestSchema, { deviceId, entities: entities ?? [] }));
  return { device, server, channel, stream, write, config, read };
}

const insert = (i: number) => encodeUpdate(wire, destination(i));
const all = { entity: { case: "tableEntry" as const, value: {} } };

describe("checks before a Write (12)", () => {
  it("are made in the order that the specification gives", async () => {
    const { write, config } = await startRaw();
    const stranger = { electionId: electionIdMessage(4n) };
    expect(await codeOf(write([insert(1)], { deviceId: 9n, ...stranger }))).toBe("NOT_FOUND");
    expect(await codeOf(write([insert(1)], { role: "nobody", ...stranger }))).toBe("NOT_FOUND");
    expect(await codeOf(write([insert(1)], stranger))).toBe("PERMISSION_DENIED");
    expect(await codeOf(write([insert(1)]))).toBe("FAILED_PRECONDITION");
    await config(Action.VERIFY_AND_COMMIT, program);
    await write([insert(1)]);
    expect(await codeOf(write([], { atomicity: 9 as Atomicity }))).toBe("INVALID_ARGUMENT");
  });

  it("refuse a controller that is not primary, and name the primary's election id", async () => {
    const { write, stream } = await startRaw();
    const error = await refusal(write([], { electionId: electionIdMessage(4n) }));
    expect(error.message).toContain("election id 4 is not primary; the primary has election id 5");
    expect(error.updates).toBeUndefined();
    stream.close();
    await expect.poll(async () => (await refusal(write([]))).message).toContain("there is no primary");
  });
});

describe("Write (12)", () => {
  it("answers UNKNOWN with one error per update, in order", async () => {
    const { write, config, device } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    const wide = insert(3);
    if (wide.entity!.entity.case === "tableEntry") wide.entity!.entity.value.priority = 3;
    const error = await refusal(write([insert(1), insert(1), wide, insert(2), {}]));
    expect(error.code).toBe("UNKNOWN");
    expect(error.updates!.map((u) => u.code)).toEqual([
      "OK",
      "ALREADY_EXISTS",
      "INVALID_ARGUMENT",
      "OK",
      "INVALID_ARGUMENT",
    ]);
    expect(error.updates![0]!.message).toBe("");
    expect(error.updates![2]!.message).toContain("has no priorities, but 3 is given");
    expect(await device.read([{ kind: "tableEntry" }])).toHaveLength(2);
  });

  it("reports a thousand failed updates, the first ones in detail", async () => {
    const { write, config } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    const batch = Array.from({ length: 1000 }, (_, i) => insert(i));
    await write(batch);
    const error = await refusal(write(batch));
    expect(error.updates).toHaveLength(1000);
    expect(new Set(error.updates!.map((u) => u.code))).toEqual(new Set(["ALREADY_EXISTS"]));
    expect(error.updates![0]!.message).toContain("exists already");
  });

  it("applies all updates or none when the request asks for it", async () => {
    const { write, config, device } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    for (const atomicity of [Atomicity.ROLLBACK_ON_ERROR, Atomicity.DATAPLANE_ATOMIC]) {
      const error = await refusal(write([insert(1), insert(1)], { atomicity }));
      expect(error.updates!.map((u) => u.code)).toEqual(["ABORTED", "ALREADY_EXISTS"]);
      const malformed = await refusal(write([insert(1), {}], { atomicity }));
      expect(malformed.updates!.map((u) => u.code)).toEqual(["ABORTED", "INVALID_ARGUMENT"]);
      expect(await device.read([{ kind: "tableEntry" }])).toEqual([]);
    }
    await write([insert(1)], { atomicity: Atomicity.DATAPLANE_ATOMIC });
    expect(await device.read([{ kind: "tableEntry" }])).toHaveLength(1);
  });

  it("gives no update of a batch that was rolled back the status OK, even one that would change nothing", async () => {
    const { write, config } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    const counterId = program.p4info.counters[0]!.preamble!.id;
    const nothing = { type: 2, entity: { entity: { case: "counterEntry" as const, value: { counterId } } } };
    const absent = encodeUpdate(wire, { ...destination(9), type: "delete" });
    const error = await refusal(write([nothing, absent], { atomicity: Atomicity.ROLLBACK_ON_ERROR }));
    expect(error.updates!.map((u) => u.code)).toEqual(["ABORTED", "NOT_FOUND"]);
    const parts = await refusal(write([nothing, absent]));
    expect(parts.updates!.map((u) => u.code)).toEqual(["OK", "NOT_FOUND"]);
  });

  it("limits the number of updates", async () => {
    const { client } = await startPair({ serve: { maxUpdatesPerWrite: 10 } });
    const updates = Array.from({ length: 11 }, (_, i) => destination(i));
    expect(await codeOf(client.write(updates))).toBe("RESOURCE_EXHAUSTED");
    await client.write(updates.slice(1));
  });

  it("writes a whole array when no index is given, and changes nothing when no data are given", async () => {
    const { write, config, device } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    const [counter] = wire.index.counters.list;
    const value = { counterId: counter!.id, data: { packetCount: 3n } };
    await write([{ type: 2, entity: { entity: { case: "counterEntry", value } } }]);
    expect(await device.read([{ kind: "counter" }])).toHaveLength(Number(counter!.message.size));
    const bare = { counterId: counter!.id, index: { index: 0n } };
    await write([{ type: 2, entity: { entity: { case: "counterEntry", value: bare } } }]);
    const [first] = await device.read([{ kind: "counter", index: 0 }]);
    expect(first).toMatchObject({ data: { packets: 3n } });
    const beyond = { ...value, index: { index: counter!.message.size } };
    const error = await refusal(
      write([{ type: 2, entity: { entity: { case: "counterEntry", value: beyond } } }]),
    );
    expect(error.updates![0]!.code).toBe("OUT_OF_RANGE");
  });

  it("refuses ports that the switch does not have, if its ports are known", async () => {
    const device = new MemoryDevice();
    await device.load(program);
    const server = await startServer(device, { hasPort: (port) => port < 8 });
    const client = await startClient(server.address);
    const group = (port: number): Update => ({
      type: "insert",
      entity: { kind: "multicastGroup", groupId: port + 1, replicas: [{ port, instance: 0 }] },
    });
    const session = (port: number): Update => ({
      type: "insert",
      entity: {
        kind: "cloneSession",
        sessionId: port + 1,
        replicas: [{ port, instance: 0 }],
        classOfService: 0,
        packetLengthBytes: 0,
      },
    });
    const error = await refusal(client.write([group(7), group(8), session(7), session(8)]));
    expect(error.updates!.map((u) => u.code)).toEqual(["OK", "INVALID_ARGUMENT", "OK", "INVALID_ARGUMENT"]);
    expect(error.updates![1]!.message).toBe("a copy's port: the switch has no port 8");
    const [profile] = program.p4info.actionProfiles.filter((p) => p.withSelector);
    const watching = (watchPort: number): Update => ({
      type: "insert",
      entity: {
        kind: "group",
        profile: profile!.preamble!.name,
        groupId: watchPort,
        members: [{ memberId: 1, weight: 1, watchPort }],
        maxSize: 1,
      },
    });
    const second = await refusal(client.write([watching(7), watching(9)]));
    expect(second.updates!.map((u) => u.code)).toEqual(["OK", "INVALID_ARGUMENT"]);
  });

  it("is finished before another controller becomes primary", async () => {
    const { write, config, device, channel } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    let release = (): void => {};
    const started = new Promise<void>((start) => {
      device.beforeWrite = () => {
        start();
        return new Promise((resolve) => (release = resolve));
      };
    });
    const slow = write([insert(1)]);
    await started;
    const other = openStream(channel);
    other.claim(6n);
    // The refusal shows that the claim has arrived; it is not answered while the first write runs.
    expect(await codeOf(write([insert(2)]))).toBe("PERMISSION_DENIED");
    expect(other.heard).toEqual([]);
    release();
    await slow;
    await until(() => other.heard.length === 1);
    expect(other.heard[0]).toMatchObject({ case: "arbitration", value: { status: { code: 0 } } });
  });
});

describe("Read (13)", () => {
  it("needs the right device, a program and an entity, but no session", async () => {
    const { read, config, stream, channel } = await startRaw();
    expect(await codeOf(read([all], 9n))).toBe("NOT_FOUND");
    expect(await codeOf(read([all]))).toBe("FAILED_PRECONDITION");
    await config(Action.VERIFY_AND_COMMIT, program);
    stream.close();
    expect(await read([all])).toEqual([]);
    const unknown = create(ReadRequestSchema, { deviceId: 1n, role: "nobody", entities: [] });
    expect(await codeOf(channel.read(unknown))).toBe("NOT_FOUND");
    const error = await refusal(read([{}, all]));
    expect(error.code).toBe("UNKNOWN");
    expect(error.updates!.map((u) => u.code)).toEqual(["INVALID_ARGUMENT", "OK"]);
  });

  it("answers the good requests of a batch, and has a status for each", async () => {
    const { write, config, channel } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    await write([insert(1), insert(2)]);
    const unknown = { entity: { case: "tableEntry" as const, value: { tableId: 0x02ffffff } } };
    const error = await refusal(
      channel.read(create(ReadRequestSchema, { deviceId: 1n, entities: [all, unknown] })),
    );
    expect(error.updates!.map((u) => u.code)).toEqual(["OK", "INVALID_ARGUMENT"]);
  });

  it("streams many entities in many messages", async () => {
    const { client, server } = await startPair();
    await client.write(Array.from({ length: 5000 }, (_, i) => destination(i)));
    const channel = openChannel(server.address);
    const sizes: number[] = [];
    const entities = await channel.read(
      create(ReadRequestSchema, { deviceId: 1n, entities: [all] }),
      (size) => sizes.push(size),
    );
    expect(entities).toHaveLength(5000);
    expect(sizes.length).toBeGreaterThan(1);
  });
});

describe("SetForwardingPipelineConfig (14)", () => {
  it("checks device, role and primary, then the config", async () => {
    const { config } = await startRaw();
    expect(await codeOf(config(Action.VERIFY, program, { deviceId: 2n }))).toBe("NOT_FOUND");
    expect(await codeOf(config(Action.VERIFY, program, { role: "x" }))).toBe("NOT_FOUND");
    expect(await codeOf(config(Action.VERIFY, program, { electionId: electionIdMessage(1n) }))).toBe(
      "PERMISSION_DENIED",
    );
    for (const action of [
      Action.VERIFY,
      Action.VERIFY_AND_SAVE,
      Action.VERIFY_AND_COMMIT,
      Action.RECONCILE_AND_COMMIT,
    ]) {
      expect(await codeOf(config(action))).toBe("INVALID_ARGUMENT");
      expect(await codeOf(config(action, undefined, { config: { p4info: program.p4info } }))).toBe(
        "INVALID_ARGUMENT",
      );
      const broken = { ...configOf(program), p4DeviceConfig: new TextEncoder().encode("{") };
      expect(await codeOf(config(action, undefined, { config: broken }))).toBe("INVALID_ARGUMENT");
      const wrong = createP4Info({ tables: [{ preamble: { id: 5, name: "t" } }] });
      expect(await codeOf(config(action, { ...program, p4info: wrong }))).toBe("INVALID_ARGUMENT");
    }
    expect(await codeOf(config(Action.UNSPECIFIED, program))).toBe("INVALID_ARGUMENT");
  });

  it("refuses a P4Info of another program than the device config, naming the first object that differs", async () => {
    const { config, device } = await startRaw();
    const path = join(import.meta.dirname, "../../golden/l3/l3.json");
    const other = JSON.parse(readFileSync(path, "utf8")) as Program["bmv2"];
    for (const action of [
      Action.VERIFY,
      Action.VERIFY_AND_SAVE,
      Action.VERIFY_AND_COMMIT,
      Action.RECONCILE_AND_COMMIT,
    ]) {
      const error = await refusal(config(action, { ...program, bmv2: other }));
      expect([error.code, error.message]).toEqual([
        "INVALID_ARGUMENT",
        "the p4info is of another program than the p4_device_config: " +
          'table "TheIngress.destinations" of the P4Info is not in the BMv2 JSON',
      ]);
    }
    expect(device.program).toBeUndefined();
    // nothing was saved either
    expect(await codeOf(config(Action.COMMIT))).toBe("NOT_FOUND");
  });

  it("VERIFY changes nothing and says what the device cannot do", async () => {
    const { config, device } = await startRaw();
    await config(Action.VERIFY, program);
    expect(device.program).toBeUndefined();
    device.refuses = () => "too many tables";
    const error = await refusal(config(Action.VERIFY, program));
    expect([error.code, error.message]).toEqual(["INVALID_ARGUMENT", "too many tables"]);
    expect(await codeOf(config(Action.VERIFY_AND_COMMIT, program))).toBe("INVALID_ARGUMENT");
  });

  it("refuses programs that want more of the platform than v1model has", async () => {
    const { config } = await startRaw();
    const wanting = ([groups, total, perGroup]: readonly [number, number, number]): Program => {
      const wanted = cpuProgram();
      wanted.p4info.pkgInfo = create(p4info.PkgInfoSchema, {
        platformProperties: {
          multicastGroupTableSize: groups,
          multicastGroupTableTotalReplicas: total,
          multicastGroupTableMaxReplicasPerEntry: perGroup,
        },
      });
      return wanted;
    };
    await config(Action.VERIFY, wanting([65_535, 1_000_000, 512]));
    await config(Action.VERIFY, wanting([0, 0, 0]));
    for (const [numbers, why] of [
      [[65_536, 0, 0], "65536 multicast groups; v1model has 65535"],
      [[1, 2, 3], "3 replicas in one multicast group, but 2 in all of them"],
      [[-1, 0, 0], "a negative number"],
      [[1, 2 ** 30, 2 ** 26], "replicas in a multicast group; v1model has 33554432"],
    ] as const) {
      const error = await refusal(config(Action.VERIFY, wanting(numbers)));
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(why);
    }
  });

  it("VERIFY_AND_COMMIT clears the state", async () => {
    const { config, write, read } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    await write([insert(1)]);
    await config(Action.VERIFY_AND_COMMIT, program);
    expect(await read([all])).toEqual([]);
  });

  it("COMMIT replays what was written since the config was saved", async () => {
    const { config, write, read, device, channel } = await startRaw();
    expect(await codeOf(config(Action.COMMIT))).toBe("NOT_FOUND");
    await config(Action.VERIFY, program);
    expect(await codeOf(config(Action.COMMIT))).toBe("NOT_FOUND");
    await config(Action.VERIFY_AND_SAVE, program);
    expect(device.program).toBeUndefined();
    expect(await channel.getConfig(1n)).toBeUndefined();
    await write([insert(1), insert(2)]);
    const error = await refusal(write([insert(2), insert(3)]));
    expect(error.updates!.map((u) => u.code)).toEqual(["ALREADY_EXISTS", "OK"]);
    expect(await read([all])).toHaveLength(3);
    expect(await codeOf(config(Action.COMMIT, program))).toBe("INVALID_ARGUMENT");
    await config(Action.COMMIT);
    expect(device.program).toBeDefined();
    expect(await device.read([{ kind: "tableEntry" }])).toHaveLength(3);
    expect(await codeOf(config(Action.COMMIT))).toBe("NOT_FOUND");
  });

  it("COMMIT reports which replayed updates failed", async () => {
    const { config, write, device } = await startRaw();
    await config(Action.VERIFY_AND_SAVE, program);
    await write([insert(1)]);
    let depth = 0;
    device.beforeWrite = async (updates: readonly Update[]) => {
      if (depth++ === 0) await device.write(updates);
    };
    const error = await refusal(config(Action.COMMIT));
    expect(error.code).toBe("FAILED_PRECONDITION");
    expect(error.message).toContain("1 of 1 updates since it was saved failed");
  });

  it("RECONCILE_AND_COMMIT keeps the state, or refuses and keeps everything", async () => {
    const { config, write, read, device, channel } = await startRaw();
    await config(Action.RECONCILE_AND_COMMIT, program);
    await write([insert(1), insert(2)]);
    const grown = structuredClone(program.p4info);
    grown.tables.find((t) => t.preamble!.alias === "destinations")!.size = 4096n;
    await config(Action.RECONCILE_AND_COMMIT, { ...program, p4info: grown });
    expect(await read([all])).toHaveLength(2);
    expect((await channel.getConfig(1n))!.p4info!.tables.some((t) => t.size === 4096n)).toBe(true);
    const without = structuredClone(program.p4info);
    without.tables.find((t) => t.preamble!.alias === "destinations")!.matchFields[0]!.name = "hdr.other";
    const error = await refusal(config(Action.RECONCILE_AND_COMMIT, { ...program, p4info: without }));
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain('has no key field "hdr.eth.dst"');
    expect(await read([all])).toHaveLength(2);
    let writes = 0;
    device.beforeWrite = async () => {
      if (writes++ === 0) await device.write([destination(1)]);
    };
    expect(await codeOf(config(Action.RECONCILE_AND_COMMIT, program))).toBe("INVALID_ARGUMENT");
    expect(await read([all])).toHaveLength(2);
  });
});

describe("GetForwardingPipelineConfig (15)", () => {
  it("returns the parts of the config that the request names", async () => {
    const { channel, config } = await startRaw();
    expect(await channel.getConfig(1n)).toBeUndefined();
    expect(await codeOf(channel.getConfig(2n))).toBe("NOT_FOUND");
    await config(Action.VERIFY_AND_COMMIT, program);
    const parts = async (type: ResponseType) => {
      const message = (await channel.getConfig(1n, type))!;
      return [message.p4info !== undefined, message.p4DeviceConfig.length > 0, message.cookie?.cookie];
    };
    expect(await parts(ResponseType.ALL)).toEqual([true, true, 7n]);
    expect(await parts(ResponseType.COOKIE_ONLY)).toEqual([false, false, 7n]);
    expect(await parts(ResponseType.P4INFO_AND_COOKIE)).toEqual([true, false, 7n]);
    expect(await parts(ResponseType.DEVICE_CONFIG_AND_COOKIE)).toEqual([false, true, 7n]);
    const sent = configOf(program);
    expect((await channel.getConfig(1n))!.p4DeviceConfig).toEqual(sent.p4DeviceConfig);
  });

  it("returns a P4DeviceConfig byte for byte, and the client can read it", async () => {
    const { channel, config, device, server } = await startRaw();
    const { p4DeviceConfig: json } = configOf(program);
    const wrapped = new BinaryWriter()
      .tag(1, WireType.Varint)
      .bool(true)
      .tag(3, WireType.LengthDelimited)
      .bytes(json)
      .finish();
    await config(Action.VERIFY_AND_COMMIT, undefined, {
      config: { p4info: program.p4info, p4DeviceConfig: wrapped },
    });
    expect(device.program?.bmv2.program).toBe(program.bmv2.program);
    expect((await channel.getConfig(1n))!.p4DeviceConfig).toEqual(wrapped);
    const client = await startClient(server.address, { readOnly: true });
    expect(client.program?.bmv2.program).toBe(program.bmv2.program);
  });

  it("returns a program that was loaded without P4Runtime, with no cookie", async () => {
    const device = new MemoryDevice();
    await device.load(program);
    const channel = openChannel((await startServer(device)).address);
    const message = (await channel.getConfig(1n))!;
    expect(message.p4info!.tables).toHaveLength(program.p4info.tables.length);
    expect(message.cookie).toBeUndefined();
  });
});

describe("the stream (16)", () => {
  it("ends with NOT_FOUND for a wrong device and INVALID_ARGUMENT for a used election id", async () => {
    const { channel } = await startRaw();
    const [wrong, twin] = [openStream(channel), openStream(channel)];
    wrong.claim(6n, 2n);
    twin.claim(5n);
    await until(() => wrong.state.ended !== undefined && twin.state.ended !== undefined);
    expect([wrong.state.ended, twin.state.ended]).toEqual(["NOT_FOUND", "INVALID_ARGUMENT"]);
  });

  it("informs the other controllers when the primary's stream breaks", async () => {
    const { channel, stream } = await startRaw();
    const backup = openStream(channel);
    backup.claim(3n);
    await until(() => backup.heard.length === 1);
    stream.close();
    await until(() => backup.heard.length === 2);
    expect(
      backup.heard.map((u) => (u.case === "arbitration" ? codeName(u.value.status!.code) : u.case)),
    ).toEqual(["ALREADY_EXISTS", "NOT_FOUND"]);
  });

  it("accepts packets from the primary only, and reports what is wrong with a packet", async () => {
    const { channel, stream, config, device } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    const backup = openStream(channel);
    backup.claim(3n);
    const fields = wire.index.controllerHeaders.byName("packet_out")!.fields.list;
    const metadata = fields.map((f) => ({ metadataId: f.id, value: Uint8Array.of(1) }));
    const payload = Uint8Array.of(1, 2, 3);
    stream.send({ case: "packet", value: { payload, metadata } });
    await until(() => device.packets.length === 1);
    expect(device.packets[0]!.payload).toEqual(payload);
    backup.send({ case: "packet", value: { payload, metadata } });
    stream.send({
      case: "packet",
      value: { payload, metadata: [{ metadataId: 99, value: Uint8Array.of(1) }] },
    });
    stream.send({ case: "digestAck", value: { digestId: 99, listId: 1n } });
    stream.send({ case: "other", value: {} });
    await until(() => stream.heard.length >= 4 && backup.heard.length >= 2);
    const errors = (list: StreamMessageResponse["update"][]) =>
      list.flatMap((u) =>
        u.case === "error" ? [[codeName(u.value.canonicalCode), u.value.details.case]] : [],
      );
    expect(errors(backup.heard)).toEqual([["PERMISSION_DENIED", "packetOut"]]);
    expect(errors(stream.heard)).toEqual([
      ["INVALID_ARGUMENT", "packetOut"],
      ["INVALID_ARGUMENT", "digestListAck"],
      ["UNIMPLEMENTED", "other"],
    ]);
    expect(device.packets).toHaveLength(1);
  });

  it("sends events of the device to the primary, and not to a backup", async () => {
    const { channel, stream, config, device } = await startRaw();
    await config(Action.VERIFY_AND_COMMIT, program);
    const backup = openStream(channel);
    backup.claim(3n);
    await until(() => backup.heard.length === 1);
    const fields = wire.index.controllerHeaders.byName("packet_in")!.fields.list;
    const metadata = Object.fromEntries(fields.map((f) => [f.name, 1n]));
    device.say({ kind: "packetIn", packet: { payload: Uint8Array.of(9), metadata } });
    const { digests } = wire.index;
    const data = [[1n, 2n, 3n]];
    device.say({
      kind: "digest",
      list: { digest: digests.list[0]!.name, listId: 4n, data, timestampNs: 5n },
    });
    const entry = destination(1).entity as Extract<Update["entity"], { kind: "tableEntry" }>;
    device.say({ kind: "idleTimeout", entries: [{ ...entry, idleTimeoutNs: 6n }], timestampNs: 7n });
    device.say({ kind: "idleTimeout", entries: [], timestampNs: 7n });
    device.say({ kind: "portState", port: 1, up: false });
    await until(() => stream.heard.length === 4);
    const [, packet, digest, idle] = stream.heard;
    expect(packet).toMatchObject({ case: "packet", value: { payload: Uint8Array.of(9) } });
    expect(digest).toMatchObject({ case: "digest", value: { listId: 4n, timestamp: 5n } });
    expect(idle).toMatchObject({ case: "idleTimeoutNotification", value: { timestamp: 7n } });
    if (idle?.case === "idleTimeoutNotification") {
      expect(idle.value.tableEntry[0]).toMatchObject({ idleTimeoutNs: 6n });
      expect(idle.value.tableEntry[0]!.action).toBeUndefined();
    }
    stream.send({ case: "digestAck", value: { digestId: digests.list[0]!.id, listId: 4n } });
    await until(() => device.acks.length === 1);
    expect(device.acks).toEqual([[digests.list[0]!.name, 4n]]);
    expect(backup.heard).toHaveLength(1);
  });
});

describe("Capabilities and serve", () => {
  it("returns the version of P4Runtime", async () => {
    const { channel } = await startRaw();
    expect(await channel.version()).toBe("1.4.0");
  });

  it("refuses wrong options, and an address that is taken", async () => {
    const { server } = await startPair();
    expect(await codeOf(startServer(new MemoryDevice(), { address: server.address }))).toBe("UNAVAILABLE");
    expect(await codeOf(startServer(new MemoryDevice(), { deviceId: -1n }))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(startServer(new MemoryDevice(), { maxMessageBytes: 1000 }))).toBe("INVALID_ARGUMENT");
  });

  it("refuses messages that are longer than its limit", async () => {
    const { client } = await startPair({ serve: { maxMessageBytes: 4 * 1024 * 1024 } });
    const big = { ...destination(1).entity, metadata: new Uint8Array(5 * 1024 * 1024) } as Update["entity"];
    expect(await codeOf(client.write([{ type: "insert", entity: big }]))).toBe("RESOURCE_EXHAUSTED");
    await client.write([destination(1)]);
  });

  it("serves a device id of the caller's choice", async () => {
    const server = await startServer(new MemoryDevice(), { deviceId: 42n });
    expect(await codeOf(startClient(server.address))).toBe("NOT_FOUND");
    await startClient(server.address, { deviceId: 42n });
  });
});
