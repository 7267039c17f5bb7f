/**
 * Fields in containers, as the Tofino compiler lays them out in most cases. A packet header is divided into words of 32
 * bits, counted from its end, and the parts of a word that tables use share containers. A field of arithmetic, the result of logic, and each
 * metadata field, has its own containers. A field that no table uses goes to containers that only parser and deparser
 * see. Headers that are never valid together share containers.
 */

import { defined } from "../../../base/index.js";
import type { Access, FieldInfo, FitModel, Gress } from "../model/model.js";
import { actionReads, keyReads, writesOf } from "../model/model.js";
import type { Target } from "../target.js";
import { validityContainers, validityLists } from "./validity.js";

export type ContainerSize = 8 | 16 | 32;

interface Bits {
  readonly field: string;
  /** Lowest bit of the field in this slice. */
  readonly lo: number;
  readonly width: number;
  /** `validity`: the bit is 1 once the field is written; `cleared`: the field is 0 before that, so that zeros are not written. */
  readonly role?: "validity" | "cleared";
}

interface ContainerSlice extends Bits {
  /** Its lowest bit in the container. */
  readonly at: number;
}

export interface Container {
  readonly id: number;
  readonly size: ContainerSize;
  readonly gress: Gress;
  readonly tagalong: boolean;
  /** An instruction only copies a whole container to it. */
  readonly isMocha?: true;
  readonly slices: readonly ContainerSlice[];
  /** The container whose place this one shares, because their headers exclude each other. */
  readonly overlays: number | undefined;
}

/** All containers, and those of each field. */
export interface PhvLayout {
  /** Fields stand at the bits that an allocation gave them; without it only their containers count, and their order there says nothing. */
  readonly isAllocated?: true;
  readonly containers: readonly Container[];
  /** Containers of a field in a gress, without tagalong containers. */
  of(gress: Gress, field: string): readonly Container[];
  /** Containers that a write touches. */
  touchedBy(gress: Gress, access: Access): readonly Container[];
}

const WORD_BITS = 32;
/** Of values for the traffic manager that share a byte: `drop_ctl` has 3 bits. */
const MAX_FLAG_BITS = 3;

/**
 * A small value for the deparser that may stand anywhere in its container. The types of mirror, digest and resubmission stand at its low end, so that
 * each has a container of its own.
 */
export const isSmallValue = ({ name, width }: FieldInfo): boolean =>
  width <= MAX_FLAG_BITS && !name.endsWith("_type");

/** The program wants two fields in different containers. */
type IsParted = (gress: Gress, a: string, b: string) => boolean;

/** Lays out the fields of both gresses. */
export function packFields(model: FitModel, target: Target, isParted: IsParted): PhvLayout {
  const packer = new Packer(model, target, isParted);
  for (const gress of ["ingress", "egress"] as const) packer.packGress(gress);
  return packer.layout();
}

class Packer {
  readonly #containers: Container[] = [];
  readonly #byField = new Map<string, Container[]>();

  constructor(
    readonly model: FitModel,
    readonly target: Target,
    readonly isParted: IsParted,
  ) {}

  layout(): PhvLayout {
    const byField = this.#byField;
    const none: readonly Container[] = [];
    const of = (gress: Gress, field: string) => byField.get(`${gress} ${field}`) ?? none;
    return {
      containers: this.#containers,
      of,
      touchedBy: (gress, access) =>
        of(gress, access.field).filter((container) =>
          container.slices.some(
            (slice) =>
              slice.field === access.field &&
              slice.lo < access.lo + access.width &&
              access.lo < slice.lo + slice.width,
          ),
        ),
    };
  }

