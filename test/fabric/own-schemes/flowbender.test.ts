/** examples/schemes/flowbender.yaml: a module whose hosts act on marks, on the simulator and through the agents of a testbed. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { whyNot } from "../testbed/machine.js";
import { runOwn } from "./run-own.js";

const examples = resolve(import.meta.dirname, "../../../examples/schemes");
const folder = mkdtempSync(join(tmpdir(), "p4loom-flowbender-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENGINES = [
  { engine: "sim", reason: undefined },
  { engine: "switch", reason: whyNot("netns", "switch", ["tun", "packet_sockets"]) },
  { engine: "bmv2", reason: whyNot("netns", "bmv2", ["tun"]) },
] as const;

for (const { engine, reason } of ENGINES)
  it.skipIf(reason !== undefined)(
    `flows leave a congested path by their marks, engine ${engine}${reason === undefined ? "" : ` (${reason})`}`,
    async () => {
      // The modules are in the file's folder.
      cpSync(examples, folder, { recursive: true });
      const path = join(folder, "flowbender.yaml");
      // 120 packets of 1000 bytes a second: half the rate of the links, so that packets wait in the switch and not behind it.
      if (engine === "bmv2")
        writeFileSync(path, readFileSync(path, "utf8").replace("rounds: 3", "rounds: 3, queue_pps: 120"));
      const { rows, lines } = await runOwn(path, join(folder, engine), { engine });
      const bytes = (scheme: string) =>
        rows.reduce((sum, row) => sum + (row["scheme"] === scheme ? Number(row["bytes"]) : 0), 0);
      const moves = lines.filter((line) => line.includes(" moves from "));
      process.stdout.write(
        `${engine}: FlowBender ${bytes("flowbender")} bytes, ECMP ${bytes("ecmp")}; ${moves.length} moves\n`,
      );
      // Under ECMP both flows share one link of 2 Mbit/s for six seconds.
      expect(bytes("ecmp")).toBeLessThan(1_500_000);
      expect(moves.join("\n")).toMatch(/^moves: host0-0-[01]: the client of port \d+ moves .*: congested$/m);
      if (engine !== "sim") return;
      // On real hosts a shorter queue reorders, the kernel sends again what is late, and its receiver moves then. A busy machine delays
      // acknowledgements until a timer of the kernel ends.
      for (const row of rows) expect(row).toMatchObject({ timeouts: 0 });
      for (const line of moves) expect(line).toMatch(/: congested$/);
      expect(bytes("flowbender")).toBeGreaterThan(1.8 * bytes("ecmp"));
    },
  );
