/**
 * An architecture as the compiler's core sees it: data, and the few functions that lower or check what only this architecture has.
 * Each is a folder of `architectures/`; nothing in `lower/`, `types/` and `syntax/` names one.
 */
import type { Diagnostics, Span } from "../../../base/index.js";
import type { SourceUnit } from "../syntax/ast.js";
import type { ExternCall } from "./extern-call.js";
import type { Expr, IrBlock, IrProgram, Stmt } from "./ir.js";
import type { Pass } from "./passes.js";

export interface Architecture {
  /** As `--arch` and the package info of P4Info name it. */
  readonly name: string;
  /** A program that includes one of these files is for this architecture. */
  readonly includes: readonly string[];
  /** Macros of its chip, which `--arch` presets. */
  readonly macros?: Readonly<Record<string, string>>;
  readonly packages: readonly PackageShape[];
  readonly externs: ExternShapes;
  /** Instances of these types can have methods in the program. */
  readonly abstractTypes?: ReadonlySet<string>;
  /** A block with annotations stays a block; else it is one with the statements around it. */
  readonly keepsBlocks?: true;
  /** A control with tables can be applied with different arguments: what differs is copied to storage of its own. */
  readonly copiesParameters?: true;
  /**
   * A parameter of a control is its argument where all applications of the instance have the same ones, also where arguments overlap, although
   * the language wants copies: so does p4c, whose check for overlaps finds none (frontends/p4/inlining.cpp, FindLocationSets).
   */
  readonly sharesOverlaps?: true;
  /** An `out` argument keeps its value where the control assigns none, also where the parameter has storage of its own: programs rely on it. */
  readonly keepsUnassigned?: true;
  /** Tables keep all their properties in the lowered program. */
  readonly keepsProperties?: true;
  /** A table of a deparser that can only run one action is that action. */
  readonly readsDeparserActions?: true;
  /** A lookahead of a struct first reads all its bits at once. */
  readonly looksAheadWhole?: true;
  /** From the elaborated program to the input of the back end. */
  readonly passes: readonly Pass[];
  /** Checks of the program as it was parsed, before it is lowered. Reports to `diagnostics` or throws. */
  readonly checkUnit?: (unit: SourceUnit) => void;
  /** Warnings, and errors that need the whole lowered program. */
  readonly warn: (program: IrProgram, unit: SourceUnit, diagnostics: Diagnostics) => void;
  /** Errors of the program after its passes. */
  readonly check?: (program: IrProgram, diagnostics: Diagnostics) => void;
}

// ---------------------------------------------------------------- packages

export interface PackageShape {
  readonly name: string;
  /** Whether an instance of it is what one packet passes through; others hold pipes, or parts of one. */
  readonly isPipe: boolean;
  /** What the arguments are, by position; the last shape holds for all arguments after it. `extern`: an instance without blocks. */
  readonly arguments: readonly (BlockShape | "package" | "extern")[];
}

/** A parser or control that the package takes, and what its parameters stand for. */
export interface BlockShape {
  readonly role: string;
  readonly kind: IrBlock["kind"];
  readonly params: readonly ParameterShape[];
}

/** `packet` is packet_in or packet_out; any other name is storage: parameters of one name in a pipe share a variable. */
export interface ParameterShape {
  readonly storage: string;
  /**
   * The type that the architecture declares for it. A block may leave out parameters before it that are optional: then its type
   * says which one it is.
   */
  readonly type?: string;
  /** The user chooses the type, which must be a struct. */
  readonly isStruct?: true;
}

// ---------------------------------------------------------------- externs

interface ExternShapes {
  /** Extern functions by name. */
  readonly functions: Readonly<Record<string, ExternShape>>;
  /** Methods by `type.method`. */
  readonly methods: Readonly<Record<string, ExternShape>>;
}

export interface ExternShape extends ExternCall {
  /** The statement it becomes, if not `extern`. */
  readonly as?: "digest";
  /** Lowers a call in another way than to one statement; what it returns is the value of the call. */
  readonly lower?: (call: LoweredCall) => Expr | undefined;
}

/** A call with its arguments evaluated, and what its lowering may do. */
export interface LoweredCall {
  readonly name: string;
  readonly args: readonly Expr[];
  readonly span: Span;
  readonly about: ExternCall;
  readonly emit: (stmt: Stmt) => void;
  /** A new variable with a copy of a value. */
  readonly save: (value: Expr) => Expr;
  /** The variable of the pipe that {@link ParameterShape.storage} names. */
  readonly storage: (name: string) => Expr;
}