  packGress(gress: Gress): void {
    const units = this.model.units.filter((unit) => unit.gress === gress);
    const used = new Map<string, Access[]>();
    const alone = new Set<string>();
    for (const unit of units) {
      for (const access of [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)]) {
        const list = used.get(access.field);
        if (list === undefined) used.set(access.field, [access]);
        else list.push(access);
      }
      for (const { arithmetic, operations } of unit.actions) {
        for (const field of arithmetic) alone.add(field);
        // An instruction of logic writes all of its container.
        for (const { kind, write } of operations) if (kind === "logic") alone.add(write.field);
      }
    }
    // The result of a stateful ALU takes a container before it is used.
    for (const unit of units) {
      for (const attached of unit.attached) {
        if (!attached.updatesAndReturns) continue;
        const bits = Math.min(attached.width, WORD_BITS);
        this.#place(gress, [{ field: `${attached.name}$result`, lo: 0, width: bits }], bits, false);
      }
    }
    const lists = this.#validityLists(gress);
    const beside = this.#besideValidity(gress, lists, used);
    const isBeside = (name: string) => [...beside.values()].some(({ name: own }) => own === name);
    for (const header of this.model.headers.values()) {
      if (header.metadata) {
        const infos = header.fields
          .filter((name) => used.has(name) && !isBeside(name))
          .map((name) => defined(this.model.fields.get(name)));
        const flags = [
          ...infos.filter((info) => this.#isVariableFlag(info)),
          ...infos.filter((info) => this.#isFlag(gress, info)),
        ];
        this.#packFlags(gress, flags);
        for (const info of infos) if (!flags.includes(info)) this.#own(gress, info, false);
        continue;
      }
      if (!this.model.parser.isIn(gress, header.name)) {
        // No packet has it here, so nothing says which of its fields stand side by side.
        for (const name of header.fields)
          if (used.has(name)) this.#own(gress, defined(this.model.fields.get(name)), false);
        continue;
      }
      this.#packHeader(
        gress,
        header.fields.map((name) => defined(this.model.fields.get(name))),
        (name) => used.has(name),
        (name) => alone.has(name),
      );
    }
    this.#packValidity(gress, [...used.keys()], { lists, beside });
  }

