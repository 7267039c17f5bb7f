/**
 * Compiles p4c's programs for PSA and PNA, runs the packet tests that others wrote for them, and writes docs/portable-tests.md.
 *
 *     P4C=DIR [FOURWARD=DIR] npx tsx tools/portable/tests.ts [NAME ...]
 *
 * P4C is a copy of p4lang/p4c with `testdata`; FOURWARD one of smolkaj/4ward with `e2e_tests/corpus`, whose packet tests are for p4c's programs.
 * With names, only programs whose name contains one are looked at, and no page is written.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../src/toolchain/stf/index.js";
import { page } from "./page.js";

export type Group = "psa" | "pna" | "psa-errors" | "pna-errors";

export interface Verdict {
  readonly group: Group;
  readonly name: string;
  /** The first error, where the program is refused. */
  readonly refused?: string;
  /** The packet test: what failed first, or that it passed. */
  readonly test?: { readonly judge: "p4c" | "4ward"; readonly failed?: string };
}

const FOLDERS: Readonly<Record<Group, { folder: string; name: RegExp }>> = {
  psa: { folder: "p4_16_samples", name: /psa/ },
  pna: { folder: "p4_16_samples", name: /pna/ },
  "psa-errors": { folder: "p4_16_psa_errors", name: /./ },
  "pna-errors": { folder: "p4_16_pna_errors", name: /./ },
};

function textOf(error: unknown): string {
  if (!(error instanceof DiagnosticError)) return `exception: ${String(error)}`;
  const first = error.diagnostics.find(({ severity }) => severity === "error");
  return `${first?.code} ${first?.message}`;
}

async function verdictOf(
  group: Group,
  path: string,
  name: string,
  test: { judge: "p4c" | "4ward"; path: string } | undefined,
): Promise<Verdict> {
  const files = { path, include: [], define: [] };
  let program: Program;
  try {
    ({ program } = await loadProgram(files, new Diagnostics(), "ignore"));
  } catch (error) {
    return { group, name, refused: textOf(error) };
  }
  if (test === undefined) return { group, name };
  const { judge } = test;
  const failed = await failureOf(program, test.path);
  return { group, name, test: failed === undefined ? { judge } : { judge, failed } };
}

/** The first message of a packet test that fails. */
async function failureOf(program: Program, path: string): Promise<string | undefined> {
  const diagnostics = new Diagnostics();
  try {
    const file = new SourceFile(path, readFileSync(path, "utf8"));
    const { failed } = await runStf(readStf(file, diagnostics), program, diagnostics);
    const first = diagnostics.list.find(({ severity }) => severity === "error");
    return failed === 0 && first === undefined ? undefined : `${first?.code} ${first?.message}`;
  } catch (error) {
    return textOf(error);
  }
}

async function main(): Promise<void> {
  const { P4C: p4c, FOURWARD: fourward } = process.env;
  const wanted = process.argv.slice(2);
  const samples = join(p4c ?? "", "testdata");
  if (p4c === undefined || !existsSync(join(samples, "p4_16_samples"))) {
    process.stdout.write("skipped: P4C names no folder with testdata/p4_16_samples\n");
    return;
  }
  const others = fourward === undefined ? undefined : join(fourward, "e2e_tests/corpus");
  if (others === undefined || !existsSync(others))
    process.stdout.write("4ward's tests skipped: FOURWARD names no folder with e2e_tests/corpus\n");
  const verdicts: Verdict[] = [];
  for (const group of Object.keys(FOLDERS) as Group[]) {
    const { folder, name: pattern } = FOLDERS[group];
    const programs = readdirSync(join(samples, folder)).filter(
      (one) => one.endsWith(".p4") && pattern.test(one),
    );
    for (const file of programs.sort()) {
      const name = file.slice(0, -".p4".length);
      if (wanted.length > 0 && !wanted.some((one) => name.includes(one))) continue;
      const beside = join(samples, folder, `${name}.stf`);
      const theirs = others === undefined ? undefined : join(others, `${name}.stf`);
      const test = existsSync(beside)
        ? ({ judge: "p4c", path: beside } as const)
        : theirs !== undefined && existsSync(theirs)
          ? ({ judge: "4ward", path: theirs } as const)
          : undefined;
      const verdict = await verdictOf(group, join(samples, folder, file), name, test);
      verdicts.push(verdict);
      const message = verdict.refused ?? verdict.test?.failed;
      if (message !== undefined) process.stdout.write(`${group} ${name}: ${message}\n`);
    }
  }
  if (wanted.length > 0) return;
  writeFileSync(resolve(import.meta.dirname, "../../docs/portable-tests.md"), page(verdicts));
}

await main();
