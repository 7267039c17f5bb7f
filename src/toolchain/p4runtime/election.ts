/** Election ids: 128-bit numbers in two halves; unset is lower than any (P4Runtime spec 16.2.1). */
import { create } from "@bufbuild/protobuf";
import { type Uint128, Uint128Schema } from "./generated/p4/v1/p4runtime_pb.js";

export function electionIdOf(message: Uint128 | undefined): bigint | undefined {
  return message === undefined ? undefined : (message.high << 64n) | message.low;
}

export function electionIdMessage(id: bigint): Uint128 {
  return create(Uint128Schema, { high: id >> 64n, low: BigInt.asUintN(64, id) });
}
