/**
 * Learning in the data plane (Tofino 2): the keys `dleft_hash` of a table choose no entry, since it has none. Their digest goes to the
 * `LearnAction` that the table's action runs; the register of that action is the table, and the action looks for the digest in it, or puts it there.
 * The low five bits of the digest are 0: the action keeps its own marks there.
 */
import { binary, cast, number, variable } from "../../../lower/build.js";
import type { Expr, ExternInstance, IrMethodParam, IrProgram, Stmt } from "../../../lower/ir.js";
import { bits, totalWidth } from "../../../lower/ir-types.js";
import { forEachStmt } from "../../../lower/walk.js";
import { assign, fromBits, local, primitiveCall, toBits, zero } from "./values.js";

const MATCH_KIND = "dleft_hash";
const LEARN = /^LearnAction\d?\./;
const MARK_BITS = 5n;
const DIGEST = bits(64);

export class Learning {
  /** The keys for each action. */
  readonly #keys = new Map<ExternInstance, Expr[]>();

  /** Takes the keys off the tables. */
  constructor(readonly program: IrProgram) {
    for (const { blocks } of program.pipes)
      for (const block of blocks) {
        if (block.kind === "parser") continue;
        for (const table of block.body.tables) {
          const keys = table.keys.filter(({ matchKind }) => matchKind === MATCH_KIND);
          if (keys.length === 0) continue;
          table.keys = table.keys.filter((key) => !keys.includes(key));
          const values = keys.map(({ expression }) => expression);
          for (const { action } of table.actions)
            forEachStmt(action.body, (stmt) => {
              if (stmt.kind === "extern" && stmt.instance !== undefined && LEARN.test(stmt.name))
                this.#keys.set(stmt.instance, values);
            });
        }
      }
  }

  /** Gives the method its digest; that no other way of the table has the packet is true of a table that is one register. */
  begin(instance: ExternInstance, params: readonly IrMethodParam[]): Stmt[] {
    const { span } = instance;
    const keys = this.#keys.get(instance) ?? [];
    return params.flatMap((param): Stmt[] => {
      const place = variable(param.variable, span);
      if (place.type.kind !== "bits" || keys.length === 0)
        return [assign(place, zero(place.type, span), span)];
      const digest = local(this.program, "digest", DIGEST, span);
      const hash: ExternInstance = {
        ...instance,
        extern: "Hash",
        args: [{ kind: "member", name: "CRC64", index: 0, type: bits(8), span }],
        argNames: ["algo"],
        methods: [],
      };
      const data = keys
        .map(toBits)
        .reduce((left, right) =>
          binary("++", left, right, bits(totalWidth(left.type) + totalWidth(right.type)), span),
        );
      const mark = number((1n << MARK_BITS) - 1n, bits(64), span);
      const clean = binary(
        "&",
        digest,
        { kind: "unary", op: "~", operand: mark, type: DIGEST, span },
        DIGEST,
        span,
      );
      return [
        primitiveCall("tna.hash", hash, [digest, data], { outs: [0], fields: 1, span }),
        assign(place, fromBits(cast(clean, bits(totalWidth(place.type)), span), place.type), span),
      ];
    });
  }
}
