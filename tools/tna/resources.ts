/** The resource that a refusal names, in a word, so that ours and the compiler's can be compared. */
import type { FitResult } from "../../src/toolchain/fit/index.js";

/** Of a message of the open compiler; `stages` for none: it placed the program in more stages than the chip has. */
export function compilerResource(message: string): string {
  if (message === "") return "stages";
  for (const [word, resource] of [
    ["Power", "power"],
    ["PHV allocation", "containers"],
    ["input crossbar", "crossbar"],
    ["Could not place table", "memory of a stage"],
    ["Table placement", "one stage"],
    ["parser match", "parser"],
    ["SALU", "stateful ALU"],
    ["Because you declared the register", "stateful ALU"],
    ["action spanning", "operation"],
    ["action constraints", "operation"],
    ["next-table", "next table"],
  ] as const)
    if (message.includes(word)) return resource;
  return "other";
}

/** Of a refusal by `fit`, several joined by a comma; empty for a program that it places. */
export function fitResource({ diagnostics, placement, phv, stages, target }: FitResult): string {
  const [operation] = diagnostics.filter(({ severity }) => severity === "error");
  if (operation !== undefined) return `operation (${operation.code})`;
  const [unplaced] = placement.unplaced;
  if (unplaced !== undefined) return `memory of a stage (${unplaced.resource})`;
  const parts = [
    ...(stages > target.stages ? ["stages"] : []),
    ...(phv.exceeded.length > 0 ? ["containers"] : []),
  ];
  return parts.join(", ");
}
