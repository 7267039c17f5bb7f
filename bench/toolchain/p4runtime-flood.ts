/** The controller of `p4runtime-delay.ts`, a process of its own: names each request before it sends it. */
import { create } from "@bufbuild/protobuf";
import type { Update } from "../../src/toolchain/device/index.js";
import {
  WriteRequest_Atomicity as Atomicity,
  Update_Type,
  WriteRequestSchema,
} from "../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { connect } from "../../src/toolchain/p4runtime/index.js";
import { P4InfoIndex } from "../../src/toolchain/program/index.js";
import { goldenProgram, insertOf, TABLE } from "./p4runtime.js";

/** An array of as many elements as there are entries, and as many as an atomic Write may change. */
const REGISTER = "TheIngress.r32";
const ATOMIC_ELEMENTS = 16_384;

const [address, count] = [process.argv[2]!, Number(process.argv[3])];
const device = await connect(address, { batchSize: count, timeoutMs: 120_000 });
const inserts = Array.from({ length: count }, (_, i) => insertOf(i));

async function request(name: string, send: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => {
    process.once("message", resolve);
    process.send!(name);
  });
  await send();
}

await request(`write of ${count} inserts`, () => device.write(inserts));
await request(`read of ${count} entries`, () => device.read([{ kind: "tableEntry", table: TABLE }]));
await request(`write of ${count} deletes`, () =>
  device.write(inserts.map(({ entity }): Update => ({ type: "delete", entity }))),
);
// The last insert has the key of the first: all updates between them are rolled back.
await request(`write of ${count} inserts that is rolled back`, () =>
  device.write([...inserts.slice(0, -1), inserts[0]!], "rollbackOnError").then(
    () => Promise.reject(new Error("two entries of one key were taken")),
    () => undefined,
  ),
);
const document = await (async () => {
  await device.write(inserts);
  let saved: Uint8Array | undefined;
  await request(`SaveState of ${count} entries`, async () => {
    saved = await device.state!.save();
  });
  return saved!;
})();
await request(`RestoreState of ${count} entries`, () => device.state!.restore(document));

/** Writes all elements of the register by one update. */
async function writeArray(atomicity: Atomicity): Promise<void> {
  const { id } = new P4InfoIndex(device.program!.p4info).registers.byName(REGISTER)!;
  const entity = { registerId: id, data: { data: { case: "bitstring", value: Uint8Array.of(7) } } } as const;
  await device.channel.write(
    create(WriteRequestSchema, {
      deviceId: 1n,
      electionId: { low: 1n },
      atomicity,
      updates: [{ type: Update_Type.MODIFY, entity: { entity: { case: "registerEntry", value: entity } } }],
    }),
  );
}

const largest = goldenProgram("arith");
await request(`load of a program of ${Math.round(JSON.stringify(largest.bmv2).length / 1000)} kB`, () =>
  device.load(largest),
);
await device.load(goldenProgram("memory", { register: REGISTER, elements: count }));
await request(`write of a whole array of ${count}`, () => writeArray(Atomicity.CONTINUE_ON_ERROR));
await device.load(goldenProgram("memory", { register: REGISTER, elements: ATOMIC_ELEMENTS }));
await request(`atomic write of a whole array of ${ATOMIC_ELEMENTS}`, () =>
  writeArray(Atomicity.DATAPLANE_ATOMIC),
);
await device.close();
process.disconnect();
