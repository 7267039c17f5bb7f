/**
 * Learning in the data plane (Tofino 2): the keys `dleft_hash` of a table choose no entry, since it has none. Their digest goes to the
 * `LearnAction` that the table's action runs; the register of that action is the table, and the action looks for the digest in it, or puts it there.
 * The low five bits of the digest are 0: the action keeps its own marks there, of which bit 0 says that the word is taken. The cells are
 * divided into ways, one ALU each (`@ways`, four at first). All look at once on the hardware; here the one way runs that has the digest, or
 * else the first one with a free word, so that no other way ever has the packet.
 */
import { and, binary, cast, equal, number, or, variable } from "../../../lower/build.js";
import type {
  BitsType,
  Expr,
  ExternInstance,
  IrMethodParam,
  IrProgram,
  IrTable,
  Stmt,
} from "../../../lower/ir.js";
import { BOOL, bits, totalWidth } from "../../../lower/ir-types.js";
import {
  assign,
  fromBits,
  local,
  primitiveCall,
  sliceOf,
  toBits,
  zero,
} from "../../../lower/plain-values.js";
import { forEachStmt } from "../../../lower/walk.js";
import type { Cell } from "./alu-outputs.js";

const MATCH_KIND = "dleft_hash";
const LEARN = /^LearnAction\d?\./;
const MARK_BITS = 5n;
const DIGEST = bits(64);
const INDEX = bits(32);
const WAYS = 4n;

/** The cells of a register, of one or two words each. */
interface Cells {
  readonly index: Expr;
  readonly size: bigint;
  readonly words: number;
  readonly read: (index: Expr) => { value: Expr; body: Stmt[] };
}

export class Learning {
  /** The keys for each action, and the ways of its table. */
  readonly #tables = new Map<ExternInstance, { keys: readonly Expr[]; ways: bigint }>();

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
                this.#tables.set(stmt.instance, { keys: values, ways: waysOf(table) });
            });
        }
      }
  }

  /** Gives the method its digest; that no other way of the table has the packet is true of the way that runs. */
  begin({ span }: ExternInstance, params: readonly IrMethodParam[], digest: Expr | undefined): Stmt[] {
    return params.map((param): Stmt => {
      const place = variable(param.variable, span);
      if (place.type.kind !== "bits" || digest === undefined)
        return assign(place, zero(place.type, span), span);
      return assign(place, fromBits(cast(digest, bits(totalWidth(place.type)), span), place.type), span);
    });
  }

  /** The digest of the packet, and the cell of the way that runs; undefined for an action that does not learn. */
  cell(
    instance: ExternInstance,
    { index, size, words, read }: Cells,
  ): { cell: Cell; before: Stmt[] } | undefined {
    const table = this.#tables.get(instance);
    if (table === undefined) return undefined;
    const { span } = instance;
    const { digest, body: before } = this.#digest(instance, table.keys);
    const { ways } = table;
    if (ways < 2n || size < ways) return { cell: { index, digest }, before };
    const cells = number(size / ways, INDEX, span);
    const line = binary("%", index, cells, INDEX, span);
    const way = local(this.program, "way", INDEX, span);
    // 0: no room, 1: a free word, 2: the digest.
    const rank = local(this.program, "rank", bits(8), span);
    const none = (type: BitsType): Expr => number(0n, type, span);
    before.push(assign(way, none(INDEX), span), assign(rank, none(bits(8)), span));
    for (let i = 0n; i < ways; i++) {
      const place = binary("+", line, number(i * (size / ways), INDEX, span), INDEX, span);
      const found = read(place);
      const parts = words === 2 ? wordsOf(found.value) : [found.value];
      const taken = (value: bigint): Stmt[] => [
        assign(way, number(i, INDEX, span), span),
        assign(rank, number(value, bits(8), span), span),
      ];
      const better = (value: bigint, some: Expr): Expr =>
        and(binary("<", rank, number(value, bits(8), span), BOOL, span), some, span);
      const has = parts.map((word) => equal(withoutMarks(word), cast(digest, word.type, span), span));
      const free = parts.map((word) => equal(sliceOf(word, 0, 0), none(bits(1)), span));
      const any = (all: readonly Expr[]): Expr => all.reduce((left, right) => or(left, right, span));
      before.push(...found.body, {
        kind: "if",
        condition: better(2n, any(has)),
        whenTrue: taken(2n),
        whenFalse: [
          { kind: "if", condition: better(1n, any(free)), whenTrue: taken(1n), whenFalse: [], span },
        ],
        span,
      });
    }
    const chosen = local(this.program, "index", INDEX, span);
    const whole = binary("+", line, binary("*", way, cells, INDEX, span), INDEX, span);
    before.push(assign(chosen, whole, span));
    return { cell: { index: chosen, line, way, digest }, before };
  }

  #digest(instance: ExternInstance, keys: readonly Expr[]): { digest: Expr; body: Stmt[] } {
    const { span } = instance;
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
    return {
      digest,
      body: [
        primitiveCall("tna.hash", hash, [digest, data], { outs: [0], fields: 1, span }),
        assign(digest, withoutMarks(digest), span),
      ],
    };
  }
}

/** The ways of a table: `@ways`, or four. */
function waysOf({ annotations }: IrTable): bigint {
  const body = annotations.find(({ name }) => name === "ways")?.body;
  const text = body?.kind === "unstructured" ? body.text : "";
  return /^[1-9]\d?$/.test(text) ? BigInt(text) : WAYS;
}

/** The two words of a cell. */
function wordsOf(cell: Expr): Expr[] {
  const half = totalWidth(cell.type) / 2;
  return [sliceOf(cell, 2 * half - 1, half), sliceOf(cell, half - 1, 0)];
}

function withoutMarks(word: Expr): Expr {
  const type = bits(totalWidth(word.type));
  const marks = number((1n << MARK_BITS) - 1n, type, word.span);
  return binary(
    "&",
    word,
    { kind: "unary", op: "~", operand: marks, type, span: word.span },
    type,
    word.span,
  );
}
