/** What is neither a table nor an array of the program: value sets of parsers, port metadata, the counter for debugging, digests. */
import { DigestSchema, PortMetadataSchema, ValueSetSchema } from "../p4info/generated/barefoot/tofino_pb.js";
import type { Context } from "./context.js";
import { annotations, bytes, choice, field, keyField, mandatory, optional, plain, table } from "./fields.js";
import { FIELD_ID, idOfKind, PREFIX } from "./ids.js";
import type { BfrtLearnFilter, BfrtTable } from "./schema.js";
import { typeFields } from "./type-fields.js";

export function valueSetTables(context: Context): BfrtTable[] {
  return context.instances(PREFIX.VALUE_SET, ValueSetSchema).map(({ id, name, annotations: texts, info }) =>
    table(
      {
        name,
        id,
        table_type: "ParserValueSet",
        size: info.size,
        annotations: annotations(texts),
        depends_on: [],
      },
      {
        key: typeFields(context, info.typeSpec, `value set "${name}"`).map((one) =>
          keyField(one.id, one.name, one.type, { mandatory: false, matchType: "Ternary" }),
        ),
        data: [],
        attributes: ["EntryScope"],
      },
    ),
  );
}

/** Ports of both devices: four pipes of 72 channels; a port's number has 9 bits. */
const PORTS = 288;
const PORT_BITS = 9;

/** Where the program reads no port metadata, its bits are one field. */
export function portMetadataTables(context: Context): BfrtTable[] {
  return context
    .instances(PREFIX.PORT_METADATA, PortMetadataSchema)
    .map(({ id, name, annotations: texts, info }) => {
      const unread = bytes(context.device.portMetadataBits);
      const fields = info.typeSpec?.typeSpec.case
        ? typeFields(context, info.typeSpec, `port metadata "${name}"`).map((one) =>
            mandatory(field(one.id, one.name, one.type)),
          )
        : [optional(field(FIELD_ID.PORT_METADATA_DEFAULT, "$DEFAULT_FIELD", unread))];
      return table(
        {
          name,
          id,
          table_type: "PortMetadata",
          size: PORTS,
          annotations: annotations(texts),
          depends_on: [],
        },
        {
          key: [
            keyField(FIELD_ID.PORT_METADATA_PORT, `${info.keyName}.ingress_port`, bytes(PORT_BITS), {
              mandatory: true,
            }),
          ],
          data: fields,
        },
      );
    });
}

const TABLES_PER_STAGE = 16;

/** Counts how often each table of the device was hit or missed; each program has it. */
export function debugCounterTable({ device }: Context): BfrtTable {
  const kinds = ["DISABLED", "TBL_MISS", "TBL_HIT", "GW_TBL_MISS", "GW_TBL_HIT", "GW_TBL_INHIBIT"];
  return table(
    {
      name: "tbl_dbg_counter",
      id: idOfKind(0, PREFIX.DEBUG_COUNTER),
      table_type: "TblDbgCnt",
      size: device.stages * TABLES_PER_STAGE,
      depends_on: [],
    },
    {
      key: [keyField(FIELD_ID.DEBUG_COUNTER_TABLE_NAME, "tbl_name", plain("string"), { mandatory: true })],
      data: [
        optional(field(FIELD_ID.DEBUG_COUNTER_TYPE, "type", choice(kinds, "TBL_HIT"))),
        optional(field(FIELD_ID.DEBUG_COUNTER_VALUE, "value", plain("uint64", 0))),
      ],
    },
  );
}

export function learnFilters(context: Context): BfrtLearnFilter[] {
  return context.instances(PREFIX.DIGEST, DigestSchema).map(({ id, name, annotations: texts, info }) => ({
    name,
    id,
    annotations: annotations(texts),
    fields: typeFields(context, info.typeSpec, `digest "${name}"`).map((one) =>
      field(one.id, one.name, one.type),
    ),
  }));
}
