/** The other externs of TNA: as statements that every architecture has, or as calls of the few primitives that the switch has for TNA. */
import { defined, maskOf } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { and, binary, cast, equal, number, or } from "../../../lower/build.js";
import { fold } from "../../../lower/fold.js";
import type { BitsType, Expr, ExternInstance, Stmt, StmtOf } from "../../../lower/ir.js";
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
import { mapBlocks, mapProgram } from "../../../lower/walk.js";
import { argument } from "../p4info-scope.js";
import { checksumCall } from "./checksums.js";
import { EXTREME, extremeCall } from "./extremes.js";
import { dropsEarly, filtered } from "./filters.js";
import { hashWidth } from "./hashes.js";
import type { Lowering } from "./lowering.js";
import { counterCall } from "./parser-counters.js";

type Extern = StmtOf<"extern">;

/** A port that no packet leaves by: `ucast_egress_port` of a packet for which no port was chosen. */
const NO_PORT = 511n;

/** Bits of port metadata in front of a packet. */
const PORT_METADATA = { tna: 64, t2na: 192 };

export function lowerCalls(lowering: Lowering): void {
  mapProgram(lowering.program, (body) => callsIn(lowering, body));
  // What the parser's own engines compute is no work of the controls.
  if (lowering.form === "hardware") return;
  for (const { control, body } of lowering.beginnings) control.body = [...body, ...control.body];
}

/** Lowers the calls of one list; those that are primitives of the switch stay. */
export function callsIn(lowering: Lowering, body: Stmt[]): Stmt[] {
  return body.flatMap((stmt) => {
    const inner = mapBlocks(stmt, (list) => callsIn(lowering, list));
    return inner.kind === "extern" && !PRIMITIVE.test(inner.name) ? lowered(lowering, inner) : [inner];
  });
}

const PRIMITIVE = /^(tna|register|counter|meter|direct_meter)\.|^random$/;

/** Calls that the switch answers with a constant, and what a user has to know of it. */
const NOT_MODELLED: Readonly<Record<string, string>> = {
  "SelectorAction.execute": "it answers 0",
  "Pktgen.emit": "no packet is made",
};

function lowered(lowering: Lowering, stmt: Extern): Stmt[] {
  const [type = ""] = stmt.name.split(".");
  switch (type) {
    case "Register":
    case "DirectRegister":
    case "RegisterParam":
      return lowering.registers.access(stmt);
    case "Checksum":
      return checksumCall(lowering, stmt);
    case "ParserCounter":
      return counterCall(lowering, stmt);
    case "ParserPriority":
    case "DirectCounter":
      // The table itself counts; which packets are dropped first matters to full buffers only.
      return [];
    default: {
      if (EXTREME.test(stmt.name)) return extremeCall(lowering.program, stmt);
      const made = CALLS[stmt.name]?.(lowering, stmt);
      if (made !== undefined) return made;
    }
  }
  return nothing(lowering, stmt, NOT_MODELLED[stmt.name] ?? "it answers 0");
}

function nothing({ notes }: Lowering, stmt: Extern, effect: string): Stmt[] {
  const places = [...stmt.outs.map((at) => defined(stmt.args[at])), ...(stmt.result ? [stmt.result] : [])];
  notes.add(stmt.span, `the switch does not do ${stmt.name}`, effect);
  return places.map((place) => assign(place, zero(place.type, stmt.span), stmt.span));
}

