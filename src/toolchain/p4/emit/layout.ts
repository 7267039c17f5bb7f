/**
 * The storage of every value in BMv2: header instances, stacks and unions for headers; the instance `scalars`
 * for the user's metadata and local variables; `standard_metadata`.
 */

import { defined, fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { AggregateType, Expr, IrField, IrType, Variable } from "../lower/ir.js";
import { fault } from "../lower/ir.js";
import { scalarWidth, totalWidth } from "../lower/ir-types.js";
import { Names } from "../lower/names.js";

/** A place in BMv2's terms. `text` is the name of the instance, or the path inside of it. */
interface Home {
  instance: string | undefined;
  text: string;
  type: IrType;
}

const SCALARS = "scalars";
const STANDARD = "standard_metadata";

/** The variables that have homes of their own; an architecture may have none, then each variable has a home under its own name. */
export interface Storage {
  readonly headers?: Variable;
  readonly metadata?: Variable;
  readonly standard?: Variable;
  /** Metadata that the target finds under a name of its own, by variable. */
  readonly instances?: ReadonlyMap<Variable, string>;
  /** A header that does not fill its last byte is padded; else it is an error. */
  readonly padsHeaders?: true;
  /** Gives the fields of a header another order, and padding. */
  readonly arrange?: (type: AggregateType, fields: readonly Field[]) => readonly Field[];
}

export type Field = [name: string, width: number | "*", signed?: boolean];

export class Layout {
  readonly headerTypes: bmv2.HeaderType[] = [];
  readonly headers: bmv2.HeaderInstance[] = [];
  readonly stacks: bmv2.HeaderStack[] = [];
  readonly unionTypes: bmv2.HeaderUnionType[] = [];
  readonly unions: bmv2.HeaderUnion[] = [];
  readonly unionStacks: bmv2.HeaderUnionStack[] = [];

  readonly #scalars: Field[] = [];
  readonly #scalarNames = new Names();
  readonly #locals = new Map<Variable, string>();
  readonly #instanceNames = new Names();
  readonly #typeNames = new Names();
  readonly #varbits = new Map<number, AggregateType>();
  readonly #typeIds = new Map<AggregateType, string>();
  readonly #metadataPrefix: string;

  constructor(readonly program: Storage) {
    this.#typeNames.unique(`${SCALARS}_0`);
    this.headerTypes.push({ name: `${SCALARS}_0`, id: 0, fields: [] });
    this.#instanceNames.unique(SCALARS);
    this.headers.push({ name: SCALARS, id: 0, header_type: `${SCALARS}_0`, metadata: true, pi_omit: true });
    this.#addStandard();
    for (const [variable, name] of program.instances ?? []) this.#addInstance(variable, name);
    const type = program.metadata?.type;
    this.#metadataPrefix = type?.kind === "struct" ? type.name : "meta";
    const headerType = program.headers?.type;
    if (headerType?.kind === "struct") {
      // Stacks come last, as in p4c's output.
      this.#addFields(headerType.fields, "", (field) => field.type.kind !== "stack");
      this.#addFields(headerType.fields, "", (field) => field.type.kind === "stack");
    }
    if (type?.kind === "struct") this.#addFields(type.fields, this.#metadataPrefix, () => true);
  }

  /** Fills in the fields of `scalars`; call it after every expression is converted. */
  finish(): void {
    const width = this.#scalars.reduce(
      (sum, field) => sum + (typeof field[1] === "number" ? field[1] : 0),
      0,
    );
    const fields = [...this.#scalars];
    if (width % 8 !== 0) fields.push([this.#scalarNames.unique("_padding"), 8 - (width % 8), false]);
    defined(this.headerTypes[0]).fields = fields;
  }

  // -------------------------------------------------------------- names of places

  /** The field that holds a scalar place. */
  field(place: Expr): bmv2.FieldRef {
    const home = this.#home(place);
    if (home.instance === undefined) throw new Error(`${home.text} is no field`);
    return [home.instance, home.text];
  }

  /** The name of a header, stack or union instance. */
  instance(place: Expr): string {
    return this.#home(place).text;
  }

  #home(place: Expr): Home {
    switch (place.kind) {
      case "variable":
        return this.#variableHome(place.variable);
      case "field": {
        const base = this.#home(place.base);
        if (base.type.kind === "header") return { instance: base.text, text: place.name, type: place.type };
        const text = base.text === "" ? place.name : `${base.text}.${place.name}`;
        return this.#scalarHome(base.instance, text, place.type);
      }
      case "element": {
        const base = this.#home(place.base);
        if (place.index.kind !== "number") throw new Error("a computed index was left");
        return this.#scalarHome(base.instance, `${base.text}[${place.index.value}]`, place.type);
      }
      case "stackProperty":
        return fail(
          CODES.nextOrLast,
          place.span,
          `BMv2 cannot use the header that ${place.property} names here`,
        );
      default:
        throw new Error(`${place.kind} is no place`);
    }
  }

  #scalarHome(instance: string | undefined, text: string, type: IrType): Home {
    if (instance !== undefined) return { instance, text, type };
    if (type.kind === "varbits") return { instance: text, text: "field", type };
    return scalarWidth(type) === undefined ? { instance, text, type } : { instance: SCALARS, text, type };
  }

  #variableHome(variable: Variable): Home {
    const { type } = variable;
    const { headers, metadata, standard } = this.program;
    if (variable === headers) return { instance: undefined, text: "", type };
    if (variable === metadata) return { instance: undefined, text: this.#metadataPrefix, type };
    if (variable === standard) return { instance: STANDARD, text: "", type };
    const own = this.program.instances?.get(variable);
    if (own !== undefined) return { instance: own, text: "", type };
    let text = this.#locals.get(variable);
    if (text === undefined) {
      text = this.#place(variable.name, type);
      this.#locals.set(variable, text);
    }
    return this.#scalarHome(undefined, text, type);
  }

  // -------------------------------------------------------------- allocating storage

  #addFields(fields: readonly IrField[], prefix: string, wanted: (field: IrField) => boolean): void {
    for (const field of fields) {
      if (!wanted(field)) continue;
      this.#place(prefix === "" ? field.name : `${prefix}.${field.name}`, field.type);
    }
  }

  /** Allocates storage for a value. Returns its name: `base`, or another name when `base` is taken. */
  #place(base: string, type: IrType): string {
    switch (type.kind) {
      case "struct":
        this.#addFields(type.fields, base, () => true);
        return base;
      case "header":
        return this.#addHeader(base, type).name;
      case "union":
        return this.#addUnion(base, type).name;
      case "stack":
        if (type.element.kind === "header" || type.element.kind === "union")
          return this.#addStack(base, type.element, type.size);
        for (let i = 0; i < type.size; i++) this.#place(`${base}[${i}]`, type.element);
        return base;
      case "varbits":
        return this.#addVarbit(base, type);
      default: {
        const width = scalarWidth(type);
        if (width === 0) return base;
        if (width === undefined) fault(undefined, `BMv2 has no variables of type ${type.kind}: ${base}`);
        const name = this.#scalarNames.unique(base);
        this.#scalars.push([name, width, type.kind === "bits" && type.signed]);
        return name;
      }
    }
  }

  #addHeader(base: string, type: AggregateType): bmv2.HeaderInstance {
    const header: bmv2.HeaderInstance = {
      name: this.#instanceNames.unique(base),
      id: this.headers.length,
      header_type: this.#headerType(type),
      metadata: false,
      pi_omit: true,
    };
    this.headers.push(header);
    return header;
  }

  /** A varbit variable is a header of one field, since `scalars` cannot hold it. */
  #addVarbit(base: string, type: Extract<IrType, { kind: "varbits" }>): string {
    let holder = this.#varbits.get(type.width);
    if (holder === undefined) {
      holder = {
        kind: "header",
        name: `$varbit${type.width}`,
        fields: [{ name: "field", type, annotations: [] }],
      };
      this.#varbits.set(type.width, holder);
    }
    const header = this.#addHeader(base, holder);
    header.metadata = true;
    return header.name;
  }

  #addUnion(base: string, type: AggregateType): bmv2.HeaderUnion {
    let typeName = this.#typeIds.get(type);
    const name = this.#instanceNames.unique(base);
    const ids = type.fields.map((field) => {
      if (field.type.kind !== "header") throw new Error("a union of something else than headers");
      return this.#addHeader(`${name}.${field.name}`, field.type).id;
    });
    if (typeName === undefined) {
      typeName = type.name;
      this.#typeIds.set(type, typeName);
      const members = type.fields.map((field): [string, string] => [
        field.name,
        this.#headerType(field.type as AggregateType),
      ]);
      this.unionTypes.push({ name: typeName, id: this.unionTypes.length, headers: members });
    }
    const union: bmv2.HeaderUnion = {
      name,
      id: this.unions.length,
      union_type: typeName,
      header_ids: ids,
      pi_omit: true,
    };
    this.unions.push(union);
    return union;
  }

  #addStack(base: string, element: AggregateType, size: number): string {
    const name = this.#instanceNames.unique(base);
    if (element.kind === "union") {
      const ids: number[] = [];
      let typeName = element.name;
      for (let i = 0; i < size; i++) {
        const union = this.#addUnion(`${name}[${i}]`, element);
        ids.push(union.id);
        typeName = union.union_type;
      }
      const id = this.unionStacks.length;
      this.unionStacks.push({ name, id, union_type: typeName, size, header_union_ids: ids });
      return name;
    }
    const ids: number[] = [];
    for (let i = 0; i < size; i++) ids.push(this.#addHeader(`${name}[${i}]`, element).id);
    const id = this.stacks.length;
    this.stacks.push({ name, id, header_type: this.#headerType(element), size, header_ids: ids });
    return name;
  }

  #headerType(type: AggregateType): string {
    const known = this.#typeIds.get(type);
    if (known !== undefined) return known;
    const name = this.#typeNames.unique(type.name);
    this.#typeIds.set(type, name);
    const given = headerFields(type.fields, "");
    const { arrange = (_, list) => list } = this.program;
    const fields = [...arrange(type, given)];
    const made: bmv2.HeaderType = { name, id: this.headerTypes.length, fields };
    const moved = fields.reduce((sum, [, bits]) => sum + (bits === "*" ? 0 : bits), 0);
    const width = fields.length === given.length ? totalWidth(type) : moved;
    if (fields.some((field) => field[1] === "*")) made.max_length = Math.ceil(width / 8);
    if (width % 8 !== 0 && this.program.padsHeaders) fields.push(["_padding", 8 - (width % 8)]);
    else if (width % 8 !== 0)
      fail(
        CODES.headerNoWholeBytes,
        type.span ?? this.program.headers?.span,
        `BMv2 wants headers of whole bytes; ${type.name} has ${width} bits`,
        `add a field of ${8 - (width % 8)} bits`,
      );
    this.headerTypes.push(made);
    return name;
  }

  #addStandard(): void {
    const { standard } = this.program;
    if (standard !== undefined) this.#addInstance(standard, STANDARD, STANDARD);
  }

  #addInstance({ type }: Variable, name: string, typeName = type.kind === "struct" ? type.name : name): void {
    const fields = type.kind === "struct" ? headerFields(type.fields, "") : [];
    const width = totalWidth(type);
    if (width % 8 !== 0) fields.push(["_padding", 8 - (width % 8), false]);
    const made = this.#typeNames.unique(typeName);
    this.#instanceNames.unique(name);
    this.headerTypes.push({ name: made, id: this.headerTypes.length, fields });
    this.headers.push({ name, id: this.headers.length, header_type: made, metadata: true, pi_omit: true });
  }
}

/** Fields in order; structs inside a header are flattened, their names joined by a dot. */
function headerFields(fields: readonly IrField[], prefix: string): Field[] {
  return fields.flatMap((field): Field[] => {
    const name = prefix + field.name;
    if (field.type.kind === "struct") return headerFields(field.type.fields, `${name}.`);
    if (field.type.kind === "stack") {
      const { element, size } = field.type;
      const elements = Array.from({ length: size }, (_, i) => ({
        name: `[${i}]`,
        type: element,
        annotations: [],
      }));
      return headerFields(elements, name);
    }
    if (field.type.kind === "varbits") return [[name, "*"]];
    const width = scalarWidth(field.type);
    if (width === undefined) throw new Error(`a header field of type ${field.type.kind}`);
    if (width === 0) return [];
    return [[name, width, field.type.kind === "bits" && field.type.signed]];
  });
}
