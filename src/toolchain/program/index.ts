/**
 * BMv2 JSON, P4Info and bf-rt.json: what a compiler hands to a switch, a control plane and the fit checker.
 *
 * Of P4Info: `formats` reads and writes its files (text, binary, JSON), `validate` checks its rules, {@link P4InfoIndex}
 * finds objects by name and id with references resolved, `same` compares two. The messages are generated from `proto/`
 * (`npm run proto`); the namespaces `p4info` and `p4types` give access to all of them.
 */

export { bfrtSchema } from "./bfrt/bfrt.js";
export { readBfrt, writeBfrt } from "./bfrt/json.js";
export { sameBfrt } from "./bfrt/same.js";
export type { BfrtSchema } from "./bfrt/schema.js";
export { type JsonPath, jsonKeyPlace, jsonPlace } from "./bmv2/json-place.js";
export { type ParserPart, parserPlace, placeParserPart } from "./bmv2/parser-places.js";
export { EXTERN_STATE, MIRROR_SLOTS, NIC, portableOf, runnableForm } from "./bmv2/portable.js";
export { bmv2Bits, bmv2Number } from "./bmv2/values.js";
export type { Bmv2Program } from "./bmv2.js";
export * as bmv2 from "./bmv2.js";
export { readBmv2 } from "./bmv2-reader.js";
export { firstMismatch } from "./mismatch.js";
export {
  type P4InfoFormat,
  p4InfoFormatOf,
  readP4Info,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "./p4info/formats.js";
export { describeBmv2 } from "./p4info/from-bmv2.js";
export * as tofino from "./p4info/generated/barefoot/tofino_pb.js";
export * as p4info from "./p4info/generated/p4/config/v1/p4info_pb.js";
export * as p4types from "./p4info/generated/p4/config/v1/p4types_pb.js";
export {
  type ActionInfo,
  type FieldInfo,
  P4InfoIndex,
  type P4Object,
  P4Objects,
  type ProfileInfo,
  type Slot,
  Slots,
  type TableInfo,
  type ValueSetInfo,
} from "./p4info/lookup.js";
export { createP4Info, type P4Info } from "./p4info/message.js";
export { sameP4Info } from "./p4info/same.js";
export { writeText } from "./p4info/text-writer.js";
export { validateP4Info } from "./p4info/validate.js";
export type { Program } from "./program.js";
