/**
 * Programs of psa_switch and pna_nic. Their BMv2 JSON calls methods of extern objects (`_Counter_count`, `_Hash_get_hash`); the embedded
 * switch runs the form that it has for every architecture: arrays, calculations, and primitives on fields. Rules of the methods: BMv2,
 * `targets/psa_switch/externs`.
 */
import type {
  Bmv2Program,
  Bmv2Table,
  CalculationInput,
  Expression,
  ExternInstance,
  FieldRef,
  MeterArray,
  ParserOp,
  PortableInfo,
  Primitive,
  Value,
} from "../bmv2.js";
import { bmv2Number } from "./values.js";

/** pna_nic has no such control; where a program has one, it runs after the parser. */
const OPTIONAL = "pre_control";

/** What the target calls the parts of a program, and the metadata by which a program is known as one for it. */
const TARGETS = {
  psa: {
    header: "psa_ingress_input_metadata",
    stages: [
      { parser: "ingress_parser", pipeline: "ingress", deparser: "ingress_deparser" },
      { parser: "egress_parser", pipeline: "egress", deparser: "egress_deparser" },
    ],
  },
  pna: {
    header: "pna_main_input_metadata",
    stages: [
      { parser: "main_parser", pipeline: OPTIONAL, deparser: "main_deparser" },
      { parser: "main_parser", pipeline: "main_control", deparser: "main_deparser" },
    ],
  },
} as const;

/** The portable architecture that a program is for: by its metadata, where all parts are there; undefined for simple_switch and Tofinos. */
export function portableOf({
  headers,
  parsers,
  pipelines,
  deparsers,
}: Bmv2Program): PortableInfo["name"] | undefined {
  const known = (list: readonly { name: string }[], name: string): boolean =>
    list.some((one) => one.name === name);
  return (["psa", "pna"] as const).find((name) => {
    const { header, stages } = TARGETS[name];
    return (
      known(headers, header) &&
      stages.every(
        ({ parser, pipeline, deparser }) =>
          known(parsers, parser) &&
          (known(pipelines, pipeline) || pipeline === OPTIONAL) &&
          known(deparsers, deparser),
      )
    );
  });
}

const runnable = new WeakMap<Bmv2Program, Bmv2Program>();

/** The program in the switch's form; the same object for the same program, and the program itself where it is not portable. */
export function runnableForm(program: Bmv2Program): Bmv2Program {
  const name = program.portable === undefined ? portableOf(program) : undefined;
  if (name === undefined) return program;
  let made = runnable.get(program);
  if (made === undefined) runnable.set(program, (made = new Rewriter(program, name).rewrite()));
  return made;
}

/** A header of the switch's form that no file has: the state of checksums, and places for results. */
export const EXTERN_STATE = "$externs";

/** Fields of that header, with their widths, for what a program for PNA decides; those of a mirror end with the number of its slot. */
export const NIC = {
  sends: ["$sends", 1],
  port: ["$port", 32],
  again: ["$again", 1],
  mirrors: ["$mirrors", 1],
  session: ["$session", 16],
} as const;

/** Copies that a packet can ask for. */
export const MIRROR_SLOTS = 4;

/** Results of hashes are not reduced. */
const NO_REDUCTION: Value = { type: "hexstr", value: "0x8000000000000000" };
const ZERO: Value = { type: "hexstr", value: "0x0" };
const ONE: Value = { type: "hexstr", value: "0x1" };
const WORD: Value = { type: "hexstr", value: "0xffff" };
const CARRY: Value = { type: "hexstr", value: "0x10000" };

class Rewriter {
  readonly #fields: [name: string, width: number, signed: boolean][] = [];
  readonly #calculations: Bmv2Program["calculations"] = [];
  readonly #externs: ReadonlyMap<string, ExternInstance>;

  constructor(
    readonly program: Bmv2Program,
    readonly name: PortableInfo["name"],
  ) {
    this.#externs = new Map(program.extern_instances.map((one) => [one.name, one]));
  }

