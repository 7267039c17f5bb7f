/**
 * Third-party P4Runtime clients (PTF suites, finsy's tests, p4runtime-shell) against our switch and simple_switch_grpc,
 * with the same requests to both. Needs root, and these environment variables:
 *
 *   P4LOOM_CLIENTS  folder with a checkout each of p4-guide, p4c, fabric-tna, finsy, p4runtime-shell
 *   P4LOOM_PYTHON   a Python with grpcio, ptf, scapy, pytest and P4Runtime's modules
 *   P4LOOM_BMV2     simple_switch_grpc; without it only our switch runs
 *   P4LOOM_SUITES   part of a suite's name, to run only such suites
 *   P4LOOM_LOGS     folder for the logs; a temporary one unless given
 *
 * Reports the tests that pass and prints each difference to stderr (with the reason if it is intended: bench/toolchain/clients/explained.ts).
 * `make figures PAGE=p4runtime BLOCK=clients` writes the table of docs/p4runtime.md.
 */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.js";
import { runSuite, type Target } from "./clients/run-suite.js";
import { SUITES } from "./clients/suites.js";
import { counts, type Row, sortDifferences } from "./clients/table.js";

const project = join(import.meta.dirname, "../..");

export const run: Benchmark = async (report) => {
  const {
    P4LOOM_CLIENTS: clients,
    P4LOOM_PYTHON: python,
    P4LOOM_BMV2: bmv2,
    P4LOOM_SUITES: wanted,
  } = process.env;
  if (clients === undefined || python === undefined || process.getuid?.() !== 0) {
    console.error(
      "clients: skipped; it needs root, P4LOOM_CLIENTS and P4LOOM_PYTHON (see bench/toolchain/clients.ts)",
    );
    return;
  }
  const work = process.env["P4LOOM_LOGS"] ?? mkdtempSync(join(tmpdir(), "p4loom-clients-"));
  const places = { clients, project, python, work };
  const ours: Target = {
    name: "p4loom",
    command: process.execPath,
    before: [join(project, "dist/cli/main.js"), "switch"],
  };
  const rival: Target | undefined =
    bmv2 === undefined ? undefined : { name: "simple_switch_grpc", command: bmv2, before: [] };
  for (const suite of SUITES) {
    if (wanted !== undefined && !suite.name.includes(wanted)) continue;
    const folder = suite.kind === "pytest" ? suite.folder : suite.kind === "ptf" ? suite.program : ".";
    if (!existsSync(join(clients, folder))) {
      console.error(`clients: ${suite.name} is not in ${clients}`);
      continue;
    }
    const row: Row = {
      suite: suite.name,
      ours: await runSuite(suite, ours, places),
      bmv2: rival === undefined ? undefined : await runSuite(suite, rival, places),
    };
    const other = row.bmv2 === undefined ? {} : { rival: { name: rival!.name, value: row.bmv2.passed } };
    const { open, explained } = sortDifferences(row);
    const more = {
      ours: counts(row.ours),
      bmv2: counts(row.bmv2),
      open: open.length,
      explained: explained.length,
    };
    report({ name: `clients/${suite.name}`, unit: "tests passed", value: row.ours.passed, ...other, more });
    for (const what of open) console.error(`${suite.name}: to fix: ${what}`);
    for (const { what, reason } of explained) console.error(`${suite.name}: explained: ${what}: ${reason}`);
  }
};
