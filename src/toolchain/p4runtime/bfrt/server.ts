/**
 * BF Runtime over gRPC (`bfrt_proto.BfRuntime`): the methods with which controllers of a Tofino's drivers write and read tables, bind
 * programs, and subscribe to digests. The schema is the program's bf-rt.json; entries are the device's.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type Device, DeviceError, type DeviceEvent, type UpdateStatus } from "../../device/index.js";
import { type BfrtSchema, writeBfrt } from "../../program/index.js";
import {
  SetForwardingPipelineConfigRequest_Action as Action,
  WriteRequest_Atomicity as Atomicity,
  type Entity,
  EntitySchema,
  ErrorSchema,
  type GetForwardingPipelineConfigRequest,
  GetForwardingPipelineConfigResponseSchema,
  TableModIncFlag_Type as Inc,
  SetForwardingPipelineConfigResponse_Type as Phase,
  type ReadRequest,
  ReadResponseSchema,
  type SetForwardingPipelineConfigRequest,
  SetForwardingPipelineConfigResponseSchema,
  StreamMessageResponseSchema,
  TableEntrySchema,
  type TargetDevice,
  Update_Type as Type,
  type Update,
  type WriteRequest,
  WriteResponseSchema,
} from "../generated/bfrt_proto/bfruntime_pb.js";
import { StatusSchema } from "../generated/google/rpc/status_pb.js";
import type { Call } from "../grpc/call.js";
import { BatchFailure, codeNumber, OK, updateStatusOf } from "../status.js";
import { fixedSchema, fixedTables } from "./fixed.js";
import { FixedTable } from "./fixed-table.js";
import { INDEXED, IndexedTable } from "./indexed.js";
import { MatchTable } from "./match-table.js";
import { ProfileTable, SelectorTable, ValueSetTable } from "./profiles.js";
import type { Table } from "./schema-index.js";
import { Subscriber } from "./subscriber.js";
import { entryMessage, type TableHandler } from "./table.js";
import { bytesOf } from "./values.js";

/** The program that controllers bind to, and its schema. */
export interface BfrtProgram {
  readonly name: string;
  readonly schema: BfrtSchema;
}

const ERROR_SPACE = "bf_rt";
/** Entries in one message of a read. */
const ROWS_OF_MESSAGE = 200;
/** Failures that the status of a batch lists: its trailer is bounded. */
const MOST_LISTED = 500;

export class BfrtService {
  readonly #tables = new Map<number, TableHandler>();
  readonly #fixed: readonly TableHandler[];
  readonly #refused = new Map<number, Table>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #unwatch: () => void;

  constructor(
    private readonly device: Device,
    readonly program: BfrtProgram,
    private readonly deviceId: bigint,
  ) {
    this.#fixed = fixedTables(device, device.program?.bmv2.architecture?.name === "t2na" ? "t2na" : "tna");
    const byId = new Map(program.schema.tables.map((table) => [table.id, table]));
    for (const table of program.schema.tables) {
      const made = this.#handlerOf(table, byId);
      if (made === undefined) this.#refused.set(table.id, table);
      else this.#tables.set(table.id, made);
    }
    for (const handler of this.#fixed) this.#tables.set(handler.table.id, handler);
    this.#unwatch = device.watch((event) => this.#tell(event));
  }

  #handlerOf(table: Table, byId: ReadonlyMap<number, Table>): TableHandler | undefined {
    const { device } = this;
    const kind = INDEXED[table.table_type];
    if (kind !== undefined) return new IndexedTable(table, device, kind);
    if (table.table_type.startsWith("MatchAction_")) return new MatchTable(table, device);
    switch (table.table_type) {
      case "Action":
        return new ProfileTable(table, device);
      case "Selector": {
        const profile = byId.get(table.depends_on[0] ?? 0);
        return profile === undefined ? undefined : new SelectorTable(table, device, profile.name);
      }
      case "ParserValueSet":
        return new ValueSetTable(table, device);
      default:
        return undefined;
    }
  }

  close(): void {
    this.#unwatch();
    for (const one of [...this.#subscribers]) one.end("UNAVAILABLE", "the server is closing");
  }

  #handler(id: number): TableHandler {
    const found = this.#tables.get(id);
    if (found !== undefined) return found;
    const refused = this.#refused.get(id);
    throw refused === undefined
      ? new DeviceError("NOT_FOUND", `no table has the id ${id}`)
      : new DeviceError("UNIMPLEMENTED", `this switch has no ${refused.name} (${refused.table_type})`);
  }

  #checkProgram(name: string): void {
    if (name !== "" && name !== this.program.name)
      throw new DeviceError("NOT_FOUND", `the program is ${this.program.name}, not ${name}`);
  }

