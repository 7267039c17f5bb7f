/** A controller as a process of its own, for a test to kill: loads a program and writes entries until it dies. */
import { connect } from "../../src/p4runtime/index.js";
import { destination, roomyProgram } from "./program.js";

const device = await connect(process.argv[2]!, { batchSize: 50 });
await device.load(roomyProgram());
for (let i = 0; ; i += 50) {
  await device.write(Array.from({ length: 50 }, (_, k) => destination((i + k) % 900, i % 7)));
  process.stdout.write(`${i + 50}\n`);
  if (i >= 850) break;
}
// stays primary until it is killed
setInterval(() => {}, 1000);
