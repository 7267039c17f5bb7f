/**
 * Copies that a group does not make, by `level2_exclusion_id`: a register with a cell for each id, of a bit for each port. A program that
 * never writes the field needs none.
 */
import { defined } from "../../../../../base/index.js";
import { number } from "../../../lower/build.js";
import type { ExternInstance, IrProgram, Stmt } from "../../../lower/ir.js";
import { bits } from "../../../lower/ir-types.js";
import { rootOf } from "../../../lower/places.js";
import { effectsOf, forEachStmt } from "../../../lower/walk.js";

/** BF Runtime's table of the same name. */
const NAME = "$pre.prune";
const IDS = 512n;
const PORTS = 512;

export function pruneRegister(program: IrProgram): void {
  const written = program.pipes.map(({ blocks, storage }) => {
    const home = storage.get("ingress.tm");
    const bodies = blocks.flatMap((block) =>
      block.kind === "parser" ? [] : [block.body.body, ...block.body.actions.map(({ body }) => body)],
    );
    return home === undefined
      ? undefined
      : bodies.map((body) => writeOf(body, home)).find((one) => one !== undefined);
  });
  const stmt = written.find((one) => one !== undefined);
  if (stmt === undefined) return;
  const register: ExternInstance = {
    name: NAME,
    extern: "register",
    typeArgs: [{ kind: "bit", width: PORTS }],
    args: [number(IDS, bits(32), undefined)],
    argNames: ["size"],
    methods: [],
    annotations: [],
    span: undefined,
    instanceSpan: defined(stmt.span),
  };
  program.globals.push(register);
}

function writeOf(body: Stmt[], home: object): Stmt | undefined {
  let found: Stmt | undefined;
  forEachStmt(body, (stmt) => {
    for (const place of effectsOf(stmt).writes)
      if (place.kind === "field" && place.name === "level2_exclusion_id" && rootOf(place) === home)
        found ??= stmt;
  });
  return found;
}
