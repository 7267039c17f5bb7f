/** Snapshots: what a debugger sets to capture a packet's fields stage by stage, and what it then reads. */
import { Direction, type Snapshot, SnapshotSchema } from "../p4info/generated/barefoot/tofino_pb.js";
import type { BfrtDevice, Context, Instance } from "./context.js";
import {
  bytes,
  choice,
  container,
  field,
  keyField,
  mandatory,
  optional,
  plain,
  readOnly,
  table,
} from "./fields.js";
import { FIELD_ID, type FixedField, idOfKind, PREFIX } from "./ids.js";
import type { BfrtData, BfrtKeyField, BfrtTable, BfrtType } from "./schema.js";

/**
 * For each gress of a pipe its trigger, data and liveness; before the first of a pipe the configuration of both. The id of the
 * configuration comes from the egress. (The open compiler takes it from whichever control lies at the lower address, so from run to
 * run and program to program from another; its controllers find the table by name.)
 */
export function snapshotTables(context: Context): BfrtTable[] {
  const all = context.instances(PREFIX.SNAPSHOT, SnapshotSchema);
  const tables: BfrtTable[] = [];
  const names = new Set<string>();
  const add = (name: string, make: () => BfrtTable): void => {
    if (names.has(name)) return;
    names.add(name);
    tables.push(make());
  };
  for (const one of all) {
    const { pipe } = one.info;
    const both = all.filter((other) => other.info.pipe === pipe);
    const egress = both.find((other) => other.info.direction === Direction.EGRESS) ?? one;
    add(`${pipe}.snapshot.cfg`, () => configuration(egress, both.map(triggerId), context.device));
    tables.push(trigger(one, context.device), capture(one, context.device));
    add(tableName(one, "liveness"), () => liveness(one));
  }
  return tables;
}

const triggerId = (one: Instance<Snapshot>): number => idOfKind(one.id, PREFIX.SNAPSHOT_TRIGGER);

function tableName({ info }: Instance<Snapshot>, what: string): string {
  const gress = info.direction === Direction.EGRESS ? "egress" : "ingress";
  return `${info.pipe}.snapshot.${gress}_${what}`;
}

/** A field of a snapshot's table under the name that the format gives it, in lower case. */
function own(name: FixedField, type: BfrtType, repeated = false) {
  return field(
    FIELD_ID[name],
    name.replace(/^SNAPSHOT_(METER_(?=TABLE))?/, "").toLowerCase(),
    type,
    repeated,
  );
}

const STAGE: readonly BfrtKeyField[] = [
  keyField(FIELD_ID.SNAPSHOT_START_STAGE, "stage", plain("uint32", 0), { mandatory: true }),
];

function configuration(
  one: Instance<Snapshot>,
  triggers: readonly number[],
  { stages }: BfrtDevice,
): BfrtTable {
  const stage = (id: number, name: string, value: number) =>
    keyField(id, name, plain("uint32", value), { mandatory: false });
  return table(
    {
      name: `${one.info.pipe}.snapshot.cfg`,
      id: idOfKind(one.id, PREFIX.SNAPSHOT),
      table_type: "SnapshotCfg",
      size: stages,
      depends_on: [...new Set(triggers)],
    },
    {
      key: [
        stage(FIELD_ID.SNAPSHOT_START_STAGE, "start_stage", 0),
        stage(FIELD_ID.SNAPSHOT_END_STAGE, "end_stage", stages - 1),
      ],
      data: [
        optional(own("SNAPSHOT_TIMER_ENABLE", plain("bool", false))),
        optional(own("SNAPSHOT_TIMER_VALUE_USECS", plain("uint32"))),
        optional(
          own(
            "SNAPSHOT_INGRESS_TRIGGER_MODE",
            choice(["INGRESS", "GHOST", "INGRESS_GHOST", "ANY"], "INGRESS"),
          ),
        ),
        mandatory(own("SNAPSHOT_THREAD", choice(["INGRESS", "EGRESS", "ALL"]))),
        readOnly(own("SNAPSHOT_INGRESS_CAPTURE", plain("uint32"), true)),
        readOnly(own("SNAPSHOT_EGRESS_CAPTURE", plain("uint32"), true)),
        readOnly(own("SNAPSHOT_GHOST_CAPTURE", plain("uint32"), true)),
      ],
    },
  );
}