const CALLS: Readonly<Record<string, (lowering: Lowering, stmt: Extern) => Stmt[] | undefined>> = {
  "Counter.count": (lowering, { instance, args, span }) =>
    adjusted(lowering, args[1], [
      primitiveCall("counter.count", lowering.state.plain.get(defined(instance)), [defined(args[0])], {
        span,
      }),
    ]),
  "Meter.execute": (lowering, stmt) => {
    const { program, state } = lowering;
    const { instance, args, span } = stmt;
    const colour = local(program, "colour", bits(8), span);
    const meter = state.plain.get(defined(instance));
    return [
      assign(colour, zero(colour.type, span), span),
      ...adjusted(
        lowering,
        args.find((one, i) => i > 0 && isAdjustment(one)),
        [primitiveCall("meter.execute_meter", meter, [defined(args[0]), colour], { outs: [1], span })],
      ),
      ...coloured(
        lowering,
        stmt,
        colour,
        args.find((one, i) => i > 0 && !isAdjustment(one)),
      ),
    ];
  },
  "DirectMeter.execute": (lowering, stmt) => {
    const meter = defined(stmt.instance);
    const colour = lowering.shared(meter, "colour", bits(8));
    const read = primitiveCall("direct_meter.read", lowering.state.plain.get(meter), [colour], {
      outs: [0],
      span: stmt.span,
    });
    if (stmt.args.some(isAdjustment))
      lowering.notes.add(
        stmt.span,
        "a direct meter counts all bytes of a packet",
        "adjust_byte_count is not looked at",
      );
    return [
      read,
      ...coloured(
        lowering,
        stmt,
        colour,
        stmt.args.find((one) => !isAdjustment(one)),
      ),
    ];
  },
  "Lpf.execute": filtered,
  "DirectLpf.execute": filtered,
  "Wred.execute": dropsEarly,
  "DirectWred.execute": dropsEarly,
  "Hash.get": hash,
  "Random.get": ({ program }, { result, span }) => {
    if (result === undefined) return [];
    const drawn = local(program, "random", bits(totalWidth(result.type)), span);
    const most = number(maskOf(totalWidth(result.type)), bits(totalWidth(result.type)), span);
    return [
      primitiveCall("random", undefined, [drawn, zero(drawn.type, span), most], { outs: [0], span }),
      assign(result, fromBits(drawn, result.type), span),
    ];
  },
  "MathUnit.execute": (lowering, { instance, args, result, span }) => {
    if (result === undefined) return [];
    const value = local(lowering.program, "math", bits(32), span);
    const operand = local(lowering.program, "math", bits(32), span);
    return [
      assign(operand, cast(toBits(defined(args[0])), bits(32), span), span),
      primitiveCall("tna.math", instance, [value, operand], { outs: [0], span }),
      assign(result, fromBits(cast(value, bits(totalWidth(result.type)), span), result.type), span),
    ];
  },
  min: (_, stmt) => chosen(stmt, "<"),
  max: (_, stmt) => chosen(stmt, ">"),
  funnel_shift_right: (_, { args, span }) => {
    const [to, high, low, amount] = args.map(defined);
    const width = totalWidth(to!.type);
    const joined = binary("++", toBits(high!), toBits(low!), bits(2 * width), span);
    const by = Number(constantBits(amount!));
    return [assign(to!, fromBits(sliceOf(joined, by + width - 1, by), to!.type), span)];
  },
  invalidate: ({ isPortOfTm }, { args, span }) => {
    const [place] = args;
    if (place?.type.kind === "header") return [{ kind: "validity", header: place, valid: false, span }];
    if (place === undefined || place.type.kind !== "bits") return [];
    return [assign(place, number(isPortOfTm(place) ? NO_PORT : 0n, place.type, span), span)];
  },
  is_validated: ({ isPortOfTm }, { args, result, span }) => {
    const [place] = args;
    if (result === undefined || place === undefined) return [];
    if (place.type.kind === "header")
      return [assign(result, { kind: "valid", header: place, type: BOOL, span }, span)];
    const isPort = place.type.kind === "bits" && isPortOfTm(place);
    const none = number(isPort ? NO_PORT : 0n, place.type as BitsType, span);
    return [assign(result, binary("!=", place, none, BOOL, span), span)];
  },
  port_metadata_unpack: unpack,
  "Mirror.emit": (lowering, stmt) => {
    const [session, data] = stmt.args;
    return whenType(lowering, stmt, "mirror_type", [
      primitiveCall("tna.mirror", undefined, data === undefined ? [session!] : [session!, data], {
        fields: 1,
        span: stmt.span,
      }),
    ]);
  },
  "Resubmit.emit": (lowering, stmt) =>
    whenType(lowering, stmt, "resubmit_type", [
      primitiveCall("tna.resubmit", undefined, [...stmt.args], { fields: 0, span: stmt.span }),
    ]),
  "Digest.pack": (lowering, stmt) => {
    const { span, instance, args } = stmt;
    const { name, typeArgs } = defined(instance);
    const receiver = number(0n, bits(32), span);
    return whenType(lowering, stmt, "digest_type", [
      {
        kind: "digest",
        receiver,
        name,
        elements: [],
        data: defined(args[0]),
        declared: defined(typeArgs[0]),
        span,
      },
    ]);
  },
};

/** What stands in a deparser's instance of a type happens for this value of the type's field only. */
function whenType(lowering: Lowering, stmt: Extern, name: string, body: Stmt[]): Stmt[] {
  const wanted = defined(stmt.instance).args[0];
  const chosen = lowering.deparserField(name);
  if (wanted === undefined || chosen === undefined) return body;
  const condition = equal(chosen, cast(wanted, chosen.type, stmt.span), stmt.span);
  return [{ kind: "if", condition, whenTrue: body, whenFalse: [], span: stmt.span }];
}

/** A call's `adjust_byte_count` has 32 bits, its colour 8. */
function isAdjustment({ type }: Expr): boolean {
  return totalWidth(type) === 32;
}

/** A count or a meter that takes a packet for shorter than it is. */
function adjusted({ form }: Lowering, bytes: Expr | undefined, body: Stmt[]): Stmt[] {
  if (bytes === undefined || form === "hardware") return body;
  const { span } = bytes;
  const shorter = (by: Expr): Stmt => primitiveCall("tna.shorten", undefined, [by], { span });
  const whole = cast(bytes, bits(32), span);
  return [shorter(whole), ...body, shorter(binary("-", number(0n, bits(32), span), whole, bits(32), span))];
}

