/**
 * P4Info: the part of a compiled program that a control plane sees. `formats` reads and writes its files
 * (text, binary, JSON), `validate` checks its rules, {@link P4InfoIndex} finds things by name and id with
 * references resolved, `same` compares two. The messages are generated from `proto/` (`npm run proto`);
 * the namespaces `p4info` and `p4types` give access to all of them.
 */
export {
  type P4InfoFormat,
  p4InfoFormatOf,
  readP4Info,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "./formats.js";
export { describeBmv2 } from "./from-bmv2.js";
export * as p4info from "./generated/p4/config/v1/p4info_pb.js";
export * as p4types from "./generated/p4/config/v1/p4types_pb.js";
export * from "./lookup.js";
export { createP4Info, type P4Info, type P4InfoInit } from "./message.js";
export { sameP4Info } from "./same.js";
export { writeText } from "./text-writer.js";
export { validateP4Info } from "./validate.js";