  rewrite(): Bmv2Program {
    const { program, name } = this;
    const actions = program.actions.map((action) => ({
      ...action,
      primitives: this.#list(action.primitives),
    }));
    const deparsers = program.deparsers.map((one) => ({
      ...one,
      primitives: this.#list(one.primitives ?? []),
    }));
    const parsers = program.parsers.map((parser) => ({
      ...parser,
      parse_states: parser.parse_states.map((state) => ({
        ...state,
        parser_ops: state.parser_ops.flatMap((op) => this.#parserOp(op)),
      })),
    }));
    const meters = program.extern_instances.flatMap((one) => (one.type === "Meter" ? [meterArray(one)] : []));
    const made = {
      ...program,
      actions,
      deparsers,
      parsers,
      pipelines: program.pipelines.map((one) => ({
        ...one,
        tables: one.tables.map((table) => this.#timed(table)),
      })),
      meter_arrays: [...program.meter_arrays, ...meters],
      calculations: [...program.calculations, ...this.#calculations],
      extern_instances: [],
      portable: { name, stages: stagesOf(program, name) },
    };
    if (this.#fields.length === 0) return made;
    const id = Math.max(-1, ...program.header_types.map((one) => one.id)) + 1;
    const instance = Math.max(-1, ...program.headers.map((one) => one.id)) + 1;
    return {
      ...made,
      header_types: [...program.header_types, { name: EXTERN_STATE, id, fields: this.#fields }],
      headers: [
        ...program.headers,
        { name: EXTERN_STATE, id: instance, header_type: EXTERN_STATE, metadata: true },
      ],
    };
  }

  /** A table with the list `expire TABLE` deletes entries at their time; the last field is for the number of the entry that is hit. */
  #timed(table: Bmv2Table): Bmv2Table {
    const list = this.program.field_lists.find(({ name }) => name === `expire ${table.name}`);
    const entry = list?.elements.at(-1);
    return entry?.type === "field"
      ? { ...table, support_timeout: true, expires: true, entry_target: entry.value }
      : table;
  }

  #parserOp(op: ParserOp): ParserOp[] {
    if (op.op !== "primitive") return [op];
    return this.#primitive(op.parameters[0]).map((made) => ({ op: "primitive", parameters: [made] }));
  }

  /** Jumps name places in the list, which move where one primitive becomes several. */
  #list(primitives: readonly Primitive[]): Primitive[] {
    const places: number[] = [];
    const made: Primitive[] = [];
    for (const one of primitives) {
      places.push(made.length);
      made.push(...this.#primitive(one));
    }
    if (made.length === primitives.length) return made;
    places.push(made.length);
    return made.map((one) => {
      if (one.op !== "_jump" && one.op !== "_jump_if_zero") return one;
      const parameters = one.parameters.map((value, i): Value => {
        if (i < one.parameters.length - 1 || value.type !== "hexstr") return value;
        return hex(BigInt(places[Number(bmv2Number(value.value))] ?? made.length));
      });
      return { ...one, parameters };
    });
  }

  #primitive(primitive: Primitive): Primitive[] {
    const [object, ...args] = primitive.parameters;
    const same = primitive.source_info === undefined ? {} : { source_info: primitive.source_info };
    const step = (op: string, parameters: Value[]): Primitive => ({ op, parameters, ...same });
    if (this.name === "pna") {
      const made = this.#decision(primitive);
      if (made !== undefined) return made.map(([at, value]) => step("assign", [field(at), value]));
    }
    if (object?.type !== "extern") return [primitive];
    const name = object.value;
    const arg = (at: number): Value => args[at] ?? ZERO;
    switch (primitive.op) {
      case "_Counter_count":
        return [step("count", [{ type: "counter_array", value: name }, arg(0)])];
      case "_Meter_execute": {
        const color = field(this.#field(`${name}.$color`, 8));
        return [
          step("assign", [color, ZERO]),
          step("execute_meter", [{ type: "meter_array", value: name }, arg(0), color]),
          step("assign", [arg(1), portableColor(color)]),
        ];
      }
      case "_Hash_get_hash":
        return [step(CALCULATE, [arg(0), ZERO, this.#calculation(name, arg(1)), NO_REDUCTION])];
      case "_Hash_get_hash_mod":
        return [step(CALCULATE, [arg(0), arg(1), this.#calculation(name, arg(2)), arg(3)])];
      default:
        return this.#checksum(name, primitive, step);
    }
  }

  /** What a program for PNA decides of a packet, as fields that the switch reads. */
  #decision({ op, parameters: [first = ZERO, second = ZERO] }: Primitive): [FieldRef, Value][] | undefined {
    const at = (name: keyof typeof NIC, slot = ""): FieldRef =>
      this.#field(`${NIC[name][0]}${slot}`, NIC[name][1]);
    switch (op) {
      case "send_to_port":
        return [
          [at("sends"), ONE],
          [at("port"), first],
        ];
      case "drop_packet":
        return [[at("sends"), ZERO]];
      case "recirculate":
        return [[at("again"), ONE]];
      case "mirror_packet": {
        const slot = first.type === "hexstr" ? String(Number(bmv2Number(first.value)) % MIRROR_SLOTS) : "0";
        return [
          [at("mirrors", slot), ONE],
          [at("session", slot), second],
        ];
      }
      default:
        return undefined;
    }
  }

  /** The sum is kept; its complement is the checksum (RFC 1071). */
  #checksum(
    name: string,
    primitive: Primitive,
    step: (op: string, parameters: Value[]) => Primitive,
  ): Primitive[] {
    const [, first = ZERO, second = ZERO] = primitive.parameters;
    const sum = field(this.#field(name, 16));
    switch (primitive.op) {
      case "_InternetChecksum_clear":
        return [step("assign", [sum, ZERO])];
      case "_InternetChecksum_set_state":
        return [step("assign", [sum, first])];
      case "_InternetChecksum_get_state":
        return [step("assign", [first, sum])];
      case "_InternetChecksum_get":
        return [step("assign", [first, complement(sum)])];
      case "_InternetChecksum_get_verify":
        return [step("assign", [first, expression("b2d", null, expression("==", second, complement(sum)))])];
      case "_InternetChecksum_add":
      case "_InternetChecksum_subtract": {
        const part = field(this.#field(`${name}.$part`, 16));
        const wide = field(this.#field(`${name}.$sum`, 32));
        // The calculation gives the complement of the sum of the data, which is what is added to subtract them.
        const added = primitive.op === "_InternetChecksum_add" ? complement(part) : part;
        return [
          step(CALCULATE, [part, ZERO, this.#sumOf(first), CARRY]),
          step("assign", [wide, expression("+", sum, added)]),
          step("assign", [
            sum,
            expression("+", expression("&", wide, WORD), expression(">>", wide, hex(16n))),
          ]),
        ];
      }
      default:
        return [primitive];
    }
  }

  #field(name: string, width: number): FieldRef {
    if (!this.#fields.some(([known]) => known === name)) this.#fields.push([name, width, false]);
    return [EXTERN_STATE, name];
  }

  #calculation(object: string, fields: Value): Value {
    const attributes = this.#externs.get(object)?.attribute_values ?? [];
    const algo = attributes.find(({ name }) => name === "algo")?.value ?? "crc16";
    return this.#add(String(algo), fields);
  }

  #sumOf(fields: Value): Value {
    return this.#add("csum16", fields);
  }

  #add(algo: string, fields: Value): Value {
    const { calculations } = this.program;
    const id = calculations.length + this.#calculations.length;
    const name = `$calculation${id}`;
    const input: CalculationInput[] =
      fields.type === "field_list" ? fields.value : [fields as CalculationInput];
    this.#calculations.push({ name, id, algo, input });
    return { type: "calculation", value: name };
  }
}

const CALCULATE = "modify_field_with_hash_based_offset";

function field(value: FieldRef): Value {
  return { type: "field", value };
}

function hex(value: bigint): Value {
  return { type: "hexstr", value: `0x${value.toString(16)}` };
}

function expression(op: Expression["op"], left: Value | null, right: Value, cond?: Value): Value {
  const value: Expression = cond === undefined ? { op, left, right } : { op, cond, left, right };
  return { type: "expression", value };
}

function complement(word: Value): Value {
  return expression("^", word, WORD);
}

/** BMv2's meters give 0, 1, 2 for green, yellow, red; the portable architectures number red, green, yellow. */
function portableColor(color: Value): Value {
  const is = (value: bigint): Value => expression("==", color, hex(value));
  return expression("?", hex(1n), expression("?", hex(2n), ZERO, is(1n)), is(0n));
}

function meterArray({ name, attribute_values: values = [], ...rest }: ExternInstance): MeterArray {
  const of = (wanted: string) => values.find((one) => one.name === wanted)?.value;
  const { source_info } = rest;
  return {
    name,
    id: rest.id,
    ...(source_info === undefined ? {} : { source_info }),
    is_direct: false,
    size: Number(of("n_meters") ?? 0),
    rate_count: 2,
    type: of("type") === "bytes" ? "bytes" : "packets",
  };
}

function stagesOf(program: Bmv2Program, name: PortableInfo["name"]): PortableInfo["stages"] {
  const at = (list: readonly { name: string }[], wanted: string): number =>
    list.findIndex((one) => one.name === wanted);
  const all = TARGETS[name].stages.map(({ parser, pipeline, deparser }) => ({
    parsers: [at(program.parsers, parser)],
    pipeline: at(program.pipelines, pipeline),
    deparser: at(program.deparsers, deparser),
  }));
  return all.filter(({ pipeline }) => pipeline >= 0);
}
