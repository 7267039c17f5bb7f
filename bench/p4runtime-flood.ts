/** The controller of `p4runtime-delay.ts`, a process of its own: names each request before it sends it. */
import type { Update } from "../src/device/index.js";
import { connect } from "../src/p4runtime/index.js";
import { insertOf, TABLE } from "./p4runtime.js";

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
// The last insert has the key of the first: all that came between them is undone.
await request(`write of ${count} inserts that is rolled back`, () =>
  device.write([...inserts.slice(0, -1), inserts[0]!], "rollbackOnError").then(
    () => Promise.reject(new Error("two entries of one key were taken")),
    () => undefined,
  ),
);
await device.close();
process.disconnect();