  #validityLists(gress: Gress): ReadonlyMap<string, number> {
    const listsOf = this.target.phv.deparser_validity_shared ? validityContainers : validityLists;
    return this.model.hasEgressParser ? listsOf(this.model, gress, this.target) : new Map();
  }

  /**
   * By list of validity bits in one byte with room: the small value that stands beside its bit (measured: `drop_ctl` of all public designs
   * that the compiler placed for a Tofino 2, with four and five bits of validity; with six and more it has another container). What sets the value
   * sets both, and takes data with a mask for it.
   */
  #besideValidity(
    gress: Gress,
    lists: ReadonlyMap<string, number>,
    used: ReadonlyMap<string, readonly Access[]>,
  ): ReadonlyMap<number, FieldInfo> {
    const beside = new Map<number, FieldInfo>();
    if (!this.target.phv.deparser_validity_shared) return beside;
    for (const [name, list] of lists) {
      const info = this.model.fields.get(name);
      if (info === undefined || !used.has(name) || !this.#isFlag(gress, info) || beside.has(list)) continue;
      const count = [...lists.values()].filter((one) => one === list).length;
      if (info.width > 1 && count + info.width <= 8) beside.set(list, info);
    }
    return beside;
  }

  /** A small value for the deparser, of ingress. */
  #isFlag(gress: Gress, info: FieldInfo): boolean {
    const { hasEgressParser, forDeparser } = this.model;
    return hasEgressParser && gress === "ingress" && isSmallValue(info) && forDeparser.has(info.name);
  }

  /** A variable of one bit; on Tofino 2 values for the deparser have validity bits besides, and variables were not seen with them. */
  #isVariableFlag({ name, width, intrinsic }: FieldInfo): boolean {
    const { deparser_validity_shared: hasValidity } = this.target.phv;
    if (!this.model.hasEgressParser || hasValidity || intrinsic || name.endsWith("$")) return false;
    return width === 1 && !this.model.forDeparser.has(name);
  }

  /**
   * Such values share bytes, variables first: two tables that set them need two stages (measured: bypass_egress with drop_ctl, and with a
   * variable of a random bit; variables of the two branches of an `if` with those of the next one).
   */
  #packFlags(gress: Gress, flags: readonly FieldInfo[]): void {
    let slices: Bits[] = [];
    let bits = 0;
    for (const { name, width } of flags) {
      const isParted = slices.some(({ field }) => this.isParted(gress, field, name));
      if (isParted || bits + width > 8) {
        this.#place(gress, slices, bits, false);
        [slices, bits] = [[], 0];
      }
      slices.push({ field: name, lo: 0, width });
      bits += width;
    }
    if (bits > 0) this.#place(gress, slices, bits, false);
  }

  /** The bits that tell the deparser what to send share containers: headers' validity, and which checksum is sent. */
  #packValidity(
    gress: Gress,
    used: readonly string[],
    { lists, beside }: { lists: ReadonlyMap<string, number>; beside: ReadonlyMap<number, FieldInfo> },
  ): void {
    const bits = used
      .flatMap((name) => this.model.fields.get(name) ?? [])
      .filter(({ name, metadata, width }) => metadata && width === 1 && name.endsWith("$"));
    if (!this.model.hasEgressParser) {
      for (let at = 0; at < bits.length; at += WORD_BITS)
        this.#placeBits(gress, bits.slice(at, at + WORD_BITS));
      return;
    }
    for (const list of new Set(lists.values())) {
      const own = bits.filter(({ name }) => lists.get(name) === list);
      // Bits that no table writes have places among them.
      const all = [...lists.keys()].filter((name) => lists.get(name) === list);
      const value = beside.get(list);
      if (value !== undefined) {
        const slice = { field: value.name, lo: 0, width: value.width };
        const isCleared = this.#writersOf(gress, value.name) === 1;
        const slices = [
          isCleared ? { ...slice, role: "cleared" as const } : slice,
          ...this.#validityBits(all),
        ];
        this.#place(gress, slices, all.length + value.width, false);
      } else if (own.length > 0) this.#place(gress, this.#validityBits(all), all.length, false);
    }
    const others = bits.filter(({ name }) => !lists.has(name));
    for (let at = 0; at < others.length; at += WORD_BITS)
      this.#placeBits(gress, others.slice(at, at + WORD_BITS));
  }

  /** Units of the gress that write the field. */
  #writersOf(gress: Gress, field: string): number {
    const { units } = this.model;
    return units.filter(
      (unit) => unit.gress === gress && writesOf(unit).some((write) => write.field === field),
    ).length;
  }

  /** The bits of a list, the last one highest: those of headers, and those of values, which have the names of these. */
  #validityBits(names: readonly string[]): Bits[] {
    const slices = names.map((field) => ({ field, lo: 0, width: 1 }));
    return slices
      .map((slice) => (slice.field.endsWith("$") ? slice : { ...slice, role: "validity" as const }))
      .reverse();
  }

  #placeBits(gress: Gress, bits: readonly FieldInfo[]): void {
    const slices = bits.map(({ name }) => ({ field: name, lo: 0, width: 1 }));
    this.#place(gress, slices, slices.length, false);
  }

  /** Places the words of a header, counted from its end: within a word, each run of used bits shares containers. */
  #packHeader(
    gress: Gress,
    fields: readonly FieldInfo[],
    isUsed: (name: string) => boolean,
    isAlone: (name: string) => boolean,
  ): void {
    const cuts = wordCuts(fields);
    let run: Bits[] = [];
    let runBits = 0;
    const flush = () => {
      if (run.length > 0) this.#place(gress, run, runBits, false);
      run = [];
      runBits = 0;
    };
    for (const field of fields) {
      if (field.width === 0) continue;
      if (!isUsed(field.name)) {
        flush();
        this.#own(gress, field, true);
        continue;
      }
      if (isAlone(field.name)) {
        flush();
        this.#own(gress, field, false);
        continue;
      }
      // Cut the field where words begin.
      let start = field.offset;
      const end = field.offset + field.width;
      while (start < end) {
        const wordEnd = defined(cuts.find((cut) => cut > start));
        const stop = Math.min(end, wordEnd);
        run.push({ field: field.name, lo: end - stop, width: stop - start });
        runBits += stop - start;
        if (stop === wordEnd) flush();
        start = stop;
      }
    }
    flush();
  }

  #own(gress: Gress, field: FieldInfo, tagalong: boolean): void {
    let rest = field.width;
    while (rest > 0) {
      const bits = Math.min(rest, WORD_BITS);
      rest -= bits;
      this.#place(gress, [{ field: field.name, lo: rest, width: bits }], bits, tagalong);
    }
  }

  /** Smallest containers for a run of at most one word: 24 bits take 16 and 8. */
  #place(gress: Gress, slices: readonly Bits[], bits: number, tagalong: boolean): void {
    let queue = [...slices];
    let rest = bits;
    while (rest > 0) {
      const size: ContainerSize = rest > 24 ? 32 : rest > 8 ? 16 : 8;
      const take = Math.min(rest, size);
      const here: Bits[] = [];
      let room = take;
      const later: Bits[] = [];
      for (const slice of queue) {
        if (room >= slice.width) {
          here.push(slice);
          room -= slice.width;
        } else if (room > 0) {
          here.push({ ...slice, lo: slice.lo + slice.width - room, width: room });
          later.push({ ...slice, width: slice.width - room });
          room = 0;
        } else later.push(slice);
      }
      this.#add(gress, size, here, tagalong);
      queue = later;
      rest -= take;
    }
  }

  /** @param bits from the highest one on, side by side at the low end of the container */
  #add(gress: Gress, size: ContainerSize, bits: readonly Bits[], tagalong: boolean): void {
    let at = bits.reduce((sum, { width }) => sum + width, 0);
    const slices = bits.map((slice): ContainerSlice => {
      at -= slice.width;
      return { ...slice, at };
    });
    const container: Container = {
      id: this.#containers.length,
      size,
      gress,
      tagalong,
      slices,
      overlays: this.#overlay(gress, size, slices, tagalong),
    };
    this.#containers.push(container);
    if (tagalong) return;
    for (const slice of slices) {
      const key = `${gress} ${slice.field}`;
      const list = this.#byField.get(key);
      if (list === undefined) this.#byField.set(key, [container]);
      else list.push(container);
    }
  }

  /** By gress, size and kind: containers of headers that have a place of their own, each with the headers that stand in it. */
  readonly #hosts = new Map<string, { readonly id: number; readonly headers: string[] }[]>();
  /** By the same and a header: how many of the first hosts hold a header that is valid together with it. Later guests change nothing. */
  readonly #passed = new Map<string, number>();

  /** A container of the same size whose headers all exclude this one's. */
  #overlay(
    gress: Gress,
    size: ContainerSize,
    slices: readonly Bits[],
    tagalong: boolean,
  ): number | undefined {
    const info = this.model.fields.get(defined(slices[0]).field);
    if (info === undefined || info.metadata) return undefined;
    const { header } = info;
    const key = `${gress} ${size} ${tagalong}`;
    const hosts = this.#hosts.get(key) ?? [];
    this.#hosts.set(key, hosts);
    let at = this.#passed.get(`${key} ${header}`) ?? 0;
    const excludes = ({ headers }: { readonly headers: readonly string[] }) =>
      headers.every((name) => this.model.parser.exclusiveHeaders(name, header));
    while (at < hosts.length && !excludes(defined(hosts[at]))) at++;
    this.#passed.set(`${key} ${header}`, at);
    const host = hosts[at];
    if (host === undefined) hosts.push({ id: this.#containers.length, headers: [header] });
    else host.headers.push(header);
    return host?.id;
  }
}

/**
 * Bit positions where words end, in ascending order. Words are counted from the end of the header. A field of at most a
 * word stays in one word; a longer field fills the rest of a word and continues in the next.
 */
function wordCuts(fields: readonly FieldInfo[]): number[] {
  let at = fields.reduce((sum, field) => sum + field.width, 0);
  const cuts = [at];
  let used = 0;
  for (const field of [...fields].reverse()) {
    let rest = field.width;
    if (rest <= WORD_BITS && used + rest > WORD_BITS) {
      cuts.push(at);
      used = 0;
    }
    while (rest > 0) {
      const take = Math.min(rest, WORD_BITS - used);
      at -= take;
      rest -= take;
      used += take;
      if (used === WORD_BITS) {
        cuts.push(at);
        used = 0;
      }
    }
  }
  return cuts.sort((a, b) => a - b);
}

/** Containers of one size in use, and the bits of fields in them. */
export interface PhvUse {
  readonly containers: number;
  readonly bits: number;
  readonly bitsIngress: number;
  readonly bitsEgress: number;
}

/** Containers and bits in use by size; containers that share a place count once. */
export function phvUse(layout: PhvLayout, tagalong: boolean): Readonly<Record<ContainerSize, PhvUse>> {
  const use = (size: ContainerSize): PhvUse => {
    const all = layout.containers.filter((c) => c.size === size && c.tagalong === tagalong);
    const own = all.filter((c) => c.overlays === undefined);
    const bitsOf = (list: readonly Container[]) =>
      list.reduce((sum, c) => sum + c.slices.reduce((bits, slice) => bits + slice.width, 0), 0);
    return {
      containers: own.length,
      bits: bitsOf(own),
      bitsIngress: bitsOf(own.filter((c) => c.gress === "ingress")),
      bitsEgress: bitsOf(own.filter((c) => c.gress === "egress")),
    };
  };
  return { 8: use(8), 16: use(16), 32: use(32) };
}
