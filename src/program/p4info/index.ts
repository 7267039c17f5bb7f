/**
 * P4Info: the part of a compiled program that a control plane sees. Start with {@link P4InfoIndex} to look
 * things up, `read` and `write` for the three file formats (text, binary, JSON), `validate` for the rules.
 * The messages are generated from `proto/` (`npm run proto`); `p4info` and `p4types` give access to all.
 */
export * as p4info from "./generated/p4/config/v1/p4info_pb.js";
export * as p4types from "./generated/p4/config/v1/p4types_pb.js";
export { createP4Info, type P4Info, type P4InfoInit } from "./message.js";
