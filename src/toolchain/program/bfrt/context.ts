/** A P4Info as the parts of bf-rt.json read it: its tables and actions by id, its extern instances unpacked, its device. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Action, Preamble, Table } from "../p4info/generated/p4/config/v1/p4info_pb.js";
import type { P4Info } from "../p4info/message.js";

/** What of a device stands in the schema (`device.h` of the open compiler: stages, bits of port metadata). */
export interface BfrtDevice {
  readonly stages: number;
  readonly portMetadataBits: number;
  /** Snapshots that tell of long branches, global tables and meter ALUs. */
  readonly longBranches: boolean;
}

const DEVICES: Readonly<Record<string, BfrtDevice>> = {
  tna: { stages: 12, portMetadataBits: 64, longBranches: false },
  t2na: { stages: 20, portMetadataBits: 128, longBranches: true },
};

/** An extern instance with its message. */
export interface Instance<T> {
  readonly id: number;
  readonly name: string;
  readonly annotations: readonly string[];
  readonly info: T;
}

export class Context {
  readonly device: BfrtDevice;
  readonly #tables: ReadonlyMap<number, Table>;
  readonly #actions: ReadonlyMap<number, Action>;

  /** Fails with P41022 where the architecture is none of Tofino's. */
  constructor(readonly p4info: P4Info) {
    const arch = p4info.pkgInfo?.arch ?? "";
    const device = Object.hasOwn(DEVICES, arch) ? DEVICES[arch] : undefined;
    if (device === undefined) {
      fail(
        CODES.bfrtArchitecture,
        undefined,
        `bf-rt.json is the schema of Tofino's controllers, and this program is for ${arch === "" ? "no architecture" : arch}`,
        "programs for tna and t2na have one; others are controlled by their P4Info",
      );
    }
    this.device = device!;
    this.#tables = byId(p4info.tables);
    this.#actions = byId(p4info.actions);
  }

  table(id: number, user: string): Table {
    return this.#tables.get(id) ?? missing("table", id, user);
  }

  action(id: number, user: string): Action {
    return this.#actions.get(id) ?? missing("action", id, user);
  }

  /** The instances of one kind in P4Info's order. Fails with P41021 where one holds another kind's message. */
  instances<Desc extends DescMessage>(kind: number, schema: Desc): Instance<MessageShape<Desc>>[] {
    return this.p4info.externs
      .filter((one) => one.externTypeId === kind)
      .flatMap((one) => one.instances)
      .map(({ preamble, info }) => {
        const { id, name, annotations } = preamble ?? { id: 0, name: "", annotations: [] };
        const held = info === undefined ? undefined : unpack(info, schema);
        if (held === undefined) {
          const found = info === undefined || info.typeUrl === "" ? "nothing" : info.typeUrl;
          fail(
            CODES.bfrtInstance,
            undefined,
            `"${name}" should hold a ${schema.typeName}, but holds ${found}`,
            "use the P4Info that the compiler wrote",
          );
        }
        return { id, name, annotations, info: held! };
      });
  }
}

function unpack<Desc extends DescMessage>(
  info: Parameters<typeof anyUnpack>[0],
  schema: Desc,
): MessageShape<Desc> | undefined {
  try {
    return anyUnpack(info, schema);
  } catch {
    return undefined;
  }
}

export function missing(kind: string, id: number, user: string): never {
  return fail(
    CODES.reference,
    undefined,
    `${user} refers to ${kind} 0x${id.toString(16).padStart(8, "0")}, which does not exist`,
  );
}

function byId<T extends { preamble?: Preamble | undefined }>(objects: readonly T[]): Map<number, T> {
  return new Map(objects.map((one) => [one.preamble?.id ?? 0, one]));
}