  #checkDevice(id: number | undefined): void {
    // Clients of the drivers have one device, 0; that of a switch with another number is meant as well.
    if (id !== undefined && id !== 0 && BigInt(id) !== this.deviceId)
      throw new DeviceError("NOT_FOUND", `there is no device ${id}; this is device ${this.deviceId}`);
  }

  stream(call: Call): Subscriber {
    const subscriber = new Subscriber(call, {
      subscribed: (wantsLearning) => (wantsLearning ? this.#learn() : Promise.resolve()),
      closed: (gone) => this.#subscribers.delete(gone),
    });
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** Turns the program's digests on. */
  async #learn(): Promise<void> {
    for (const { name: digest } of this.program.schema.learn_filters) {
      const entity = { kind: "digest", digest, maxListSize: 1, maxTimeoutNs: 0n, ackTimeoutNs: 0n } as const;
      const isOn = (await this.device.read([{ kind: "digest", digest }])).length > 0;
      if (!isOn) await this.device.write([{ type: "insert", entity }]);
    }
  }

  #tell(event: DeviceEvent): void {
    if (event.kind !== "digest") return;
    const { digest, listId, data } = event.list;
    const filter = this.program.schema.learn_filters.find(({ name }) => name === digest);
    if (filter === undefined) return;
    const message = create(StreamMessageResponseSchema, {
      update: {
        case: "digest",
        value: {
          digestId: filter.id,
          listId: Number(listId & 0xffffffffn),
          data: data.map((values) => ({
            fields: filter.fields.map(({ id, type }, i) => ({
              fieldId: id,
              value: { case: "stream" as const, value: bytesOf(values[i] ?? 0n, type?.width ?? 32) },
            })),
          })),
          target: { deviceId: Number(this.deviceId), pipeId: 0 },
        },
      },
    });
    const bytes = toBinary(StreamMessageResponseSchema, message);
    for (const one of this.#subscribers) one.learned(bytes);
  }

  async write({ target, updates, atomicity, p4Name }: WriteRequest) {
    this.#checkDevice(target?.deviceId);
    this.#checkProgram(p4Name);
    if (atomicity !== Atomicity.CONTINUE_ON_ERROR && updates.length > 1)
      throw new DeviceError(
        "UNIMPLEMENTED",
        "updates of a batch are applied one by one: use CONTINUE_ON_ERROR",
      );
    const statuses: UpdateStatus[] = [];
    for (const update of updates) {
      try {
        await this.#apply(update);
        statuses.push(OK);
      } catch (error) {
        statuses.push(updateStatusOf(error));
      }
    }
    failIfAny(statuses, "updates");
    return create(WriteResponseSchema);
  }

  async #apply({ type, entity }: Update): Promise<void> {
    const kind = entity?.entity;
    if (kind?.case === "tableOperation") {
      // Such an operation brings what the drivers know up to what the hardware has; here both are one.
      this.#handler(kind.value.tableId);
      return;
    }
    if (kind?.case !== "tableEntry")
      throw new DeviceError(
        "UNIMPLEMENTED",
        `only table entries are written, not ${kind?.case ?? "an entity without a kind"}`,
      );
    const entry = kind.value;
    const handler = this.#handler(entry.tableId);
    switch (type) {
      case Type.INSERT:
        return handler.insert(entry);
      case Type.MODIFY:
        return handler.modify(entry);
      case Type.MODIFY_INC:
        if (handler.modifyLists === undefined)
          throw new DeviceError("UNIMPLEMENTED", `entries of ${handler.table.name} have no lists to add to`);
        return handler.modifyLists(entry, entry.tableModIncFlag?.type !== Inc.MOD_INC_DELETE);
      case Type.DELETE:
      case Type.RESET:
        return handler.remove(entry);
      case Type.INSERT_OR_MODIFY:
        try {
          return await handler.insert(entry);
        } catch (error) {
          if (updateStatusOf(error).code !== "ALREADY_EXISTS") throw error;
          return handler.modify(entry);
        }
      default:
        throw new DeviceError("UNIMPLEMENTED", `updates of the type ${Type[type] ?? type} are not supported`);
    }
  }

  async read({ target, entities, p4Name }: ReadRequest, call: Call): Promise<undefined> {
    this.#checkDevice(target?.deviceId);
    this.#checkProgram(p4Name);
    const found: Entity[] = [];
    const statuses: UpdateStatus[] = [];
    for (const { entity } of entities) {
      try {
        found.push(...(await this.#readOne(entity, target)));
        statuses.push(OK);
      } catch (error) {
        statuses.push(updateStatusOf(error));
      }
    }
    for (let at = 0; at < found.length; at += ROWS_OF_MESSAGE) {
      if (call.cancelled) return;
      const response = create(ReadResponseSchema, { entities: found.slice(at, at + ROWS_OF_MESSAGE) });
      if (!call.write(toBinary(ReadResponseSchema, response))) await call.drained();
    }
    failIfAny(statuses, "read requests");
  }

  async #readOne(entity: Entity["entity"], target: TargetDevice | undefined): Promise<Entity[]> {
    if (entity.case === "tableEntry") {
      const handler = this.#handler(entity.value.tableId);
      const rows = await handler.read(entity.value, entity.value.entryTgt ?? target);
      return rows.map((row) =>
        create(EntitySchema, { entity: { case: "tableEntry", value: entryMessage(handler.table, row) } }),
      );
    }
    if (entity.case === "tableUsage") {
      const { tableId } = entity.value;
      const rows = await this.#handler(tableId).read(create(TableEntrySchema, { tableId }));
      const usage = rows.filter(({ isDefault }) => isDefault !== true).length;
      return [create(EntitySchema, { entity: { case: "tableUsage", value: { tableId, usage } } })];
    }
    throw new DeviceError(
      "UNIMPLEMENTED",
      `only table entries and the usage of tables are read, not ${entity.case ?? "an entity without a kind"}`,
    );
  }

  /**
   * A program is loaded when the switch starts: controllers bind to it, and send the same one or none. A start of the device begins with
   * empty tables.
   */
  async setConfig({ deviceId, action, config, clientId }: SetForwardingPipelineConfigRequest) {
    this.#checkDevice(deviceId);
    for (const { p4Name } of config) this.#checkProgram(p4Name);
    if (action !== Action.BIND && action !== Action.VERIFY && config.length === 0)
      throw new DeviceError("INVALID_ARGUMENT", `client ${clientId} sends no program`);
    if (action === Action.VERIFY_AND_WARM_INIT_BEGIN_AND_END) await this.#restart();
    const answer = create(SetForwardingPipelineConfigResponseSchema, {
      setForwardingPipelineConfigResponseType:
        action === Action.VERIFY_AND_WARM_INIT_BEGIN ? Phase.WARM_INIT_STARTED : Phase.WARM_INIT_FINISHED,
    });
    if (action !== Action.BIND && action !== Action.VERIFY) {
      const message = create(StreamMessageResponseSchema, {
        update: { case: "setForwardingPipelineConfigResponse", value: answer },
      });
      for (const one of this.#subscribers) one.notify(toBinary(StreamMessageResponseSchema, message));
    }
    return answer;
  }

  async #restart(): Promise<void> {
    const { program } = this.device;
    // Groups before the nodes that they have.
    for (const one of this.#fixed) if (one instanceof FixedTable) await one.clear();
    if (program !== undefined) await this.device.load(program);
    if ([...this.#subscribers].some(({ wantsLearning }) => wantsLearning)) await this.#learn();
  }

  async getConfig({ deviceId }: GetForwardingPipelineConfigRequest) {
    this.#checkDevice(deviceId);
    const text = (schema: BfrtSchema): Uint8Array => new TextEncoder().encode(writeBfrt(schema));
    return create(GetForwardingPipelineConfigResponseSchema, {
      config: [{ p4Name: this.program.name, bfruntimeInfo: text(this.program.schema) }],
      nonP4Config: { bfruntimeInfo: text(fixedSchema(this.#fixed)) },
    });
  }
}

/** UNKNOWN with an error for each part, as the drivers answer. */
function failIfAny(statuses: readonly UpdateStatus[], what: string): void {
  const failed = statuses.filter(({ code }) => code !== "OK");
  const [first] = failed;
  if (first === undefined) return;
  const text = `${failed.length} of ${statuses.length} ${what} failed: ${first.code} ${first.message}`;
  const listed = statuses.length > MOST_LISTED ? [] : statuses;
  const details = listed.map(({ code, message }) =>
    anyPack(
      ErrorSchema,
      create(ErrorSchema, { canonicalCode: codeNumber(code), message, space: ERROR_SPACE }),
    ),
  );
  const code = codeNumber("UNKNOWN");
  const status = create(StatusSchema, { code, message: text, details });
  throw new BatchFailure({ code, details: text, detailsBin: toBinary(StatusSchema, status) });
}
