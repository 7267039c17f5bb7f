/**
 * Generates v1model programs that are correct by construction: every name is declared, every type fits. The compiler must accept
 * each of them (or report P404xx or P405xx, "not supported").
 */
import type { Random } from "../../../src/base/index.js";

type Type =
  | { kind: "bit"; width: number }
  | { kind: "int"; width: number }
  | { kind: "bool" }
  | { kind: "enum"; name: string; members: string[] };

interface Place {
  text: string;
  type: Type;
}

/** The names that statements and expressions can use at a place. */
interface Scope {
  readable: Place[];
  writable: Place[];
  /** Header expressions for isValid, setValid. */
  headers: string[];
  functions: { name: string; params: Type[]; returns: Type }[];
  actions: { name: string; params: Type[] }[];
  tables: string[];
  inAction: boolean;
  inFunction: Type | undefined;
}

const WIDTHS = [1, 3, 7, 8, 9, 13, 16, 32, 33, 48, 64, 100, 128];
const show = (type: Type): string =>
  type.kind === "bool" ? "bool" : type.kind === "enum" ? type.name : `${type.kind}<${type.width}>`;
const same = (a: Type, b: Type): boolean => show(a) === show(b);
const bit = (width: number): Type => ({ kind: "bit", width });

export interface ProgramOptions {
  /**
   * Omit constructs that the language leaves undefined or p4c does not support on BMv2 (headers that may be invalid, loops over
   * ranges), so that two compilers must agree on every packet of at least {@link PACKET_BYTES} bytes.
   */
  comparable?: boolean;
}

/** Longer than all headers of a generated program together. */
export const PACKET_BYTES = 512;

export function makeProgram(random: Random, options: ProgramOptions = {}): string {
  return new Generator(random, options.comparable ?? false).program();
}

class Generator {
  readonly #lines: string[] = [];
  #indent = "";
  #names = 0;

  constructor(
    readonly random: Random,
    readonly comparable: boolean,
  ) {}

