/**
 * Pass: BMv2's pipelines hold tables and conditions only, so statements between them are gathered into
 * hidden actions, as long runs as possible. Names follow p4c's: the file's name and the line.
 */
import type { Span } from "../../../base/index.js";
import { joinSpans } from "../../../base/index.js";
import type { IrAction, IrControl, IrProgram, Stmt } from "./ir.js";
import { controlsOf } from "./ir.js";
import { Names } from "./names.js";
import { mapBlocks } from "./walk.js";

export function groupActions(program: IrProgram): void {
  const names = new Names();
  for (const control of controlsOf(program, ["control"])) new Grouper(control, names).group();
}

class Grouper {
  constructor(
    readonly control: IrControl,
    readonly names: Names,
  ) {}

  group(): void {
    this.control.body = this.#group(this.control.body);
  }

  #group(body: readonly Stmt[]): Stmt[] {
    const done: Stmt[] = [];
    let run: Stmt[] = [];
    const flush = (): void => {
      if (run.length === 0) return;
      done.push(this.#hide(run));
      run = [];
    };
    for (const stmt of body) {
      if (!isFlow(stmt)) {
        run.push(stmt);
        continue;
      }
      // Inner blocks come first: p4c numbers calculations in this order.
      const inner = stmt.kind === "action" ? stmt : mapBlocks(stmt, (list) => this.#group(list));
      if (stmt.kind === "action") this.control.actions.push(stmt.action);
      flush();
      done.push(inner);
    }
    flush();
    return done;
  }

  #hide(body: Stmt[]): Stmt {
    const span = body.map((stmt) => stmt.span).reduce(join, undefined);
    const action: IrAction = {
      name: this.names.unique(hiddenName(body[0]?.span)),
      annotations: [],
      span,
      params: [],
      body,
      hidden: true,
    };
    this.control.actions.push(action);
    return { kind: "action", action, span };
  }
}

function join(first: Span | undefined, second: Span | undefined): Span | undefined {
  if (first === undefined) return second;
  return second === undefined ? first : joinSpans(first, second);
}

/** Whether the statement changes the control flow: a hidden action cannot contain it. */
function isFlow(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case "if":
    case "switch":
    case "loop":
    case "block":
    case "leave":
    case "exit":
    case "apply":
    case "action":
      return true;
    default:
      return false;
  }
}

function hiddenName(span: Span | undefined): string {
  if (span === undefined) return "act";
  const file = span.file.path.slice(span.file.path.lastIndexOf("/") + 1);
  const stem = file
    .replace(/^[^a-zA-Z]*/, "")
    .replace(/\..*$/, "")
    .replace(/[^a-zA-Z0-9_]/g, "");
  if (stem === "") return "act";
  const letter = /[0-9]$/.test(stem) ? "l" : "";
  return `${stem}${letter}${span.file.position(span.start).line}`;
}
