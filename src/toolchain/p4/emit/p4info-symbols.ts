/** Ids and aliases of P4Info objects, by the rules of P4Runtime section 6.3 and p4c. */
import type { Note, Span } from "../../../base/index.js";
import { fail } from "../../../base/index.js";
import { tofino } from "../../program/index.js";
import { CODES } from "../codes.js";

/** First byte of an id (`P4Ids.Prefix`). */
const PREFIX = {
  action: 0x01,
  table: 0x02,
  valueSet: 0x03,
  controllerHeader: 0x04,
  actionProfile: 0x11,
  counter: 0x12,
  directCounter: 0x13,
  meter: 0x14,
  directMeter: 0x15,
  register: 0x16,
  digest: 0x17,
  // Kinds of an architecture's own, as `extern_type_id` names them: those of TNA.
  tnaActionProfile: tofino.P4Ids_Prefix.ACTION_PROFILE,
  tnaActionSelector: tofino.P4Ids_Prefix.ACTION_SELECTOR,
  tnaCounter: tofino.P4Ids_Prefix.COUNTER,
  tnaDirectCounter: tofino.P4Ids_Prefix.DIRECT_COUNTER,
  tnaMeter: tofino.P4Ids_Prefix.METER,
  tnaDirectMeter: tofino.P4Ids_Prefix.DIRECT_METER,
  tnaWred: tofino.P4Ids_Prefix.WRED,
  tnaDirectWred: tofino.P4Ids_Prefix.DIRECT_WRED,
  tnaLpf: tofino.P4Ids_Prefix.LPF,
  tnaDirectLpf: tofino.P4Ids_Prefix.DIRECT_LPF,
  tnaRegister: tofino.P4Ids_Prefix.REGISTER,
  tnaDirectRegister: tofino.P4Ids_Prefix.DIRECT_REGISTER,
  tnaRegisterParam: tofino.P4Ids_Prefix.REGISTER_PARAM,
  tnaDigest: tofino.P4Ids_Prefix.DIGEST,
  tnaHash: tofino.P4Ids_Prefix.HASH,
  tnaPortMetadata: tofino.P4Ids_Prefix.PORT_METADATA,
  tnaSnapshot: tofino.P4Ids_Prefix.SNAPSHOT,
  tnaParserChoices: tofino.P4Ids_Prefix.PARSER_CHOICES,
  tnaValueSet: tofino.P4Ids_Prefix.VALUE_SET,
} as const;

export type SymbolKind = keyof typeof PREFIX;

/** Bob Jenkins' one-at-a-time hash of a name's bytes. */
export function nameHash(name: string): number {
  let hash = 0;
  for (const byte of new TextEncoder().encode(name)) {
    hash = (hash + byte) >>> 0;
    hash = (hash + (hash << 10)) >>> 0;
    hash = (hash ^ (hash >>> 6)) >>> 0;
  }
  hash = (hash + (hash << 3)) >>> 0;
  hash = (hash ^ (hash >>> 11)) >>> 0;
  return (hash + (hash << 15)) >>> 0;
}

export class SymbolTable {
  readonly #symbols = new Map<SymbolKind, Map<string, number | undefined>>();
  readonly #assigned = new Set<number>();
  /** The number of names that end with this suffix of whole components. */
  readonly #suffixes = new Map<string, number>();
  readonly #names = new Set<string>();
  readonly #spans = new Map<string, Span | undefined>();

  /** @param controlSpans the places that create control instances, by the name of the instance */
  constructor(readonly controlSpans: ReadonlyMap<string, readonly Span[]> = new Map()) {}

  /** Declares an object; `id` is the value of `@id`. A name declared twice is one object. */
  add(kind: SymbolKind, name: string, id?: number, span?: Span): void {
    let table = this.#symbols.get(kind);
    if (table === undefined) {
      table = new Map();
      this.#symbols.set(kind, table);
    }
    if (table.has(name)) {
      this.#checkSame(kind, name, span);
      return;
    }
    this.#spans.set(`${kind} ${name}`, span);
    table.set(name, id === undefined ? undefined : this.#reserve(kind, id, span));
    this.#addSuffixes(name);
  }

  /** Two declarations cannot share a name; the same declaration can be added several times. */
  #checkSame(kind: SymbolKind, name: string, span: Span | undefined): void {
    const before = this.#spans.get(`${kind} ${name}`);
    if (kind === "digest" || kind === "controllerHeader") return;
    if (kind === "action" && before?.start === span?.start && before?.file === span?.file) return;
    const message = `the control plane would see the name ${name} twice`;
    if (span === undefined || before?.start !== span.start || before.file !== span.file)
      fail(CODES.controlPlaneNameTwice, span, message, ...declaredAt(before));
    // One declaration in two instances of a control that have the same name.
    const [first, second] = this.#twoControls(name);
    const note = "give each instance a name: C() first; C() second;";
    fail(CODES.controlPlaneNameTwice, second ?? span, message, ...declaredAt(first), note);
  }

  /** The first two places that make the instance in which `name` is declared; the innermost that is there twice. */
  #twoControls(name: string): readonly Span[] {
    for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
      const spans = this.controlSpans.get(name.slice(0, end)) ?? [];
      if (spans.length > 1) return spans;
    }
    return [];
  }

  #reserve(kind: SymbolKind, id: number, span: Span | undefined): number {
    const prefix = id >>> 24;
    if (prefix !== 0 && prefix !== PREFIX[kind])
      fail(CODES.idPrefix, span, `@id(0x${id.toString(16)}) has the first byte of another kind of object`);
    const full = ((PREFIX[kind] << 24) | (id & 0xffffff)) >>> 0;
    if (this.#assigned.has(full)) fail(CODES.idTwice, span, `@id(0x${id.toString(16)}) is used twice`);
    this.#assigned.add(full);
    return full;
  }

  #addSuffixes(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    const parts = name.split(".");
    for (let i = 0; i < parts.length; i++) {
      const suffix = parts.slice(i).join(".");
      this.#suffixes.set(suffix, (this.#suffixes.get(suffix) ?? 0) + 1);
    }
  }

  /** Gives an id to every object without one: the hash of its name, or on a collision the next free id. */
  assign(): void {
    for (const [kind, table] of this.#symbols)
      for (const name of [...table.keys()].sort(compareBytes)) {
        if (table.get(name) !== undefined) continue;
        let hash = nameHash(name);
        let id = 0;
        do {
          id = ((PREFIX[kind] << 24) | (hash & 0xffffff)) >>> 0;
          hash = (hash + 1) >>> 0;
        } while (this.#assigned.has(id));
        this.#assigned.add(id);
        table.set(name, id);
      }
  }

  id(kind: SymbolKind, name: string): number {
    const id = this.#symbols.get(kind)?.get(name);
    if (id === undefined) throw new Error(`${name} was never declared`);
    return id;
  }

  /** The shortest suffix of whole components that no other name ends with. */
  alias(name: string): string {
    const parts = name.split(".");
    for (let i = parts.length - 1; i > 0; i--) {
      const suffix = parts.slice(i).join(".");
      if (this.#suffixes.get(suffix) === 1) return suffix;
    }
    return name;
  }
}

function declaredAt(span: Span | undefined): Note[] {
  return span === undefined ? [] : [{ message: "it is also the name of this", span }];
}

/** By code units: the order of `strcmp` for names in ASCII. */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