/** The colours of a meter; the constructor may give others. A packet is never better than the colour that it comes with. */
function coloured(
  { form }: Lowering,
  { result, instance, span }: Extern,
  colour: Expr,
  before?: Expr,
): Stmt[] {
  if (result === undefined) return [];
  if (form === "hardware") return [assign(result, cast(colour, result.type, span), span)];
  const meter = defined(instance);
  const code = (value: bigint): Expr => number(value, bits(8), span);
  const is = (expr: Expr, value: bigint): Expr => equal(cast(expr, bits(8), span), code(value), span);
  const either = (condition: Expr, whenTrue: Expr, whenFalse: Expr): Expr => ({
    kind: "conditional",
    condition,
    whenTrue,
    whenFalse,
    type: bits(8),
    span,
  });
  const value = (name: string, usual: bigint): Expr =>
    cast(argument(meter, name) ?? code(usual), bits(8), span);
  // The switch's colours are 0, 1, 2; the hardware's are 0, 1 or 2, 3.
  const worst =
    before === undefined
      ? undefined
      : either(
          is(before, 3n),
          code(2n),
          either(and(or(is(before, 1n), is(before, 2n), span), is(colour, 0n), span), code(1n), colour),
        );
  const answer = either(
    is(colour, 2n),
    value("red", 3n),
    either(is(colour, 1n), value("yellow", 1n), value("green", 0n)),
  );
  return [
    ...(worst === undefined ? [] : [assign(colour, worst, span)]),
    assign(result, cast(answer, result.type, span), span),
  ];
}

function chosen({ args, result, span }: Extern, op: "<" | ">"): Stmt[] {
  const [left, right] = args;
  if (result === undefined) return [];
  const condition = binary(op, left!, right!, BOOL, span);
  return [
    assign(
      result,
      { kind: "conditional", condition, whenTrue: left!, whenFalse: right!, type: result.type, span },
      span,
    ),
  ];
}

/** The bits of a value, in order. */
function flat(value: Expr): Expr {
  if (value.kind !== "aggregate") return toBits(value);
  const parts = value.elements.filter((one) => totalWidth(one.type) > 0).map(flat);
  return parts.reduce((left, right) =>
    binary("++", left, right, bits(totalWidth(left.type) + totalWidth(right.type)), value.span),
  );
}

function hash({ program, form }: Lowering, { instance, args, result, span }: Extern): Stmt[] {
  if (result === undefined) return [];
  const data = symmetric(defined(args[0]), defined(instance));
  const width = totalWidth(result.type);
  const algo = fold(defined(defined(instance).args[0]));
  const isIdentity = algo.kind === "member" && algo.name === "IDENTITY";
  if (isIdentity && form === "switch")
    return [assign(result, fromBits(cast(flat(data), bits(width), span), result.type), span)];
  // A wider result is the value again and again.
  const own = isIdentity ? width : Math.min(width, hashWidth(defined(instance)));
  const value = local(program, "hash", bits(own), span);
  let repeated: Expr = value;
  while (totalWidth(repeated.type) < width)
    repeated = binary("++", value, repeated, bits(totalWidth(repeated.type) + own), span);
  return [
    primitiveCall("tna.hash", instance, [value, data], { outs: [0], fields: 1, span }),
    assign(result, fromBits(cast(repeated, bits(width), span), result.type), span),
  ];
}

/** The place that an expression is, as the program writes it. */
function pathOf(expr: Expr): string {
  return expr.kind === "field"
    ? `${pathOf(expr.base)}.${expr.name}`
    : expr.kind === "variable"
      ? expr.variable.name
      : "";
}

/** The input of a hash with `@symmetric`: of two fields the hardware's matrix has one column, so the later one becomes both in XOR, the other 0. */
function symmetric(data: Expr, { annotations }: ExternInstance): Expr {
  const named = annotations.find(({ name }) => name === "symmetric");
  if (named === undefined || data.kind !== "aggregate") return data;
  const texts = (named.body.kind === "unstructured" ? named.body.text : "").match(/[\w.]+/g) ?? [];
  const places = texts.map((text) =>
    data.elements.findIndex((one) => {
      const path = pathOf(one);
      return (
        path !== "" &&
        (path === text ||
          text.endsWith(`.${path}`) ||
          path.endsWith(`.${text.split(".").slice(1).join(".")}`))
      );
    }),
  );
  const [first = -1, second = -1] = places.sort((a, b) => a - b);
  const [one, other] = [data.elements[first], data.elements[second]];
  if (one === undefined || other === undefined) return data;
  const both = binary("^", toBits(one), toBits(other), bits(totalWidth(one.type)), one.span);
  const elements = data.elements.map((element, i) =>
    i === first ? zero(one.type, one.span) : i === second ? fromBits(both, other.type) : element,
  );
  return { ...data, elements };
}

/** The port's metadata as a type of the program: its fields lie at the front. */
function unpack({ program, architecture }: Lowering, { result, span }: Extern): Stmt[] {
  const size = PORT_METADATA[architecture];
  const advance: Stmt = { kind: "advance", size: number(BigInt(size), bits(32), span), span };
  if (result === undefined) return [advance];
  const width = totalWidth(result.type);
  const ahead = local(program, "port", bits(width), span);
  const read = assign(ahead, { kind: "lookahead", offset: 0, type: bits(width), span }, span);
  return [read, advance, assign(result, fromBits(ahead, result.type), span)];
}
