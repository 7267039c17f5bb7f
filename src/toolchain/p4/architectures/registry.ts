/** The architectures that the compiler knows, one folder each. */
import type { SourceFile } from "../../../base/index.js";
import type { BackEnd } from "../emit/back-end.js";
import type { Architecture } from "../lower/architecture.js";
import type { SourceUnit } from "../syntax/ast.js";
import { v1model } from "./v1model/architecture.js";
import { emitV1model } from "./v1model/back-end.js";

export interface Target {
  readonly architecture: Architecture;
  readonly backEnd: BackEnd;
}

const TARGETS: readonly [Target, ...Target[]] = [{ architecture: v1model, backEnd: emitV1model }];

/** The architecture of that name, or without a name the one whose file the program includes; else the first. */
export function targetOf(unit: SourceUnit, name?: string): Target {
  const files = new Set(unit.declarations.map(({ span }) => baseName(span.file)));
  const chosen = TARGETS.find(({ architecture }) =>
    name === undefined ? architecture.includes.some((one) => files.has(one)) : architecture.name === name,
  );
  return chosen ?? TARGETS[0];
}

function baseName({ path }: SourceFile): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