  program(): string {
    const r = this.random;
    if (r.int(3) === 0) this.#line("#define V1MODEL_VERSION 20200408");
    const version = this.#lines.length > 0;
    this.#line("#include <core.p4>");
    this.#line("#include <v1model.p4>");
    this.#line("#define TWICE(x) ((x) + (x))");
    const enums: Type[] = this.#some(2, () => {
      const name = this.#name("E");
      const members = this.#some(3, () => this.#name("m"), 1);
      this.#line(`enum ${name} { ${members.join(", ")} }`);
      return { kind: "enum", name, members };
    });
    const headers = this.#some(
      3,
      () => {
        const name = this.#name("h");
        const fields = this.#some(4, (): Place => ({ text: this.#name("f"), type: this.#number() }), 1);
        // A header fills whole bytes.
        const bits = fields.reduce((sum, { type }) => sum + ("width" in type ? type.width : 0), 0);
        if (bits % 8 !== 0) fields.push({ text: this.#name("pad"), type: bit(8 - (bits % 8)) });
        this.#block(`header ${name}_t`, () => this.#fields(fields));
        return { name, fields, stack: r.int(4) === 0 ? 2 + r.int(3) : 0 };
      },
      1,
    );
    this.#block("struct headers_t", () => {
      for (const { name, stack } of headers) this.#line(`${name}_t${stack > 0 ? `[${stack}]` : ""} ${name};`);
    });
    const meta = this.#some(
      5,
      (): Place => ({
        text: this.#name("x"),
        type: r.int(4) === 0 ? r.pick<Type>([{ kind: "bool" }, ...enums]) : this.#number(),
      }),
      1,
    );
    this.#block("struct meta_t", () => this.#fields(meta));

    const places: Place[] = [
      ...meta.map(({ text, type }) => ({ text: `meta.${text}`, type })),
      ...headers.flatMap(({ name, fields, stack }) =>
        fields.map(({ text, type }) => ({
          text: `hdr.${name}${stack > 0 ? `[${this.comparable ? 0 : r.int(stack)}]` : ""}.${text}`,
          type,
        })),
      ),
    ];
    const scope: Scope = {
      readable: [...places],
      writable: [...places],
      headers: headers.map(({ name, stack }) => `hdr.${name}${stack > 0 ? "[0]" : ""}`),
      functions: [],
      actions: [],
      tables: [],
      inAction: false,
      inFunction: undefined,
    };
    scope.functions = this.#some(2, () => this.#function());
    this.#parser(headers, scope);
    this.#line("control VerifyIt(inout headers_t hdr, inout meta_t meta) { apply { } }");
    this.#control("In", scope, version);
    this.#control("Out", { ...scope, actions: [], tables: [] }, version);
    this.#line("control ComputeIt(inout headers_t hdr, inout meta_t meta) { apply { } }");
    this.#block("control DeparseIt(packet_out pkt, in headers_t hdr)", () =>
      this.#block("apply", () => {
        for (const { name } of headers) this.#line(`pkt.emit(hdr.${name});`);
      }),
    );
    this.#line("V1Switch(ParseIt(), VerifyIt(), In(), Out(), ComputeIt(), DeparseIt()) main;");
    return `${this.#lines.join("\n")}\n`;
  }

  // ---------------------------------------------------------------- text

  #line(text: string): void {
    this.#lines.push(this.#indent + text);
  }

  #block(head: string, body: () => void): void {
    this.#line(`${head} {`);
    const outer = this.#indent;
    this.#indent += "  ";
    body();
    this.#indent = outer;
    this.#line("}");
  }

  #fields(fields: readonly Place[]): void {
    for (const { text, type } of fields) this.#line(`${show(type)} ${text};`);
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  #some<T>(most: number, make: () => T, least = 0): T[] {
    return Array.from({ length: least + this.random.int(most - least + 1) }, make);
  }

  #number(): Type {
    const width = this.random.pick(WIDTHS);
    // BMv2 built with assertions stops at a signed field of one bit.
    const signed = this.random.int(5) === 0 && !(this.comparable && width === 1);
    return signed ? { kind: "int", width } : bit(width);
  }

  // ---------------------------------------------------------------- declarations

  #function(): Scope["functions"][number] {
    const name = this.#name("fun");
    const params = this.#some(3, () => this.#number());
    const returns = this.#number();
    const names = params.map(() => this.#name("p"));
    const readable = params.map((type, i) => ({ text: names[i]!, type }));
    const scope: Scope = {
      readable,
      writable: [],
      headers: [],
      functions: [],
      actions: [],
      tables: [],
      inAction: true,
      inFunction: returns,
    };
    const list = params.map((type, i) => `in ${show(type)} ${names[i]}`).join(", ");
    this.#block(`${show(returns)} ${name}(${list})`, () => {
      const local = this.#name("v");
      this.#line(`${show(returns)} ${local} = ${this.#expression(returns, scope, 2)};`);
      const inner = { ...scope, readable: [...readable, { text: local, type: returns }] };
      this.#line(`${local} = ${this.#expression(returns, inner, 2)};`);
      this.#line(`return ${this.#expression(returns, inner, 2)};`);
    });
    return { name, params, returns };
  }

  #parser(headers: { name: string; fields: Place[]; stack: number }[], scope: Scope): void {
    const r = this.random;
    const params = "packet_in pkt, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std";
    this.#block(`parser ParseIt(${params})`, () => {
      headers.forEach(({ name, fields, stack }, i) => {
        const state = i === 0 ? "start" : `parse_${name}`;
        const next = i + 1 < headers.length ? `parse_${headers[i + 1]!.name}` : "accept";
        this.#block(`state ${state}`, () => {
          const target = stack > 0 ? `hdr.${name}.next` : `hdr.${name}`;
          this.#line(`pkt.extract(${target});`);
          const key = r.pick(fields);
          const inParser = {
            ...scope,
            readable: scope.readable.filter(({ text }) => text.startsWith("meta.")),
          };
          if (r.int(3) === 0) this.#assignment({ ...inParser, writable: inParser.readable, functions: [] });
          if (key.type.kind !== "bit" || r.int(4) === 0) this.#line(`transition ${next};`);
          else {
            const { width } = key.type;
            this.#block(`transition select(hdr.${name}${stack > 0 ? ".last" : ""}.${key.text})`, () => {
              for (const value of new Set(this.#some(3, () => this.#literalValue(width)))) {
                const mask = r.int(3) === 0 ? ` &&& ${this.#literalValue(width)}` : "";
                this.#line(
                  `${value}${mask}: ${this.comparable ? next : r.pick([next, "accept", stack > 0 ? state : next])};`,
                );
              }
              this.#line(`${r.pick(["default", "_"])}: ${next};`);
            });
          }
        });
      });
    });
  }

  #control(name: string, outer: Scope, version: boolean): void {
    const r = this.random;
    const scope: Scope = {
      ...outer,
      actions: [],
      tables: [],
      readable: [...outer.readable],
      writable: [...outer.writable],
    };
    const standard: Place[] = ["egress_spec", "mcast_grp", "priority"].map((field, i) => ({
      text: `std.${field}`,
      type: bit([9, 16, 3][i]!),
    }));
    scope.readable.push({ text: "std.packet_length", type: bit(32) });
    if (name === "In" && !this.comparable) {
      scope.writable.push(...standard);
      scope.readable.push(...standard);
    }
    this.#block(
      `control ${name}(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std)`,
      () => {
        const register = r.int(2) === 0 ? { name: this.#name("reg"), type: bit(r.pick(WIDTHS)) } : undefined;
        const index = version ? ", bit<32>" : "";
        if (register)
          this.#line(`register<${show(register.type)}${index}>(${1 + r.int(100)}) ${register.name};`);
        for (const local of this.#some(3, (): Place => ({ text: this.#name("v"), type: this.#number() }))) {
          this.#line(`${show(local.type)} ${local.text} = ${this.#expression(local.type, scope, 2)};`);
          scope.readable.push(local);
          scope.writable.push(local);
        }
        for (let i = r.int(4); i >= 0; i--) scope.actions.push(this.#action(scope));
        for (let i = r.int(4); i > 0; i--) scope.tables.push(this.#table(scope));
        this.#block("apply", () => {
          if (this.comparable && name === "In") this.#line("std.egress_spec = 1;");
          if (register) {
            const value = this.#name("v");
            this.#line(`${show(register.type)} ${value};`);
            const at = () => (this.comparable ? "0" : this.#expression(bit(32), scope, 1));
            this.#line(`${register.name}.read(${value}, ${at()});`);
            this.#line(`${register.name}.write(${at()}, ${value});`);
          }
          this.#statements(scope, 4);
        });
      },
    );
  }

  #action(scope: Scope): Scope["actions"][number] {
    const name = this.#name("act");
    const params = this.#some(3, () => bit(this.random.pick(WIDTHS)));
    const names = params.map(() => this.#name("p"));
    const inner: Scope = {
      ...scope,
      tables: [],
      inAction: true,
      readable: [...scope.readable, ...params.map((type, i) => ({ text: names[i]!, type }))],
    };
    this.#block(`action ${name}(${params.map((type, i) => `${show(type)} ${names[i]}`).join(", ")})`, () => {
      for (let i = this.random.int(4); i > 0; i--) this.#assignment(inner);
    });
    return { name, params };
  }

  #table(scope: Scope): string {
    const r = this.random;
    const name = this.#name("t");
    const keys = this.#some(3, () => {
      const type = bit(r.pick(WIDTHS));
      const known = scope.readable.filter((place) => place.type.kind === "bit");
      const place =
        r.int(3) > 0 && known.length > 0 ? r.pick(known) : { text: this.#expression(type, scope, 1), type };
      return { ...place, match: r.pick(["exact", "exact", "ternary", "lpm", "range", "optional"]) };
    });
    // At most one lpm, and the others then exact, as BMv2 demands.
    const lpm = keys.findIndex((key) => key.match === "lpm");
    keys.forEach((key, i) => {
      if (lpm >= 0 && i !== lpm) key.match = "exact";
      // p4c computes the masks and bounds of entries in 64 bits.
      if (this.comparable && "width" in key.type && key.type.width > 63) key.match = "exact";
    });
    const actions = r.shuffle([...scope.actions]).slice(0, 1 + r.int(scope.actions.length));
    this.#block(`table ${name}`, () => {
      if (keys.length > 0)
        this.#block("key =", () => {
          for (const { text, match } of keys)
            this.#line(
              `${text} : ${match}${/^\w+(\.\w+)+$/.test(text) && r.int(3) === 0 ? "" : ` @name("${this.#name("k")}")`};`,
            );
        });
      this.#block("actions =", () => {
        for (const action of actions) this.#line(`${action.name};`);
        this.#line("NoAction;");
      });
      const call = () => {
        const { name: action, params } = r.pick(actions);
        return `${action}(${params.map((type) => this.#literal(type)).join(", ")})`;
      };
      if (r.int(2) === 0)
        this.#line(
          `${r.int(2) === 0 ? "const " : ""}default_action = ${r.int(2) === 0 ? "NoAction()" : call()};`,
        );
      if (r.int(2) === 0) this.#line(`size = ${1 + r.int(5000)};`);
      if (keys.length > 0 && r.int(3) === 0)
        this.#block("const entries =", () => {
          const seen = new Set<string>();
          for (let i = 1 + r.int(3); i > 0; i--) {
            const values = keys.map(({ type, match }) => this.#entryKey(type as { width: number }, match));
            const text = values.length === 1 ? values[0]! : `(${values.join(", ")})`;
            if (!seen.has(text)) this.#line(`${text} : ${call()};`);
            seen.add(text);
          }
        });
    });
    return name;
  }

  #entryKey({ width }: { width: number }, match: string): string {
    const r = this.random;
    const value = BigInt(this.#literalValue(width));
    if (match === "exact") return String(value);
    // For a range of 32 bits and more p4c makes a wrong upper bound of `_`.
    if (r.int(4) === 0 && !(this.comparable && match === "range")) return "_";
    if (match === "lpm") {
      const length = BigInt(r.int(width + 1));
      const mask = ((1n << length) - 1n) << (BigInt(width) - length);
      return `${value & mask} &&& ${mask}`;
    }
    if (match === "ternary") {
      const mask = BigInt(this.#literalValue(width));
      return `${value & mask} &&& ${mask}`;
    }
    if (match === "range") {
      const other = BigInt(this.#literalValue(width));
      return `${value < other ? value : other} .. ${value < other ? other : value}`;
    }
    return String(value);
  }

  // ---------------------------------------------------------------- statements

  #statements(scope: Scope, depth: number): void {
    for (let i = 1 + this.random.int(4); i > 0; i--) this.#statement(scope, depth);
  }

  #statement(scope: Scope, depth: number): void {
    const r = this.random;
    const inner = (): Scope => ({ ...scope, readable: [...scope.readable], writable: [...scope.writable] });
    const body = () => this.#statements(inner(), depth - 1);
    const choice = depth <= 0 ? r.int(4) : r.int(12);
    switch (this.comparable && (choice === 3 || choice === 9) ? 0 : choice) {
      case 0:
      case 1:
      case 2:
        this.#assignment(scope);
        break;
      case 3: {
        const header = r.pick(scope.headers);
        this.#line(`${header}.${r.pick(["setValid", "setInvalid"])}();`);
        break;
      }
      case 4:
      case 5:
        this.#block(`if (${this.#expression({ kind: "bool" }, scope, 2)})`, body);
        if (r.int(2) === 0) this.#block("else", body);
        break;
      case 6: {
        const table = scope.tables.pop();
        if (table === undefined) this.#line(";");
        else if (r.int(2) === 0) this.#line(`${table}.apply();`);
        else
          this.#block(`if (${r.int(2) === 0 ? "!" : ""}${table}.apply().${r.pick(["hit", "miss"])})`, body);
        break;
      }
      case 7: {
        const { name, params } = r.pick(scope.actions);
        this.#line(`${name}(${params.map((type) => this.#expression(type, scope, 1)).join(", ")});`);
        break;
      }
      case 8: {
        const type = bit(r.pick([3, 8, 16]));
        this.#block(`switch (${this.#expression(type, scope, 1)})`, () => {
          for (const value of new Set(
            this.#some(3, () => this.#literalValue("width" in type ? type.width : 1)),
          ))
            if (r.int(4) === 0) this.#line(`${value}:`);
            else this.#block(`${value}:`, body);
          this.#block("default:", body);
        });
        break;
      }
      case 9: {
        const variable = this.#name("i");
        const from = r.int(3);
        this.#block(`for (bit<8> ${variable} in ${from} .. ${from + r.int(4)})`, () => {
          const loop = inner();
          loop.readable.push({ text: variable, type: bit(8) });
          // A table is applied once.
          loop.tables = [];
          this.#statements(loop, 1);
        });
        break;
      }
      case 10: {
        const local: Place = { text: this.#name("v"), type: this.#number() };
        this.#line(`${show(local.type)} ${local.text} = ${this.#expression(local.type, scope, 2)};`);
        scope.readable.push(local);
        scope.writable.push(local);
        break;
      }
      default:
        if (r.int(3) > 0) this.#block("", body);
        else
          this.#block(`if (${this.#expression({ kind: "bool" }, scope, 1)})`, () =>
            this.#line(r.pick(["exit;", "return;"])),
          );
    }
  }

  #assignment(scope: Scope): void {
    const r = this.random;
    if (scope.writable.length === 0) return;
    const { text, type } = r.pick(scope.writable);
    if ("width" in type && type.kind === "bit" && r.int(4) === 0) {
      const low = r.int(type.width);
      const high = low + r.int(type.width - low);
      this.#line(`${text}[${high}:${low}] = ${this.#expression(bit(high - low + 1), scope, 2)};`);
    } else if ("width" in type && r.int(4) === 0) {
      const op = r.pick(["+", "-", "*", "&", "|", "^", "|+|", "|-|"]);
      this.#line(`${text} ${op}= ${this.#expression(type, scope, 2)};`);
    } else this.#line(`${text} = ${this.#expression(type, scope, 3)};`);
  }

  // ---------------------------------------------------------------- expressions

  #literalValue(width: number): string {
    const r = this.random;
    const top = (1n << BigInt(width)) - 1n;
    return String(r.pick([0n, 1n, top, top >> 1n, BigInt(r.uint32()) & top]));
  }

  #literal(type: Type): string {
    if (type.kind === "bool") return this.random.pick(["true", "false"]);
    if (type.kind === "enum") return `${type.name}.${this.random.pick(type.members)}`;
    if (type.kind === "bit") return `${type.width}w${this.#literalValue(type.width)}`;
    // The lowest value has no negative literal.
    return type.width === 1 ? "(int<1>) 1w1" : `${type.width}s${this.#literalValue(type.width - 1)}`;
  }

  #expression(type: Type, scope: Scope, depth: number): string {
    const r = this.random;
    const known = scope.readable.filter((place) => same(place.type, type));
    const leaf = () => (known.length > 0 && r.int(3) > 0 ? r.pick(known).text : this.#literal(type));
    if (depth <= 0) return leaf();
    const sub = (other: Type) => this.#expression(other, scope, depth - 1);
    const choice = r.int(12);
    if (choice < 2) return leaf();
    if (choice === 2) return `(${sub({ kind: "bool" })} ? ${sub(type)} : ${sub(type)})`;
    const functions = scope.functions.filter(({ returns }) => same(returns, type));
    if (choice === 3 && functions.length > 0 && !scope.inAction) {
      const { name, params } = r.pick(functions);
      return `${name}(${params.map(sub).join(", ")})`;
    }
    if (type.kind === "bool") {
      const other = this.#number();
      if (choice < 7) return `(${sub(other)} ${r.pick(["==", "!=", "<", "<=", ">", ">="])} ${sub(other)})`;
      if (choice === 7 && scope.headers.length > 0) return `${r.pick(scope.headers)}.isValid()`;
      if (choice === 8) return `!${sub(type)}`;
      return `(${sub(type)} ${r.pick(["&&", "||", "==", "!="])} ${sub(type)})`;
    }
    if (type.kind === "enum") return leaf();
    const { width } = type;
    if (choice === 4) return `${r.pick(["~", "-", "+"])}(${sub(type)})`;
    if (choice === 5) return `(${sub(type)} ${r.pick(["<<", ">>"])} ${sub(bit(r.pick([3, 8])))})`;
    if (choice === 6)
      return `(${show(type)}) ${sub(type.kind === "bit" ? bit(r.pick(WIDTHS)) : { kind: "int", width: r.pick(WIDTHS) })}`;
    if (choice === 7) return `(${show(type)}) ${sub({ kind: type.kind === "bit" ? "int" : "bit", width })}`;
    if (choice === 8 && width > 1) {
      const left = 1 + r.int(width - 1);
      return `(${sub({ kind: type.kind, width: left })} ++ ${sub(bit(width - left))})`;
    }
    if (choice === 9 && type.kind === "bit") {
      const from = this.#number();
      const whole = "width" in from && from.width >= width ? from.width : width;
      const low = r.int(whole - width + 1);
      return `(${sub(bit(whole))})[${low + width - 1}:${low}]`;
    }
    if (choice === 10) return `TWICE(${sub(type)})`;
    return `(${sub(type)} ${r.pick(["+", "-", "*", "&", "|", "^", "|+|", "|-|"])} ${sub(type)})`;
  }
}
