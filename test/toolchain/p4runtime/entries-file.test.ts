import { fromJsonString } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import type { TableEntry } from "../../../src/toolchain/device/index.js";
import {
  Update_Type,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { writeEntries } from "../../../src/toolchain/p4runtime/index.js";
import { cpuProgram, destination } from "./program.js";

it("entries as a file are a Write of inserts, in their order", () => {
  const entries = [1, 2, 3].map((i) => destination(i).entity as TableEntry);
  const request = fromJsonString(WriteRequestSchema, String(writeEntries(cpuProgram(), entries, "json")));
  expect(request.updates.map(({ type }) => type)).toEqual([1, 2, 3].map(() => Update_Type.INSERT));
  const keys = request.updates.map(({ entity }) =>
    entity?.entity.case === "tableEntry" ? entity.entity.value.match[0]!.fieldMatchType.value : undefined,
  );
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(3);
});