/** The number of a field's mask is the field's number with this bit set. */
const MASK = 0x8000;

function trigger(one: Instance<Snapshot>, { stages }: BfrtDevice): BfrtTable {
  return table(
    {
      name: tableName(one, "trigger"),
      id: triggerId(one),
      table_type: "SnapshotTrigger",
      size: stages,
      depends_on: [],
    },
    {
      key: STAGE,
      data: [
        optional(own("SNAPSHOT_ENABLE", plain("bool", false))),
        readOnly(own("SNAPSHOT_TRIGGER_STATE", choice(["PASSIVE", "ARMED", "FULL"]), true)),
        ...one.info.fields.flatMap(({ id, name, bitwidth }) => [
          optional(field(id, `trig.${name}`, bytes(bitwidth))),
          optional(field(id + MASK, `trig.${name}_mask`, bytes(bitwidth))),
        ]),
      ],
    },
  );
}

function capture(one: Instance<Snapshot>, device: BfrtDevice): BfrtTable {
  return table(
    {
      name: tableName(one, "data"),
      id: idOfKind(one.id, PREFIX.SNAPSHOT_DATA),
      table_type: "SnapshotData",
      size: device.stages,
      depends_on: [],
    },
    {
      key: STAGE,
      data: [
        readOnly(own("SNAPSHOT_PREV_STAGE_TRIGGER", plain("bool", false))),
        readOnly(own("SNAPSHOT_TIMER_TRIGGER", plain("bool", false))),
        readOnly(own("SNAPSHOT_LOCAL_STAGE_TRIGGER", plain("bool", false))),
        readOnly(own("SNAPSHOT_NEXT_TABLE_NAME", plain("string"))),
        tableInfo(),
        ...(device.longBranches ? longBranches() : []),
        ...one.info.fields.map(({ id, name, bitwidth }) => readOnly(field(id, name, bytes(bitwidth)))),
      ],
    },
  );
}

function tableInfo(): BfrtData {
  return readOnly(
    container(FIELD_ID.SNAPSHOT_TABLE_INFO, "table_info", [
      readOnly(own("SNAPSHOT_TABLE_NAME", plain("string"))),
      readOnly(own("SNAPSHOT_MATCH_HIT_HANDLE", plain("uint32"))),
      readOnly(own("SNAPSHOT_TABLE_HIT", plain("bool"))),
      readOnly(own("SNAPSHOT_TABLE_INHIBITED", plain("bool"))),
      readOnly(own("SNAPSHOT_TABLE_EXECUTED", plain("bool"))),
    ]),
  );
}

/** What only Tofino 2 and later capture. */
function longBranches(): BfrtData[] {
  const lists: FixedField[] = [
    "SNAPSHOT_ENABLED_NEXT_TABLES",
    "SNAPSHOT_GLOBAL_EXECUTE_TABLES",
    "SNAPSHOT_ENABLED_GLOBAL_EXECUTE_TABLES",
    "SNAPSHOT_LONG_BRANCH_TABLES",
    "SNAPSHOT_ENABLED_LONG_BRANCH_TABLES",
  ];
  return [
    ...lists.map((name) => readOnly(own(name, plain("string"), true))),
    readOnly(own("SNAPSHOT_DEPARSER_ERROR", plain("bool"))),
    readOnly(
      container(FIELD_ID.SNAPSHOT_METER_ALU_INFO, "meter_alu_info", [
        readOnly(own("SNAPSHOT_METER_TABLE_NAME", plain("string"))),
        readOnly(own("SNAPSHOT_METER_ALU_OPERATION_TYPE", plain("string"))),
      ]),
    ),
  ];
}

/** In which stages a field holds a value; size 0, since nothing is written. */
function liveness(one: Instance<Snapshot>): BfrtTable {
  return table(
    {
      name: tableName(one, "liveness"),
      id: idOfKind(one.id, PREFIX.SNAPSHOT_LIVENESS),
      table_type: "SnapshotLiveness",
      size: 0,
      depends_on: [],
    },
    {
      key: [
        keyField(FIELD_ID.SNAPSHOT_LIVENESS_FIELD_NAME, "field_name", plain("string"), { mandatory: true }),
      ],
      data: [readOnly(field(FIELD_ID.SNAPSHOT_LIVENESS_VALID_STAGES, "valid_stages", plain("uint32"), true))],
    },
  );
}
