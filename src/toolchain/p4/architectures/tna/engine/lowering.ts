/** What the passes of the switch's form of a TNA program share. */
import type { Span } from "../../../../../base/index.js";
import { field } from "../../../lower/build.js";
import type {
  Expr,
  ExternInstance,
  IrControl,
  IrProgram,
  IrType,
  Stmt,
  Variable,
} from "../../../lower/ir.js";
import { local } from "../../../lower/plain-values.js";
import type { State } from "./instances.js";
import type { Notes } from "./notes.js";
import { Registers } from "./registers.js";

export class Lowering {
  readonly registers: Registers;
  readonly #shared = new Map<ExternInstance, Map<string, Expr>>();

  constructor(
    readonly program: IrProgram,
    readonly architecture: "tna" | "t2na",
    readonly state: State,
    readonly notes: Notes,
    /** For the switch, or for `p4loom fit`, where a memory's answer is the answer. */
    readonly form: "switch" | "hardware",
  ) {
    this.registers = new Registers(program, state, notes);
  }

  /** A variable of an instance. */
  shared(instance: ExternInstance, name: string, type: IrType): Expr {
    let own = this.#shared.get(instance);
    if (own === undefined) this.#shared.set(instance, (own = new Map()));
    let found = own.get(name);
    if (found === undefined) own.set(name, (found = local(this.program, name, type, instance.span)));
    return found;
  }

  /** Whether a place is the port that ingress chooses. */
  readonly isPortOfTm = (place: Expr): boolean =>
    place.kind === "field" &&
    place.name === "ucast_egress_port" &&
    place.base.kind === "variable" &&
    this.program.pipes.some(
      ({ storage }) => place.base.kind === "variable" && storage.get("ingress.tm") === place.base.variable,
    );

  /** What is put in front of controls when all calls are lowered. */
  readonly beginnings: { control: IrControl; body: Stmt[] }[] = [];

  /** The deparser that is being lowered: what its statements read of the metadata for the deparser. */
  gress: { pipe: number; name: "ingress" | "egress" } | undefined;

  deparserField(name: string): Expr | undefined {
    if (this.gress === undefined) return undefined;
    const { pipe, name: gress } = this.gress;
    const variable = this.program.pipes[pipe]?.storage.get(`${gress}.deparser`);
    return variable === undefined ? undefined : fieldNamed(variable, name, undefined);
  }
}

function fieldNamed(variable: Variable, name: string, span: Span | undefined): Expr | undefined {
  const { type } = variable;
  if (type.kind !== "struct" && type.kind !== "header") return undefined;
  if (!type.fields.some((one) => one.name === name)) return undefined;
  return field({ kind: "variable", variable, type, span }, name, span);
}
