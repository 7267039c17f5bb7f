/** Calls of the portable externs: as statements of every target, or as the few calls that `primitives.ts` emits. */
import { defined, fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { cast, equal, number, or } from "../lower/build.js";
import { fold } from "../lower/fold.js";
import {
  controlsOf,
  type Expr,
  type ExternInstance,
  type IrProgram,
  type IrType,
  type Stmt,
  type StmtOf,
} from "../lower/ir.js";
import { bits, totalWidth } from "../lower/ir-types.js";
import { assign, fromBits, local, primitiveCall, toBits } from "../lower/plain-values.js";
import { mapBlocks, mapProgram } from "../lower/walk.js";
import { emitAlways } from "./emissions.js";
import { argument, type PlainInstances, plainInstances } from "./instances.js";

type Extern = StmtOf<"extern">;

/** Colors as the architectures number them; a meter of a table gives 0, 1, 2 for green, yellow, red. */
const RED = 0n;
const GREEN = 1n;
const YELLOW = 2n;

interface Lowering {
  readonly program: IrProgram;
  readonly plain: PlainInstances;
  /** The color that a meter of a table gives, by meter. */
  readonly colors: Map<ExternInstance, Expr>;
  /**
   * What the statements so far gave a checksum over a polynomial, by instance; cleared where a list of statements begins. Undefined after a
   * nested list with calls of the instance: what was given depends on the path.
   */
  data: Map<ExternInstance, Expr[] | undefined>;
  /** How the architecture lowers calls of its own. */
  readonly own: Readonly<Record<string, (stmt: Extern, program: IrProgram) => Stmt[]>>;
}

/** `prefix`: of the properties of tables. `own`: calls that only this architecture has. */
export function lowerPortable(program: IrProgram, prefix: string, own: Lowering["own"] = {}): void {
  const plain = plainInstances(program, prefix);
  const lowering: Lowering = { program, plain, own, colors: new Map(), data: new Map() };
  mapProgram(program, (body) => callsIn(lowering, body));
  readUnread(lowering);
  emitAlways(program);
}

/** BMv2 has a place for the color of every meter of a table; one that no action asks for gets a place of its own. */
function readUnread({ program, plain, colors }: Lowering): void {
  const read = new Set([...colors.keys()].map((one) => plain.get(one)));
  for (const control of controlsOf(program, ["control"]))
    for (const { meters, actions } of control.tables) {
      const [first] = actions;
      if (meters === undefined || first === undefined || read.has(meters)) continue;
      const color = local(program, "color", bits(8), meters.span);
      first.action.body.unshift(
        primitiveCall("direct_meter.read", meters, [color], { outs: [0], span: meters.span }),
      );
    }
}

function callsIn(lowering: Lowering, body: Stmt[]): Stmt[] {
  const outside = lowering.data;
  lowering.data = new Map();
  const made = body.flatMap((stmt) => {
    const inner = mapBlocks(stmt, (list) => callsIn(lowering, list));
    return inner.kind === "extern" ? lowered(lowering, inner) : [inner];
  });
  for (const instance of lowering.data.keys()) outside.set(instance, undefined);
  lowering.data = outside;
  return made;
}

function lowered(lowering: Lowering, stmt: Extern): Stmt[] {
  const own = lowering.own[stmt.name];
  if (own !== undefined) return own(stmt, lowering.program);
  if (stmt.name.startsWith("Checksum.")) return checksum(lowering, stmt);
  return CALLS[stmt.name]?.(lowering, stmt) ?? [stmt];
}

const CALLS: Readonly<Record<string, (lowering: Lowering, stmt: Extern) => Stmt[]>> = {
  "Counter.count": ({ plain }, { instance, args, span }) => [
    primitiveCall("counter.count", plain.get(defined(instance)), [defined(args[0])], { span }),
  ],
  // The table itself counts when an entry is hit.
  "DirectCounter.count": () => [],
  "Meter.execute": meter,
  "Meter.dpdk_execute": meter,
  "DirectMeter.execute": directMeter,
  "DirectMeter.dpdk_execute": directMeter,
  "Register.read": ({ program, plain }, { instance, args, result, span }) => {
    if (result === undefined) return [];
    const array = plain.get(defined(instance));
    const read = (place: Expr): Stmt =>
      primitiveCall("register.read", array, [place, defined(args[0])], { outs: [0], span });
    if (result.type.kind === "bits") return [read(result)];
    const value = local(program, "cell", bits(totalWidth(result.type)), span);
    return [read(value), assign(result, fromBits(value, result.type), span)];
  },
  "Register.write": ({ plain }, { instance, args, span }) => [
    primitiveCall(
      "register.write",
      plain.get(defined(instance)),
      [defined(args[0]), toBits(defined(args[1]))],
      { span },
    ),
  ],
  "Random.read": ({ program }, { instance, result, span }) => {
    if (result === undefined) return [];
    const bound = (name: string): Expr => cast(defined(argument(defined(instance), name)), place.type, span);
    const place = local(program, "random", bits(totalWidth(result.type)), span);
    return [
      primitiveCall("random", undefined, [place, bound("min"), bound("max")], { outs: [0], span }),
      assign(result, cast(place, result.type, span), span),
    ];
  },
  "Hash.get_hash": hash,
  "InternetChecksum.get": (lowering, stmt) => checksumWord(lowering, stmt),
  "InternetChecksum.get_state": (lowering, stmt) => checksumWord(lowering, stmt),
  "InternetChecksum.add": internet,
  "InternetChecksum.subtract": internet,
  "InternetChecksum.set_state": (_, stmt) => [
    primitiveCall(`portable.${stmt.name}`, stmt.instance, [defined(stmt.args[0])], { span: stmt.span }),
  ],
  "InternetChecksum.clear": internet,
  "Digest.pack": (_, { instance, args, span }) => {
    const { name, typeArgs } = defined(instance);
    const data = defined(args[0]);
    const receiver = number(0n, bits(32), span);
    return [{ kind: "digest", receiver, name, elements: [], data, declared: defined(typeArgs[0]), span }];
  },
};

// ---------------------------------------------------------------- meters

/** The color given to a call that is color-aware: its type is an enumeration, that of a length is not. */
function colorOf({ args }: Extern, skip: number): Expr | undefined {
  return args.slice(skip).find(({ type }) => type.kind === "enum");
}

function meter({ program, plain }: Lowering, stmt: Extern): Stmt[] {
  const { instance, args, result, span } = stmt;
  const color = local(program, "color", bits(32), span);
  const call = primitiveCall(
    "portable.Meter.execute",
    plain.get(defined(instance)),
    [defined(args[0]), color],
    { outs: [1], span },
  );
  if (result === undefined) return [call];
  return [call, assign(result, cast(worse(color, colorOf(stmt, 1)), result.type, span), span)];
}

function directMeter({ program, plain, colors }: Lowering, stmt: Extern): Stmt[] {
  const { instance, result, span } = stmt;
  const made = plain.get(defined(instance));
  let color = colors.get(defined(instance));
  if (color === undefined) {
    color = local(program, "color", bits(8), span);
    colors.set(defined(instance), color);
  }
  const call = primitiveCall("direct_meter.read", made, [color], { outs: [0], span });
  if (result === undefined) return [call];
  const at = (value: bigint): Expr => equal(color, number(value, bits(8), span), span);
  const code = (value: bigint): Expr => number(value, bits(32), span);
  const portable = either(at(2n), code(RED), either(at(1n), code(YELLOW), code(GREEN)));
  return [call, assign(result, cast(worse(portable, colorOf(stmt, 0)), result.type, span), span)];
}

/** The result of a meter is never better than the color that the packet has. */
function worse(color: Expr, before: Expr | undefined): Expr {
  if (before === undefined) return color;
  const { span } = before;
  const code = (value: bigint): Expr => number(value, bits(32), span);
  const had = (value: bigint): Expr => equal(cast(before, bits(32), span), code(value), span);
  const is = (value: bigint): Expr => equal(color, code(value), span);
  const red = or(had(RED), is(RED), span);
  return either(red, code(RED), either(or(had(YELLOW), is(YELLOW), span), code(YELLOW), code(GREEN)));
}

function either(condition: Expr, whenTrue: Expr, whenFalse: Expr): Expr {
  const { type, span } = whenTrue;
  return { kind: "conditional", condition, whenTrue, whenFalse, type, span };
}

// ---------------------------------------------------------------- hashes and checksums

function hash({ program }: Lowering, { instance, args, result, span }: Extern): Stmt[] {
  if (result === undefined) return [];
  const value = local(program, "hash", bits(totalWidth(result.type)), span);
  const [first, data, max] = args;
  const call =
    max === undefined
      ? primitiveCall("portable.hash", instance, [value, defined(first)], { outs: [0], fields: 1, span })
      : primitiveCall(
          "portable.hash_mod",
          instance,
          [value, toBits(defined(first)), defined(data), toBits(max)],
          {
            outs: [0],
            fields: 2,
            span,
          },
        );
  return [call, assign(result, fromBits(value, result.type), span)];
}

/** `get` and `get_state`: the answer is a place of 16 bits. */
function checksumWord({ program }: Lowering, { name, instance, result, span }: Extern): Stmt[] {
  if (result === undefined) return [];
  const word = local(program, "sum", bits(16), span);
  return [
    primitiveCall(`portable.${name}`, instance, [word], { outs: [0], span }),
    assign(result, cast(word, result.type, span), span),
  ];
}

function internet(_: Lowering, { name, instance, args, span }: Extern): Stmt[] {
  return [primitiveCall(`portable.${name}`, instance, [...args], { fields: 0, span })];
}

/** One's complement sums are those of `InternetChecksum`; of a polynomial, the data of all updates are hashed at once. */
function checksum(lowering: Lowering, stmt: Extern): Stmt[] {
  const instance = defined(stmt.instance);
  const algorithm = fold(defined(argument(instance, "hash")));
  const method = stmt.name.slice("Checksum.".length);
  if (algorithm.kind === "member" && algorithm.name === "ONES_COMPLEMENT16") {
    const name = `InternetChecksum.${method === "update" ? "add" : method}`;
    return defined(CALLS[name])(lowering, { ...stmt, name });
  }
  if (method === "clear") {
    lowering.data.set(instance, []);
    return [];
  }
  const known = lowering.data.get(instance);
  if (known === undefined)
    fail(
      CODES.checksumApart,
      stmt.span,
      `not supported yet: ${stmt.name} of ${instance.name} without a clear before it in the same list of statements`,
      "call clear, update and get one after the other; ONES_COMPLEMENT16 has no such limit",
    );
  if (method === "update") {
    // The statements before `get` may change what was given.
    const given = defined(stmt.args[0]);
    return (given.kind === "aggregate" ? given.elements : [given]).map((one) => {
      const copy = local(lowering.program, "data", bits(totalWidth(one.type)), stmt.span);
      known.push(copy);
      return assign(copy, toBits(one), stmt.span);
    });
  }
  const elements = known;
  const type: IrType = {
    kind: "struct",
    name: "tuple",
    fields: elements.map((one, i) => ({ name: `f${i}`, type: one.type, annotations: [] })),
  };
  const data: Expr = { kind: "aggregate", elements, type, span: stmt.span };
  return hash(lowering, { ...stmt, args: [data] });
}
