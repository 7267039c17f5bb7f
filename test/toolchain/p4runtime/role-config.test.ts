/** Roles with a configuration of Stratum: what they may read, write, push and receive, and which ones are refused. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import type { StatusCode } from "../../../src/toolchain/device/index.js";
import { encodeUpdate } from "../../../src/toolchain/p4runtime/codec/entity.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  SetForwardingPipelineConfigRequest_Action as Action,
  EntitySchema,
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
  ReadRequestSchema,
  RoleSchema,
  SetForwardingPipelineConfigRequestSchema,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
  StreamMessageResponseSchema,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { P4RoleConfigSchema } from "../../../src/toolchain/p4runtime/generated/stratum/p4_role_config_pb.js";
import { Arbitration } from "../../../src/toolchain/p4runtime/server/arbitration.js";
import { objectIdOf, RoleConfig } from "../../../src/toolchain/p4runtime/server/role-config.js";
import {
  codeOf,
  cpuProgram,
  destination,
  openChannel,
  refusal,
  startServer,
  until,
  wireOf,
} from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

type Config = MessageInitShape<typeof P4RoleConfigSchema>;

const pack = (config: Config) => anyPack(P4RoleConfigSchema, create(P4RoleConfigSchema, config));
const configOf = (config: Config) => new RoleConfig(pack(config));

function claim(name: string, config?: Config): MasterArbitrationUpdate {
  const role = create(RoleSchema, { name });
  if (config !== undefined) role.config = pack(config);
  return create(MasterArbitrationUpdateSchema, { deviceId: 1n, electionId: electionIdMessage(1n), role });
}

class Fake {
  ended: string | undefined;
  arbitrate(): void {}
  end(code: StatusCode, message: string): void {
    this.ended = `${code} ${message}`;
  }
}

const packetIn = (metadataId: number, value: number[]): StreamMessageResponse =>
  create(StreamMessageResponseSchema, {
    update: { case: "packet", value: { metadata: [{ metadataId, value: new Uint8Array(value) }] } },
  });

describe("a role configuration", () => {
  it.each<[what: string, config: Config, message: string]>([
    ["an id both ways", { exclusiveP4Ids: [7], sharedP4Ids: [7] }, "P4 id 7 is both exclusive and shared"],
    [
      "a filter without packets",
      { packetInFilter: { metadataId: 1, value: new Uint8Array([1]) } },
      "receives_packet_ins is not",
    ],
    ["an empty filter", { receivesPacketIns: true, packetInFilter: { metadataId: 1 } }, "is empty"],
  ])("is refused for %s", async (_, config, message) => {
    const { code, message: text } = await refusal(() => configOf(config));
    expect([code, text]).toEqual(["INVALID_ARGUMENT", expect.stringContaining(message)]);
  });

  it("is refused when it is no stratum.P4RoleConfig", async () => {
    const other = await refusal(() => new RoleConfig(anyPack(RoleSchema, create(RoleSchema))));
    expect(other.message).toContain("the type type.googleapis.com/p4.v1.Role is not supported");
    const broken = { ...pack({}), value: new Uint8Array([0x0a, 0xff]) };
    expect(await codeOf(() => new RoleConfig(broken))).toBe("INVALID_ARGUMENT");
  });

  it("chooses packet-ins by their metadata, whatever the padding", () => {
    expect(configOf({}).receives(packetIn(1, [5]))).toBe(false);
    expect(configOf({ receivesPacketIns: true }).receives(packetIn(1, [5]))).toBe(true);
    const value = new Uint8Array([0, 5]);
    const filtered = configOf({ receivesPacketIns: true, packetInFilter: { metadataId: 1, value } });
    const kept = [packetIn(1, [5]), packetIn(1, [6]), packetIn(2, [5])].map((each) =>
      filtered.receives(each),
    );
    expect(kept).toEqual([true, false, false]);
    expect(configOf({}).receives(create(StreamMessageResponseSchema))).toBe(true);
  });

  it("has room for 65,536 ids", async () => {
    const ids = Array.from({ length: 65_536 }, (_, i) => i + 1);
    expect(configOf({ exclusiveP4Ids: ids.slice(1), sharedP4Ids: [1] }).allows(undefined)).toBe(true);
    const { message } = await refusal(() => configOf({ exclusiveP4Ids: ids, sharedP4Ids: [70_000] }));
    expect(message).toContain("65537 P4 ids; at most 65536 are possible");
  });

  it.each<[kind: string, entity: MessageInitShape<typeof EntitySchema>["entity"]]>([
    ["a table entry", { case: "tableEntry", value: { tableId: 7 } }],
    ["a direct counter", { case: "directCounterEntry", value: { tableEntry: { tableId: 7 } } }],
    ["a direct meter", { case: "directMeterEntry", value: { tableEntry: { tableId: 7 } } }],
    ["a member", { case: "actionProfileMember", value: { actionProfileId: 7, memberId: 9 } }],
    ["a group", { case: "actionProfileGroup", value: { actionProfileId: 7, groupId: 9 } }],
    ["a counter", { case: "counterEntry", value: { counterId: 7 } }],
    ["a meter", { case: "meterEntry", value: { meterId: 7 } }],
    ["a register", { case: "registerEntry", value: { registerId: 7 } }],
    ["a value set", { case: "valueSetEntry", value: { valueSetId: 7 } }],
    ["a digest", { case: "digestEntry", value: { digestId: 7 } }],
    ["an extern", { case: "externEntry", value: { externId: 7 } }],
  ])("decides about %s by the id of its object, exclusive or shared", (_, entity) => {
    const message = create(EntitySchema, entity === undefined ? {} : { entity });
    expect(objectIdOf(message)).toBe(7);
    expect(configOf({ exclusiveP4Ids: [7] }).allows(message)).toBe(true);
    expect(configOf({ sharedP4Ids: [7] }).allows(message)).toBe(true);
    expect(configOf({ exclusiveP4Ids: [8], sharedP4Ids: [9] }).allows(message)).toBe(false);
  });

  it("leaves what belongs to no object to every role", () => {
    const multicast = { case: "packetReplicationEngineEntry", value: {} } as const;
    for (const entity of [multicast, { case: "directCounterEntry", value: {} } as const])
      expect(configOf({}).allows(create(EntitySchema, { entity }))).toBe(true);
  });

  it("contradicts another one by the lowest id that is exclusive to one and named by both", () => {
    const both = (a: Config, b: Config) => [
      configOf(a).conflict(configOf(b)),
      configOf(b).conflict(configOf(a)),
    ];
    expect(both({ exclusiveP4Ids: [9, 4, 30] }, { exclusiveP4Ids: [30, 9] })).toEqual([9, 9]);
    expect(both({ exclusiveP4Ids: [9] }, { sharedP4Ids: [9] })).toEqual([9, 9]);
    expect(
      both({ exclusiveP4Ids: [100], sharedP4Ids: [20] }, { exclusiveP4Ids: [20], sharedP4Ids: [100] }),
    ).toEqual([20, 20]);
    expect(
      both({ exclusiveP4Ids: [1], sharedP4Ids: [5] }, { exclusiveP4Ids: [2], sharedP4Ids: [5] }),
    ).toEqual([undefined, undefined]);
  });

  it("keeps exclusive ids from other roles while they have controllers", () => {
    const arbitration = new Arbitration(1n, 8);
    const [a, b, c, d] = [new Fake(), new Fake(), new Fake(), new Fake()];
    arbitration.update(a, claim("a", { exclusiveP4Ids: [3, 4], sharedP4Ids: [5] }));
    arbitration.update(b, claim("b", { exclusiveP4Ids: [4] }));
    expect(b.ended).toContain("INVALID_ARGUMENT the role configuration: P4 id 4 is exclusive to one role");
    arbitration.update(c, claim("c", { sharedP4Ids: [5] }));
    expect(c.ended).toBeUndefined();
    arbitration.update(d, claim("d", { exclusiveP4Ids: [5] }));
    expect(d.ended).toContain("P4 id 5");
    arbitration.remove(a);
    const again = new Fake();
    arbitration.update(again, claim("b", { exclusiveP4Ids: [4] }));
    expect(again.ended).toBeUndefined();
    const root = new Fake();
    arbitration.update(root, claim("", {}));
    expect(root.ended).toContain("the default role takes no configuration");
  });
});

describe("a server with a configured role", () => {
  const program = cpuProgram();
  const wire = wireOf(program);
  const tableId = wire.index.tables.byName("TheIngress.destinations")!.id;

  async function start(config: Config) {
    const device = new MemoryDevice();
    await device.load(program);
    const channel = openChannel((await startServer(device)).address);
    const stream = channel.openStream();
    const heard: StreamMessageResponse["update"][] = [];
    stream.on("data", (message: StreamMessageResponse) => heard.push(message.update));
    stream.on("error", () => {});
    stream.write(
      create(StreamMessageRequestSchema, { update: { case: "arbitration", value: claim("r", config) } }),
    );
    await until(() => heard.length === 1);
    const common = { deviceId: 1n, role: "r", electionId: electionIdMessage(1n) };
    return {
      device,
      heard,
      write: () =>
        channel.write(
          create(WriteRequestSchema, { ...common, updates: [encodeUpdate(wire, destination(1))] }),
        ),
      read: (id: number) =>
        channel.read(
          create(ReadRequestSchema, {
            deviceId: 1n,
            role: "r",
            entities: [{ entity: { case: "tableEntry", value: { tableId: id } } }],
          }),
        ),
      push: () =>
        channel.setConfig(
          create(SetForwardingPipelineConfigRequestSchema, {
            ...common,
            action: Action.VERIFY,
            config: {
              p4info: program.p4info,
              p4DeviceConfig: new TextEncoder().encode(JSON.stringify(program.bmv2)),
            },
          }),
        ),
    };
  }

  it("lets the role access what it names, and nothing else", async () => {
    const { write, read, push } = await start({ exclusiveP4Ids: [tableId] });
    await write();
    expect(await read(tableId)).toHaveLength(1);
    expect(await read(0)).toHaveLength(1);
    expect(await codeOf(read(tableId + 1))).toBe("PERMISSION_DENIED");
    expect(await codeOf(push())).toBe("PERMISSION_DENIED");
  });

  it("shows the role nothing of the others in wildcard reads", async () => {
    const { device, write, read, push } = await start({ canPushPipeline: true });
    await device.write([destination(2)]);
    expect((await refusal(write())).message).toContain(`does not name the object of id ${tableId}`);
    expect(await read(0)).toEqual([]);
    await push();
  });

  it("sends packets only to roles that receive them", async () => {
    const packet = { payload: new Uint8Array([1]), metadata: { ingress_port: 1n, reason: 0n, length: 0n } };
    const silent = await start({});
    silent.device.say({ kind: "packetIn", packet });
    const told = await start({ receivesPacketIns: true });
    told.device.say({ kind: "packetIn", packet });
    await until(() => told.heard.length === 2);
    expect(silent.heard).toHaveLength(1);
  });
});
