/** Steps that check switches: their tables, counters, registers, and their messages to the control plane. */
import { Diagnostics, SourceFile } from "../../../base/index.js";
import type { Interpreter } from "../../../toolchain/control/index.js";
import type { ControllerPacket, DigestList } from "../../../toolchain/device/index.js";
import {
  differences,
  type ExerciseStep,
  inRange,
  patternText,
  type Range,
  rangeText,
} from "../../exercises/index.js";
import { StepFailure } from "../failure.js";
import { failureOf } from "../submission.js";

type Step<K extends ExerciseStep["kind"]> = Extract<ExerciseStep, { kind: K }>;

const SHOWN_LINES = 10;

/** Runs a statement at a switch, and checks its output. */
export async function playAsk(step: Step<"ask">, interpreter: Interpreter): Promise<void> {
  const lines: string[] = [];
  const answers: unknown[] = [];
  const diagnostics = new Diagnostics();
  const output = { print: (line: string) => lines.push(line), data: (value: unknown) => answers.push(value) };
  await interpreter.run(new SourceFile(step.switch, step.line), diagnostics, output);
  const statement = `${step.switch}: ${step.line}`;
  try {
    diagnostics.throwIfErrors();
  } catch (error) {
    throw failureOf(error, `switch ${step.switch} carries out \`${step.line}\``);
  }
  const shown = lines.slice(0, SHOWN_LINES);
  const check = (range: Range | undefined, what: string, value: number): void => {
    if (range !== undefined && !inRange(range, value, value))
      throw new StepFailure(`${statement}: ${rangeText(range)} ${what}`, `${value} ${what}`, shown);
  };
  check(step.packets, "packets", sumOf(answers, "packets"));
  check(step.bytes, "bytes", sumOf(answers, "bytes"));
  check(step.value, "as the value", sumOf(answers, "value"));
  const own = answers.filter((answer) => (answer as { default_action?: unknown }).default_action !== true);
  check(step.count, "in the output", own.length);
  if (step.says !== undefined && !lines.join("\n").includes(step.says))
    throw new StepFailure(`${statement}: an output that contains "${step.says}"`, "another output", shown);
}

/** Sum of a member over all objects of a value, at any depth. */
function sumOf(value: unknown, key: string): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sumOf(one, key), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + (name === key && !(one instanceof Object) ? Number(one) : sumOf(one, key)),
    0,
  );
}

/** Checks the packet-ins since the last such step. */
export function checkPacketIns(step: Step<"packetIns">, packets: readonly ControllerPacket[]): void {
  const what = `packet-ins of ${step.switch}`;
  if (!inRange(step.count, packets.length, packets.length))
    throw new StepFailure(`${rangeText(step.count)} ${what}`, `${packets.length} came`);
  for (const { metadata, payload } of packets) {
    for (const [name, value] of step.metadata) {
      if (metadata[name] === value) continue;
      const seen = metadata[name] === undefined ? "there is no such metadata" : `it is ${metadata[name]}`;
      throw new StepFailure(`${what} with metadata ${name} ${value}`, seen, [
        `metadata: ${Object.keys(metadata).join(", ") || "none"}`,
      ]);
    }
    const wrong = step.pattern === undefined ? [] : differences(step.pattern, payload);
    if (wrong.length > 0) throw new StepFailure(`${what}: ${patternText(step.pattern!)}`, wrong.join("; "));
  }
}

/** Checks the records of digests since the last such step. */
export function checkDigests(step: Step<"digests">, lists: readonly DigestList[]): void {
  const records = lists.filter(({ digest }) => nameFits(digest, step.digest)).flatMap(({ data }) => data);
  const text = (record: readonly bigint[]): string => `(${record.join(", ")})`;
  const seen = `${records.length} came: ${records.slice(0, SHOWN_LINES).map(text).join(", ")}`;
  if (!inRange(step.count, records.length, records.length))
    throw new StepFailure(
      `${rangeText(step.count)} records of digest ${step.digest} of ${step.switch}`,
      seen,
    );
  for (const wanted of step.has) {
    if (!records.some((record) => text(record) === text(wanted)))
      throw new StepFailure(`a record ${text(wanted)} of digest ${step.digest} of ${step.switch}`, seen);
  }
}

function nameFits(full: string, written: string): boolean {
  return full === written || full.endsWith(`.${written}`);
}
