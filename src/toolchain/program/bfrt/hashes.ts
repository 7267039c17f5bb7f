/** Hashes that a controller may change: the algorithm, the order of the inputs, and the value for given inputs. */
import { type DynHash, DynHashSchema } from "../p4info/generated/barefoot/tofino_pb.js";
import type { Context, Instance } from "./context.js";
import {
  actionField,
  annotations,
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
import { FIELD_ID, idOfKind, PREFIX } from "./ids.js";
import type { BfrtActionSpec, BfrtData, BfrtTable } from "./schema.js";
import { typeFields } from "./type-fields.js";

export function hashTables(context: Context): BfrtTable[] {
  return context
    .instances(PREFIX.HASH, DynHashSchema)
    .flatMap((one) => [algorithmTable(one), configureTable(context, one), computeTable(context, one)]);
}

const configureId = (one: Instance<DynHash>) => idOfKind(one.id, PREFIX.HASH_CONFIGURE);

/** The algorithms that the driver knows by name: identity, random, exclusive or, and the CRC catalogue's. */
const ALGORITHMS =
  "IDENTITY RANDOM XOR CRC_8 CRC_8_DARC CRC_8_I_CODE CRC_8_ITU CRC_8_MAXIM CRC_8_ROHC CRC_8_WCDMA CRC_16 CRC_16_BYPASS CRC_16_DDS_110 CRC_16_DECT CRC_16_DECT_R CRC_16_DECT_X CRC_16_DNP CRC_16_EN_13757 CRC_16_GENIBUS CRC_16_MAXIM CRC_16_MCRF4XX CRC_16_RIELLO CRC_16_T10_DIF CRC_16_TELEDISK CRC_16_USB X_25 XMODEM MODBUS KERMIT CRC_CCITT_FALSE CRC_AUG_CCITT CRC_32 CRC_32_BZIP2 CRC_32C CRC_32D CRC_32_MPEG POSIX CRC_32Q JAMCRC XFER CRC_64 CRC_64_GO_ISO CRC_64_WE CRC_64_JONES".split(
    " ",
  );

function algorithmTable(one: Instance<DynHash>): BfrtTable {
  const spec = (id: number, name: string, data: BfrtActionSpec["data"]): BfrtActionSpec => ({
    id,
    name,
    action_scope: "TableAndDefault",
    annotations: [],
    data,
  });
  const known = actionField(1, "algorithm_name", choice(ALGORITHMS, "RANDOM"), { mandatory: false });
  const own = [
    actionField(1, "reverse", plain("bool", false), { mandatory: false }),
    actionField(2, "polynomial", plain("uint64"), { mandatory: true }),
    actionField(3, "init", plain("uint64", 0), { mandatory: false }),
    actionField(4, "final_xor", plain("uint64", 0), { mandatory: false }),
    actionField(5, "hash_bit_width", plain("uint64"), { mandatory: false }),
  ];
  return table(
    {
      name: `${one.name}.algorithm`,
      id: idOfKind(one.id, PREFIX.HASH_ALGORITHM),
      table_type: "DynHashAlgorithm",
      size: 1,
      annotations: annotations(one.annotations),
      depends_on: [configureId(one)],
    },
    {
      key: [],
      data: [
        optional(field(FIELD_ID.HASH_ROTATE, "rotate", plain("uint32", 0))),
        optional(field(FIELD_ID.HASH_SEED, "seed", plain("uint32", 0))),
        optional(field(FIELD_ID.HASH_MSB, "msb", plain("bool", false))),
        optional(field(FIELD_ID.HASH_EXTEND, "extend", plain("bool", false))),
      ],
      action_specs: [
        spec(FIELD_ID.HASH_PRE_DEFINED, "pre_defined", [known]),
        spec(FIELD_ID.HASH_USER_DEFINED, "user_defined", own),
      ],
    },
  );
}

/** The inputs in the order of the program; a constant among them is marked. */
function inputs(context: Context, one: Instance<DynHash>) {
  const { typeSpec, fieldInfos } = one.info;
  const constants = new Set<string>();
  const seen = new Set<string>();
  for (const { fieldName, isConstant } of fieldInfos) {
    if (isConstant && !seen.has(fieldName)) constants.add(fieldName);
    seen.add(fieldName);
  }
  const names = fieldInfos.map((info) => info.fieldName);
  return typeFields(context, typeSpec, `hash "${one.name}"`, { names }).map((input) => ({
    ...input,
    width: input.type.width ?? 1,
    isConstant: constants.has(input.name),
  }));
}

/** A constant is named by its place among the constants, its width and its value, as in the context of the driver. */
function configureTable(context: Context, one: Instance<DynHash>): BfrtTable {
  let constants = 0;
  const data = inputs(context, one).map(({ id, name, width, isConstant }): BfrtData => {
    const items = [
      optional(field(FIELD_ID.HASH_START_BIT, "start_bit", plain("uint64", 0))),
      optional(field(FIELD_ID.HASH_LENGTH, "length", plain("uint64", width))),
      mandatory(field(FIELD_ID.HASH_ORDER, "order", plain("uint64"))),
    ];
    return optional(
      isConstant
        ? container(id, `constant${constants++}_${width}_${name}`, items, [{ name: "bfrt_p4_constant" }])
        : container(id, name, items),
    );
  });
  return table(
    {
      name: `${one.name}.configure`,
      id: configureId(one),
      table_type: "DynHashConfigure",
      size: 1,
      annotations: annotations(one.annotations),
      depends_on: [],
    },
    { key: [], data },
  );
}

function computeTable(context: Context, one: Instance<DynHash>): BfrtTable {
  const variable = inputs(context, one).filter((input) => !input.isConstant);
  return table(
    {
      name: `${one.name}.compute`,
      id: idOfKind(one.id, PREFIX.HASH_COMPUTE),
      table_type: "DynHashCompute",
      size: 1,
      annotations: annotations(one.annotations),
      depends_on: [configureId(one)],
    },
    {
      key: variable.map(({ name, width }, index) =>
        keyField(index + 1, name, bytes(width), { mandatory: false }),
      ),
      data: [readOnly(field(FIELD_ID.HASH_VALUE, "hash_value", bytes(one.info.hashWidth)))],
      read_only: true,
    },
  );
}
