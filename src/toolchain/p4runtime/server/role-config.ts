/**
 * The rights of a role, as its primary sent them in the arbitration update. P4Runtime leaves the configuration of roles open
 * (spec 5.2); the only format in use is Stratum's `stratum.P4RoleConfig`, which is fully supported here. A role
 * without a configuration has full access.
 */
import type { Any } from "@bufbuild/protobuf/wkt";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { DeviceError } from "../../device/index.js";
import { bytesToValue } from "../codec/bytes.js";
import type { Entity, StreamMessageResponse } from "../generated/p4/v1/p4runtime_pb.js";
import { P4RoleConfigSchema } from "../generated/stratum/p4_role_config_pb.js";

/** Maximum number of ids in one configuration: a program has fewer objects. */
const MAX_IDS = 65536;

export class RoleConfig {
  readonly #exclusive: ReadonlySet<number>;
  readonly #shared: ReadonlySet<number>;
  readonly #filter: { metadataId: number; value: bigint } | undefined;
  readonly #receivesPacketIns: boolean;
  readonly canPushPipeline: boolean;

  /** Throws INVALID_ARGUMENT for a configuration of another type, and for a configuration that contradicts itself. */
  constructor(packed: Any) {
    const invalid = (why: string): DeviceError =>
      new DeviceError("INVALID_ARGUMENT", `the role configuration: ${why}`);
    let message: ReturnType<typeof anyUnpack<typeof P4RoleConfigSchema>>;
    try {
      message = anyUnpack(packed, P4RoleConfigSchema);
    } catch (error) {
      throw invalid(`these bytes are no stratum.P4RoleConfig (${(error as Error).message})`);
    }
    if (message === undefined) {
      throw invalid(
        `the type ${packed.typeUrl || "(none)"} is not supported; use stratum.P4RoleConfig, or none for full access`,
      );
    }
    const { exclusiveP4Ids, sharedP4Ids, packetInFilter } = message;
    const count = exclusiveP4Ids.length + sharedP4Ids.length;
    if (count > MAX_IDS) throw invalid(`${count} P4 ids; at most ${MAX_IDS} are possible`);
    this.#exclusive = new Set(exclusiveP4Ids);
    this.#shared = new Set(sharedP4Ids);
    const both = sharedP4Ids.find((id) => this.#exclusive.has(id));
    if (both !== undefined) throw invalid(`P4 id ${both} is both exclusive and shared`);
    this.#receivesPacketIns = message.receivesPacketIns;
    this.canPushPipeline = message.canPushPipeline;
    if (packetInFilter !== undefined) {
      if (!message.receivesPacketIns)
        throw invalid("packet_in_filter is set, but receives_packet_ins is not");
      if (packetInFilter.value.length === 0) throw invalid("the value of packet_in_filter is empty");
      const { metadataId, value } = packetInFilter;
      this.#filter = { metadataId, value: bytesToValue(value) };
    }
  }

  /** The lowest P4 id that is exclusive to one of two roles and that the other role names too. */
  conflict(other: RoleConfig): number | undefined {
    const claimed = [...this.#exclusive].filter((id) => other.#exclusive.has(id) || other.#shared.has(id));
    claimed.push(...[...this.#shared].filter((id) => other.#exclusive.has(id)));
    return claimed.sort((a, b) => a - b)[0];
  }

  /** Whether the role may read and write an entity. Those that belong to no object of the P4Info (id 0) are free to all. */
  allows(entity: Entity | undefined): boolean {
    const id = objectIdOf(entity);
    return id === 0 || this.#exclusive.has(id) || this.#shared.has(id);
  }

  /** Whether the role receives a message of the stream; only packet-ins are ever withheld. */
  receives({ update }: StreamMessageResponse): boolean {
    if (update.case !== "packet") return true;
    const filter = this.#filter;
    if (!this.#receivesPacketIns || filter === undefined) return this.#receivesPacketIns;
    return update.value.metadata.some(
      ({ metadataId, value }) => metadataId === filter.metadataId && bytesToValue(value) === filter.value,
    );
  }
}

/** The id of the object that an entity belongs to: direct resources belong to their table; 0 for none, and in wildcards. */
export function objectIdOf(message: Entity | undefined): number {
  const entity = message?.entity;
  switch (entity?.case) {
    case "tableEntry":
      return entity.value.tableId;
    case "directCounterEntry":
    case "directMeterEntry":
      return entity.value.tableEntry?.tableId ?? 0;
    case "actionProfileMember":
    case "actionProfileGroup":
      return entity.value.actionProfileId;
    case "counterEntry":
      return entity.value.counterId;
    case "meterEntry":
      return entity.value.meterId;
    case "registerEntry":
      return entity.value.registerId;
    case "valueSetEntry":
      return entity.value.valueSetId;
    case "digestEntry":
      return entity.value.digestId;
    case "externEntry":
      return entity.value.externId;
    default:
      return 0;
  }
}
