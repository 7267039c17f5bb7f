/**
 * What the ingress parser unpacks of the port's metadata: a register with a cell for each port, under the name of BF Runtime's table. The switch
 * puts the cell of the port in front of a packet that arrives.
 */
import { defined } from "../../../../../base/index.js";
import { number } from "../../../lower/build.js";
import type { ExternInstance, IrParser, IrProgram } from "../../../lower/ir.js";
import { bits, totalWidth } from "../../../lower/ir-types.js";
import { forEachStmt, statesOfParser } from "../../../lower/walk.js";
import { portMetadataName } from "../p4info-pipes.js";

/** Numbers of ports have nine bits. */
const PORTS = 512n;

/** Adds the registers to the program; gives their names by parser. */
export function portMetadataRegisters(program: IrProgram): Map<IrParser, string> {
  const found = new Map<IrParser, string>();
  for (const pipe of program.pipes)
    for (const block of pipe.blocks) {
      if (block.kind !== "parser" || block.role !== "ingressParser") continue;
      const width = unpackedBits(block.body);
      if (width === 0 || found.has(block.body)) continue;
      const name = portMetadataName(pipe, block);
      const register: ExternInstance = {
        name,
        extern: "register",
        typeArgs: [{ kind: "bit", width }],
        args: [number(PORTS, bits(32), undefined)],
        argNames: ["size"],
        methods: [],
        annotations: [],
        span: undefined,
        instanceSpan: defined(block.body.span),
      };
      found.set(block.body, name);
      program.globals.push(register);
    }
  return found;
}

function unpackedBits(parser: IrParser): number {
  let width = 0;
  for (const { body } of statesOfParser(parser))
    forEachStmt(body, (stmt) => {
      if (stmt.kind !== "extern" || stmt.name !== "port_metadata_unpack" || stmt.result === undefined) return;
      width = Math.max(width, totalWidth(stmt.result.type));
    });
  return width;
}
