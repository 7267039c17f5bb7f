/**
 * Runs the Python controllers of public TNA designs, unchanged, against the embedded switch, and prints which run; docs/tna/controllers.md has the list.
 *
 *     unshare -n env CORPUS=DIR BFRT=DIR [PYTHON=COMMAND] npx tsx tools/tna/controllers/run.ts [NAME ...]
 *
 * CORPUS holds the repositories as `OWNER+NAME`. BFRT is a folder of Python modules (more of them after colons): `bfrt_grpc` (client, messages), `p4testutils`, the
 * modules of the fixed interfaces that controllers import, all of the open drivers (p4lang/open-p4studio), and what controllers take from
 * elsewhere. In a network namespace of its own, the addresses that controllers name are the switch's, and the port is free. With names,
 * only controllers whose name contains one run, and what they print is shown.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONTROLLERS } from "./cases.js";
import { runController } from "./session.js";

const { CORPUS: corpus, BFRT: bfrt, PYTHON: python = "python3" } = process.env;
const names = process.argv.slice(2);

async function main(): Promise<void> {
  if (
    corpus === undefined ||
    bfrt === undefined ||
    !existsSync(join(bfrt.split(":")[0] ?? "", "bfrt_grpc"))
  ) {
    process.stdout.write(
      "skipped: CORPUS names no folder of repositories, or BFRT none with the module bfrt_grpc\n",
    );
    return;
  }
  execFileSync("ip", ["link", "set", "lo", "up"]);
  for (const one of CONTROLLERS) {
    const name = `${one.repo}/${one.controller}`;
    if (names.length > 0 && !names.some((part) => name.includes(part))) continue;
    const { failed, output } = await runController(one, { corpus, bfrt, python });
    if (names.length > 0) process.stdout.write(output);
    process.stdout.write(`${name}: ${failed ?? "runs"}\n`);
  }
}

await main();
