/** A lowered v1model program with its six blocks and three pieces of storage under their names. */
import { defined } from "../../../../base/index.js";
import type { IrBlock, IrControl, IrParser, IrProgram, Variable } from "../../lower/ir.js";

export interface V1model extends IrProgram {
  readonly headers: Variable;
  readonly metadata: Variable;
  readonly standard: Variable;
  readonly parser: IrParser;
  readonly verify: IrControl;
  readonly ingress: IrControl;
  readonly egress: IrControl;
  readonly compute: IrControl;
  readonly deparser: IrControl;
}

/** The view shares all parts with the program: a pass that changes a block changes it in both. */
export function viewOf(program: IrProgram): V1model {
  const { storage, blocks } = defined(program.pipes[0]);
  const variable = (name: string): Variable => defined(storage.get(name));
  const block = (role: string): IrBlock => defined(blocks.find((one) => one.role === role));
  const control = (role: string): IrControl => {
    const found = block(role);
    if (found.kind === "parser") throw new Error(`${role} is a parser`);
    return found.body;
  };
  const parser = block("parser");
  if (parser.kind !== "parser") throw new Error("the parser is a control");
  return {
    ...program,
    headers: variable("headers"),
    metadata: variable("metadata"),
    standard: variable("standard"),
    parser: parser.body,
    verify: control("verify"),
    ingress: control("ingress"),
    egress: control("egress"),
    compute: control("compute"),
    deparser: control("deparser"),
  };
}
