/**
 * Checks a PHV allocation rule by rule, from the model and the target alone: it shares types with the allocator, and no code. A field
 * that the allocation names as unallocated is left out of the rules on places and operations.
 */
import type { Access, ActionModel, FieldInfo, Gress, Operation, Unit } from "../model/model.js";
import {
  type AllocatedContainer,
  type AllocationInput,
  containerName,
  type PhvAllocation,
  type PhvRule,
  type PlacedSlice,
  TO_DEPARSER,
} from "./allocation.js";
import { DROP_SESSION, isAtEnd } from "./pieces.js";
import { ghostViolations } from "./verify-ghost.js";
import { type Placed, sumViolations } from "./verify-sums.js";
import { withZeros } from "./zeros.js";

/** A rule that an allocation breaks, in words. */
export interface PhvViolation {
  readonly rule: PhvRule;
  readonly detail: string;
}

const GRESSES = ["ingress", "egress"] as const;
const SOURCES = 2;

/** All violations; empty when the allocation holds. */
export function verifyPhv(input: AllocationInput, allocation: PhvAllocation): PhvViolation[] {
  const model = withZeros(input.model, allocation);
  const verification = new Verification({ ...input, model }, allocation);
  verification.checkDevice();
  for (const gress of GRESSES) {
    verification.checkPlaces(gress);
    verification.checkBytes(gress);
    verification.checkActions(gress);
    verification.checkStages(gress);
  }
  for (const container of allocation.containers) {
    if (container.isZero === true) {
      verification.checkSentZeros(container);
      continue;
    }
    if (container.slices.some(({ isParked }) => isParked === true)) {
      verification.checkParked(container);
      continue;
    }
    verification.checkMoves(container);
    verification.checkOverlays(container);
    verification.checkZeros(container);
    verification.checkKind(container);
    verification.checkRequests(container);
  }
  const ofGhost = ghostViolations(model, allocation).map((detail) => ({ rule: "parser" as const, detail }));
  return [...verification.violations, ...ofGhost];
}

class Verification {
  readonly violations: PhvViolation[] = [];
  /** Gress and field, to the slices in containers. */
  readonly #places = new Map<string, { container: AllocatedContainer; slice: PlacedSlice }[]>();
  readonly #missing = new Set<string>();
  readonly #undefinedReads = new Map<string, boolean>();
  readonly #units = new Map<Gress, readonly Unit[]>();
  /** Fields that the parser or a table of a gress sets, once they were asked for. */
  readonly #set: Partial<Record<Gress, ReadonlySet<string>>> = {};
  /** By unit, once it was asked for. */
  readonly #accesses = new Map<number, readonly Access[]>();

  constructor(
    readonly input: AllocationInput,
    readonly allocation: PhvAllocation,
  ) {
    for (const container of allocation.containers)
      for (const slice of container.slices) {
        if (slice.isParked === true) continue;
        const key = `${container.gress} ${slice.field}`;
        this.#places.set(key, [...(this.#places.get(key) ?? []), { container, slice }]);
      }
    for (const { gress, fields } of allocation.unallocated)
      for (const field of fields) this.#missing.add(`${gress} ${field}`);
  }

  #wrong(rule: PhvRule, detail: string): void {
    this.violations.push({ rule, detail });
  }

  #unitsOf(gress: Gress): readonly Unit[] {
    const known = this.#units.get(gress) ?? this.input.model.units.filter((unit) => unit.gress === gress);
    this.#units.set(gress, known);
    return known;
  }

  /** Each container is one of the device, once, in its group, with the gress of its block. */
  checkDevice(): void {
    const { arrangement } = this.input.target.phv;
    if (arrangement === undefined) return;
    const seen = new Set<string>();
    const gressOf = new Map<string, Gress>();
    for (const container of this.allocation.containers) {
      const { kind, size, index, group, gress, slices } = container;
      const name = containerName(container);
      if (seen.has(name)) this.#wrong("container", `${name} is given twice`);
      seen.add(name);
      const inGroup = kind === "tagalong" ? arrangement.collection[size] : arrangement[kind][size];
      const groups = kind === "tagalong" ? (arrangement.collections ?? 0) : arrangement.groups[size];
      if (index < 0 || index >= inGroup * groups) this.#wrong("container", `the device has no ${name}`);
      else if (group !== Math.floor(index / inGroup))
        this.#wrong("container", `${name} is not in group ${group}`);
      for (const { field, at, width } of slices)
        if (at < 0 || width <= 0 || at + width > size) this.#wrong("container", `${field} is beyond ${name}`);
      if (kind === "dark") continue;
      if (
        arrangement.first_groups_fixed &&
        kind === "normal" &&
        group < GRESSES.length &&
        gress !== GRESSES[group]
      )
        this.#wrong("gress", `${name} is for ${GRESSES[group]} alone`);
      const step = kind === "tagalong" ? inGroup : arrangement.gress_block[size];
      const isAlone = kind !== "tagalong" && arrangement.last_block_alone && index >= inGroup * groups - step;
      const block =
        kind === "tagalong"
          ? `collection ${group}`
          : isAlone
            ? name
            : `${kind} ${size} ${Math.floor(index / step)}`;
      if ((gressOf.get(block) ?? gress) !== gress)
        this.#wrong("gress", `${name} is in a block of the other gress`);
      gressOf.set(block, gress);
    }
  }

  #accessesOf(unit: Unit): readonly Access[] {
    const known = this.#accesses.get(unit.id) ?? accessesOf(unit);
    this.#accesses.set(unit.id, known);
    return known;
  }

  /** Every bit that tables touch has one place, and so has every byte that the deparser sends. */
  checkPlaces(gress: Gress): void {
    const { model } = this.input;
    const needed = new Map<string, { lo: number; width: number }[]>();
    const need = ({ field, lo, width }: Access) =>
      needed.set(field, [...(needed.get(field) ?? []), { lo, width }]);
    for (const unit of this.#unitsOf(gress)) for (const access of this.#accessesOf(unit)) need(access);
    for (const { name, metadata, fields } of model.headers.values())
      if (!metadata && model.parser.isSent(gress, name) && model.parser.isCarried(gress, name))
        for (const field of fields) need({ field, lo: 0, width: model.fields.get(field)?.width ?? 0 });
    for (const [field, parts] of needed) {
      const info = model.fields.get(field);
      if (info === undefined || this.#missing.has(`${gress} ${field}`)) continue;
      const count = new Uint8Array(info.width);
      for (const { slice } of this.#places.get(`${gress} ${field}`) ?? [])
        for (let bit = slice.lo; bit < slice.lo + slice.width; bit++) count[bit]!++;
      for (const bit of this.#bypassed(gress, info)) count[bit]!++;
      const wrong = parts.flatMap(({ lo, width }) =>
        Array.from({ length: Math.min(width, info.width - lo) }, (_, i) => lo + i).filter(
          (bit) => count[bit] !== 1,
        ),
      );
      if (wrong.length > 0)
        this.#wrong("place", `${gress} ${field}: bit ${wrong[0]} has ${count[wrong[0]!]} places`);
    }
    this.#checkBypasses(gress);
  }

  /** Bits of a field that go past the pipeline. */
  #bypassed(gress: Gress, { header, offset, width, metadata }: FieldInfo): number[] {
    const bits: number[] = [];
    if (metadata) return bits;
    for (const one of this.allocation.bypasses)
      if (one.gress === gress && one.header === header)
        for (let bit = 0; bit < width; bit++) {
          const byte = (offset + width - 1 - bit) >> 3;
          if (byte >= one.firstByte && byte < one.firstByte + one.bytes) bits.push(bit);
        }
    return bits;
  }

  #checkBypasses(gress: Gress): void {
    const { model, target } = this.input;
    const { bypasses: most, bypass_bytes: bytes } = target.phv.arrangement ?? {};
    const here = this.allocation.bypasses.filter((one) => one.gress === gress);
    const touched = new Set(
      this.#unitsOf(gress).flatMap((unit) => this.#accessesOf(unit).map(({ field }) => field)),
    );
    for (const one of here) {
      if (one.bytes > (bytes ?? 0))
        this.#wrong("container", `a bypass of ${one.header} has ${one.bytes} bytes`);
      if (model.parser.isMade(one.header))
        this.#wrong("parser", `${one.header} does not always come from the packet`);
      const together = here.filter(({ header }) => !model.parser.exclusiveHeaders(header, one.header)).length;
      if (together > (most ?? 0)) this.#wrong("container", `a packet has ${together} bypasses`);
      for (const name of model.headers.get(one.header)?.fields ?? []) {
        const info = model.fields.get(name);
        if (info !== undefined && touched.has(name) && this.#bypassed(gress, info).length > 0)
          this.#wrong("kind", `a table touches ${name}, which goes past the pipeline`);
      }
    }
  }

  /** A header's bits in a container are neighbour bytes of it in their order, whole, and fill it. */
  checkBytes(gress: Gress): void {
    const { model } = this.input;
    for (const container of this.allocation.containers.filter((one) => one.gress === gress)) {
      if (container.isZero === true) continue;
      const byHeader = new Map<string, { info: FieldInfo; slice: PlacedSlice }[]>();
      for (const slice of container.slices) {
        const info = slice.isParked === true ? undefined : model.fields.get(slice.field);
        if (info === undefined || info.metadata || !model.parser.isCarried(gress, info.header)) continue;
        byHeader.set(info.header, [...(byHeader.get(info.header) ?? []), { info, slice }]);
      }
      for (const [header, list] of byHeader) {
        const sums = new Set(list.map(({ info, slice }) => info.offset + info.width - slice.lo + slice.at));
        const [sum] = sums;
        const bits = list.reduce((total, { slice }) => total + slice.width, 0);
        const inHeader = Math.min(
          container.size,
          (model.headers.get(header)?.bits ?? 0) + container.size - sum!,
        );
        const name = containerName(container);
        if (sums.size > 1 || sum! % 8 !== 0)
          this.#wrong("parser", `${header} in ${name}: the bytes are not neighbours in their order`);
        else if (model.parser.isSent(gress, header) && bits !== inHeader)
          this.#wrong("deparser", `${header} in ${name}: ${bits} bits, not ${inHeader}: no whole bytes`);
        const sent = model.parser.isSent(gress, header);
        if (sent && list.some(({ slice }) => slice.live.to !== TO_DEPARSER))
          this.#wrong("deparser", `${header} in ${name} is not there for the deparser`);
      }
    }
  }

  /** Bits of two values at one place: no packet has both, or one is over before the other begins. */
  checkOverlays(container: AllocatedContainer): void {
    const { slices, gress } = container;
    for (const [i, a] of slices.entries())
      for (const b of slices.slice(i + 1)) {
        if (a.at >= b.at + b.width || b.at >= a.at + a.width || this.#isExclusive(gress, a, b)) continue;
        if (isDuring(a, b) || isDuring(b, a)) continue;
        if (!this.#isAfter(gress, a, b) && !this.#isAfter(gress, b, a))
          this.#wrong("overlay", `${a.field} and ${b.field} need ${containerName(container)} at one time`);
      }
  }

  /** A dark container has one value, which leaves the same bits of one other container of the group meanwhile. */
  checkParked(container: AllocatedContainer): void {
    const { kind, size, group, gress, slices } = container;
    const [parked] = slices;
    const name = containerName(container);
    const homes = this.allocation.containers.filter(
      (one) =>
        one.gress === gress &&
        one.size === size &&
        one.group === group &&
        one.slices.some(
          ({ field, lo, width, at, away }) =>
            field === parked!.field &&
            lo === parked!.lo &&
            width === parked!.width &&
            at === parked!.at &&
            away?.from === parked!.live.from &&
            away.to === parked!.live.to,
        ),
    );
    if (kind !== "dark" || slices.length !== 1)
      this.#wrong("kind", `${name} has more than one value of others`);
    if (homes.length !== 1)
      this.#wrong("overlay", `${parked!.field} in ${name} left no container of its group`);
  }

  /** What leaves its container is not touched meanwhile, and is in a dark one; what has its place is touched meanwhile alone. */
  checkMoves({ slices, gress }: AllocatedContainer): void {
    const { stagesOf, target } = this.input;
    const isWithin = (unit: Unit, { field, lo, width }: PlacedSlice, from: number, to: number) => {
      const meets = (one: Access) => one.field === field && one.lo < lo + width && lo < one.lo + one.width;
      const stages = stagesOf(unit.id);
      const reads = readsOf(unit).some(meets) && !stages.every((stage) => from < stage && stage <= to);
      const writes =
        unit.actions.some((action) => action.writes.some(meets)) &&
        !stages.every((stage) => from < stage && stage < to);
      return !reads && !writes;
    };
    for (const outer of slices) {
      const { away } = outer;
      if (away === undefined) continue;
      const isParked = this.allocation.containers.some(
        (one) =>
          one.gress === gress &&
          one.slices.some(
            (slice) => slice.isParked === true && slice.field === outer.field && slice.lo === outer.lo,
          ),
      );
      if (!isParked || away.to >= target.stages)
        this.#wrong("overlay", `${outer.field} leaves its container for no other`);
      for (const unit of this.#unitsOf(gress)) {
        if (!isWithin(unit, outer, -2, away.from))
          this.#wrong("overlay", `${unit.label} touches ${outer.field} while another value has its place`);
        for (const inner of slices.filter(
          (one) => isDuring(outer, one) && one.at < outer.at + outer.width && outer.at < one.at + one.width,
        ))
          if (!isWithin(unit, inner, away.from, away.to))
            this.#wrong("overlay", `${unit.label} touches ${inner.field} before or after it has its place`);
      }
    }
  }

  /** A container of zeros has parts of fields that neither the parser nor a table touches, at the bits that they have in their bytes. */
  checkSentZeros({ slices, gress }: AllocatedContainer): void {
    const { model } = this.input;
    const touched = new Set(
      this.#unitsOf(gress).flatMap((unit) => accessesOf(unit).map(({ field }) => field)),
    );
    for (const { field, lo, width, at } of slices) {
      if (field === DROP_SESSION) continue;
      const info = model.fields.get(field);
      if (
        info === undefined ||
        info.metadata ||
        model.parser.isParsed(gress, info.header) ||
        touched.has(field)
      )
        this.#wrong("kind", `${field} is not always zero, and stands in a container that nothing writes`);
      else if ((info.offset + info.width - lo + at) % 8 !== 0 || at + width > 8)
        this.#wrong("parser", `${field} in a container of zeros does not stand as in its byte`);
    }
  }

  /** Every table that touches a value after a table gave it its zero is in a later stage. */
  checkZeros({ slices, gress }: AllocatedContainer): void {
    const { model, stagesOf } = this.input;
    for (const slice of slices)
      for (const id of slice.zeroedBy ?? [])
        for (const unit of this.#unitsOf(gress)) {
          if (!model.flow.reaches(id, unit.id) || !this.#accessesOf(unit).some((one) => overlap(slice, one)))
            continue;
          const last = Math.max(...stagesOf(id));
          if (stagesOf(unit.id).some((stage) => stage <= last))
            this.#wrong(
              "stage",
              `${unit.label} touches ${slice.field} not after ${model.units[id]!.label} sets it to zero`,
            );
        }
  }

  #isExclusive(gress: Gress, a: Access, b: Access): boolean {
    const { model, requests } = this.input;
    const [x, y] = [model.fields.get(a.field), model.fields.get(b.field)];
    if (requests.excludes(gress, a.field, b.field) || this.#neverMeet(gress, a, b)) return true;
    if (x === undefined || y === undefined || x.metadata || y.metadata) return false;
    if (model.parser.exclusiveHeaders(x.header, y.header)) return true;
    const isSent = [x, y].every(({ header }) => model.parser.isSent(gress, header));
    return model.parser.parsedApart(x.header, y.header) && !isSent;
  }

  /** Tables alone have both values, and no way through the control flow passes a table of each: the second finds a zero. */
  #neverMeet(gress: Gress, a: Access, b: Access): boolean {
    const { model } = this.input;
    const { flow, parser } = model;
    for (const { field } of [a, b]) {
      const info = model.fields.get(field);
      if (info === undefined || info.intrinsic || field.endsWith("$")) return false;
      if (!info.metadata && parser.isCarried(gress, info.header)) return false;
      if (model.forDeparser.has(field) || parser.sets(gress).has(field) || parser.reads(gress).has(field))
        return false;
    }
    const has = (list: readonly Access[], bits: Access) => list.some((one) => overlap(bits, one));
    /** By unit: the actions that touch the bits; `all` where the unit reads them before. */
    const touching = (bits: Access) =>
      this.#unitsOf(gress).flatMap((unit) => {
        const all = has(keysOf(unit), bits);
        const actions = unit.actions.flatMap(({ reads, writes }, i) =>
          all || has(reads, bits) || has(writes, bits) ? [i] : [],
        );
        return all || actions.length > 0 ? [{ unit, all, actions }] : [];
      });
    const [ofA, ofB] = [touching(a), touching(b)];
    return ofA.every((x) =>
      ofB.every((y) => {
        if (x.unit === y.unit) return !x.all && !y.all && !x.actions.some((i) => y.actions.includes(i));
        const leads = (from: typeof x, to: typeof y) =>
          from.all
            ? flow.reaches(from.unit.id, to.unit.id)
            : from.actions.some((i) => flow.leads(from.unit.id, i, to.unit.id));
        return !leads(x, y) && !leads(y, x);
      }),
    );
  }

  /** `second` is written first where `first` is not read or written any more, and no packet reads it before. */
  #isAfter(gress: Gress, first: PlacedSlice, second: PlacedSlice): boolean {
    const { model, requests, stagesOf } = this.input;
    const [early, later] = [first.field, second.field];
    if (isAtEnd(later)) return first.live.to < TO_DEPARSER;
    const info = model.fields.get(early);
    const outlives =
      model.forDeparser.has(early) ||
      early.endsWith("$") ||
      model.parser.reads(gress).has(early) ||
      (info !== undefined && !info.metadata && model.parser.isSent(gress, info.header));
    const other = model.fields.get(later);
    if (outlives || other === undefined || other.intrinsic) return false;
    const isMade = !other.metadata && model.parser.isMadeByTables(gress, other.header);
    if (!other.metadata && !isMade && model.parser.isCarried(gress, other.header)) return false;
    const units = this.#unitsOf(gress);
    const writers = units.filter(({ actions }) =>
      actions.some(({ writes }) => writes.some((write) => overlap(second, write))),
    );
    if (writers.length === 0 && !isMade) return false;
    const begin = Math.min(...writers.flatMap(({ id }) => stagesOf(id)));
    const isOver = units.every((unit) => {
      const reads = readsOf(unit).some(({ field }) => field === early);
      const writes = unit.actions.some((one) => one.writes.some(({ field }) => field === early));
      if (!reads && !writes) return true;
      const stages = stagesOf(unit.id);
      return stages.length > 0 && stages.every((stage) => (writes ? stage < begin : stage <= begin));
    });
    const isRead = units.some((unit) => readsOf(unit).some(({ field }) => field === early));
    if (!isOver || !isRead) return false;
    const isOpen =
      !requests.zeroesMetadata &&
      !model.firstZeros.has(later) &&
      other.metadata &&
      !later.endsWith("$") &&
      !model.forDeparser.has(later) &&
      !model.parser.sets(gress).has(later);
    return isOpen || requests.of(gress, later)?.isSetFirst === true || !this.#isReadUnset(gress, second);
  }

  /** Some way through the control flow reads the bits before all of them are written. */
  #isReadUnset(gress: Gress, slice: PlacedSlice): boolean {
    const { field, lo, width } = slice;
    const key = `${gress} ${field} ${lo} ${width}`;
    const known = this.#undefinedReads.get(key);
    if (known !== undefined) return known;
    const { flow, units } = this.input.model;
    const start = this.#unitsOf(gress)[0];
    const open = start === undefined ? [] : [start.id];
    const reached = new Set(open);
    let found = false;
    for (const id of open) {
      const unit = units[id]!;
      if (readsOf(unit).some((read) => overlap(slice, read))) found = true;
      for (const next of flow.successors(id)) {
        const passing = unit.actions.filter((_, action) => flow.leads(id, action, next));
        const sets = ({ writes }: ActionModel) =>
          writes.some(
            (write) => write.field === field && write.lo <= lo && lo + width <= write.lo + write.width,
          );
        if (reached.has(next) || (passing.length > 0 && passing.every(sets))) continue;
        reached.add(next);
        open.push(next);
      }
    }
    this.#undefinedReads.set(key, found);
    return found;
  }

  /** What a kind of container cannot do. */
  checkKind(container: AllocatedContainer): void {
    const { kind, gress, slices } = container;
    if (kind === "normal") return;
    const name = containerName(container);
    const { model } = this.input;
    for (const unit of this.#unitsOf(gress)) {
      for (const slice of slices) {
        if (kind === "tagalong" && this.#accessesOf(unit).some((access) => overlap(slice, access)))
          this.#wrong("kind", `${unit.label} touches ${slice.field} in ${name}`);
        if (kind === "dark" && keysOf(unit).some((access) => overlap(slice, access)))
          this.#wrong("kind", `${unit.label} matches ${slice.field} in ${name}`);
      }
      for (const { operations } of unit.actions)
        for (const op of operations)
          for (const slice of slices.filter((one) => overlap(one, op.write))) {
            const live = slices.filter((one) => one !== slice && !this.#isExclusive(gress, one, slice));
            const isWhole = ({ write }: Operation, { field, lo, width }: PlacedSlice) =>
              write.field === field && write.lo <= lo && lo + width <= write.lo + write.width;
            const beside = live.filter(
              (one) => areTogether(one, slice) && !operations.some((other) => isWhole(other, one)),
            );
            const whole = isWhole(op, slice);
            if (op.kind !== "set" || op.given === true || !whole || beside.length > 0)
              this.#wrong("kind", `${unit.label} does not set ${name} whole`);
          }
    }
    if (kind !== "dark") return;
    for (const { field } of slices) {
      const info = model.fields.get(field);
      const outside = info === undefined || !info.metadata || info.intrinsic || model.forDeparser.has(field);
      if (outside || model.parser.sets(gress).has(field) || model.parser.reads(gress).has(field))
        this.#wrong("kind", `parser or deparser needs ${field} in ${name}`);
    }
  }

  /** The places of an access. */
  #placed(gress: Gress, { field, lo, width }: Access): Placed[] {
    return (this.#places.get(`${gress} ${field}`) ?? []).flatMap(({ container, slice }) => {
      const low = Math.max(lo, slice.lo);
      const high = Math.min(lo + width, slice.lo + slice.width);
      return low < high
        ? [{ container, slice, lo: low, width: high - low, bit: slice.at + low - slice.lo }]
        : [];
    });
  }

  /** Sources of each instruction, their groups and their places. */
  checkActions(gress: Gress): void {
    for (const unit of this.#unitsOf(gress))
      for (const action of unit.actions) {
        const writes = new Map<AllocatedContainer, Operation[]>();
        for (const op of action.operations) {
          if ([op.write, ...op.sources].some(({ field }) => this.#missing.has(`${gress} ${field}`))) continue;
          for (const { container } of this.#placed(gress, op.write)) {
            const list = writes.get(container) ?? [];
            if (!list.includes(op)) writes.set(container, [...list, op]);
          }
          this.#checkOperation(gress, unit, op);
        }
        for (const [container, operations] of writes) this.#checkInstruction(unit, container, operations);
      }
  }

  #checkOperation(gress: Gress, unit: Unit, op: Operation): void {
    const results = this.#placed(gress, op.write);
    for (const source of op.sources)
      for (const from of this.#placed(gress, source))
        for (const to of results) {
          const first = Math.max(from.lo - source.lo, to.lo - op.write.lo);
          const end = Math.min(from.lo - source.lo + from.width, to.lo - op.write.lo + to.width);
          if (op.kind !== "merge" && first >= end) continue;
          const names = `${source.field} in ${containerName(from.container)} and ${op.write.field} in ${containerName(to.container)}`;
          if (from.container.size !== to.container.size || from.container.group !== to.container.group)
            this.#wrong("sources", `${unit.label}: ${names} are in different groups`);
          const mine = from.bit + first - (from.lo - source.lo);
          const its = to.bit + first - (to.lo - op.write.lo);
          if ((op.kind === "logic" || op.kind === "arithmetic") && mine !== its)
            this.#wrong("alignment", `${unit.label}: ${names} are not at the same bits`);
        }
    if (op.kind !== "arithmetic") return;
    this.#checkSum(gress, unit, op);
    for (const { container, slice } of results) {
      const others = container.slices.filter(
        (one) =>
          one !== slice &&
          one.field !== slice.field &&
          !this.#isInByte(gress, one, slice) &&
          this.#isBeside(gress, one, slice),
      );
      if (others.length > 0)
        this.#wrong(
          "arithmetic",
          `${unit.label}: ${others[0]!.field} is beside ${slice.field} in ${containerName(container)}`,
        );
    }
  }

  #checkSum(gress: Gress, unit: Unit, op: Operation): void {
    const stages = this.input.stagesOf(unit.id);
    const isThere = ({ live, away }: PlacedSlice) =>
      stages.some(
        (stage) =>
          live.from < stage &&
          stage <= live.to &&
          !(away !== undefined && away.from < stage && stage <= away.to),
      );
    const sum = {
      op,
      result: this.#placed(gress, op.write),
      operands: op.sources.map((access) => ({ access, places: this.#placed(gress, access) })),
      beside: ({ container, slice }: Placed) =>
        container.slices.filter(
          (one) =>
            one !== slice &&
            isThere(one) &&
            this.#hasValue(gress, one.field) &&
            !this.#isExclusive(gress, one, slice),
        ),
    };
    for (const detail of sumViolations(sum)) this.#wrong("arithmetic", `${unit.label}: ${detail}`);
  }

  /** Two fields of a packet header that have a byte in common, so that no container has one alone. */
  #isInByte(gress: Gress, a: PlacedSlice, b: PlacedSlice): boolean {
    const { fields, parser } = this.input.model;
    const [x, y] = [fields.get(a.field), fields.get(b.field)];
    if (x === undefined || y === undefined || x.header !== y.header || x.metadata || y.metadata) return false;
    if (!parser.isCarried(gress, x.header)) return false;
    const last = (slice: PlacedSlice) => (slice.at + slice.width - 1) >> 3;
    return a.at >> 3 === last(b) || b.at >> 3 === last(a) || a.at >> 3 === b.at >> 3 || last(a) === last(b);
  }

  /** Both can be there for a packet at one time. */
  #isBeside(gress: Gress, a: PlacedSlice, b: PlacedSlice): boolean {
    return !this.#isExclusive(gress, a, b) && areTogether(a, b);
  }

  /** All that an action does to one container is one instruction: at most two sources, what stays in it included. */
  #checkInstruction(unit: Unit, container: AllocatedContainer, operations: readonly Operation[]): void {
    const { gress, slices } = container;
    const written = slices.filter((slice) => operations.some((op) => overlap(slice, op.write)));
    const stages = this.input.stagesOf(unit.id);
    const kept = slices.filter((slice) => {
      const isWhole = Array.from({ length: slice.width }, (_, i) => slice.lo + i).every((bit) =>
        operations.some(
          ({ write: { field, lo, width } }) => field === slice.field && lo <= bit && bit < lo + width,
        ),
      );
      const isAway = (stage: number) =>
        slice.away !== undefined && slice.away.from < stage && stage <= slice.away.to;
      const isThere = stages.some(
        (stage) => slice.live.from < stage && slice.live.to > stage && !isAway(stage),
      );
      return (
        !isWhole &&
        isThere &&
        this.#hasValue(gress, slice.field) &&
        written.every((one) => !this.#isExclusive(gress, one, slice))
      );
    });
    const sources = new Set(
      operations.flatMap((op) =>
        op.sources.flatMap((source) => this.#sourcesFor(gress, op, source, container).map(containerName)),
      ),
    );
    const hasData = operations.some(({ data }) => data);
    const count =
      sources.size + (hasData ? 1 : 0) + (kept.length > 0 && !sources.has(containerName(container)) ? 1 : 0);
    if (count > SOURCES && operations.every(({ kind }) => kind !== "merge"))
      this.#wrong("sources", `${unit.label}: ${containerName(container)} has ${count} sources`);
  }

  /** False for a field, such as padding, of a header that the gress makes valid where nothing sets it: its bits may change with its neighbours'. */
  #hasValue(gress: Gress, field: string): boolean {
    const { fields, parser } = this.input.model;
    const info = fields.get(field);
    if (info === undefined || info.metadata || parser.isParsed(gress, info.header)) return true;
    this.#set[gress] ??= new Set([
      ...parser.sets(gress),
      ...this.#unitsOf(gress).flatMap(({ actions }) =>
        actions.flatMap(({ writes }) => writes.map((write) => write.field)),
      ),
    ]);
    return this.#set[gress].has(field);
  }

  /** Containers of a source whose bits go to this container. */
  #sourcesFor(
    gress: Gress,
    op: Operation,
    source: Access,
    container: AllocatedContainer,
  ): AllocatedContainer[] {
    const results = this.#placed(gress, op.write).filter((one) => one.container === container);
    return this.#placed(gress, source)
      .filter((from) =>
        results.some((to) => {
          const low = Math.max(from.lo - source.lo, to.lo - op.write.lo);
          return low < Math.min(from.lo - source.lo + from.width, to.lo - op.write.lo + to.width);
        }),
      )
      .map((from) => from.container);
  }

  /** No two tables that can run for one packet set different fields of a container in one stage. */
  checkStages(gress: Gress): void {
    const { flow } = this.input.model;
    const writers = new Map<AllocatedContainer, { unit: Unit; action: number; write: Access }[]>();
    for (const unit of this.#unitsOf(gress))
      for (const [action, { writes }] of unit.actions.entries())
        for (const write of writes)
          for (const { container } of this.#placed(gress, write))
            writers.set(container, [...(writers.get(container) ?? []), { unit, action, write }]);
    for (const [container, list] of writers)
      for (const [i, a] of list.entries())
        for (const b of list.slice(i + 1)) {
          if (a.unit === b.unit || a.write.field === b.write.field) continue;
          const stages = new Set(this.input.stagesOf(a.unit.id));
          if (!this.input.stagesOf(b.unit.id).some((stage) => stages.has(stage))) continue;
          if (!flow.leads(a.unit.id, a.action, b.unit.id) && !flow.leads(b.unit.id, b.action, a.unit.id))
            continue;
          if (isIgnored(a.unit, b.unit) || this.#isExclusive(gress, a.write, b.write)) continue;
          if ([a, b].some(({ write }) => this.#missing.has(`${gress} ${write.field}`))) continue;
          this.#wrong(
            "stage",
            `${a.unit.label} and ${b.unit.label} set ${a.write.field} and ${b.write.field} in ${containerName(container)} in one stage`,
          );
        }
  }

  /** What pragmas ask. */
  checkRequests(container: AllocatedContainer): void {
    const { gress, slices, size, kind } = container;
    const { requests } = this.input;
    const name = containerName(container);
    for (const [i, slice] of slices.entries()) {
      const asked = requests.of(gress, slice.field);
      const others = slices.filter((one) => one.field !== slice.field);
      if (asked?.sizes !== undefined && !asked.sizes.includes(size))
        this.#wrong(
          "pragma",
          `${slice.field} is in ${name}, not in a container of ${asked.sizes.join(", ")} bits`,
        );
      if (asked?.kind !== undefined && kind !== "tagalong" && asked.kind !== kind)
        this.#wrong("pragma", `${slice.field} is in ${name}, which is not ${asked.kind}`);
      if (asked?.isSolitary === true && others.some((one) => this.#isBeside(gress, one, slice)))
        this.#wrong("pragma", `${slice.field} is not alone in ${name}`);
      if (asked?.isAtomic === true && (this.#places.get(`${gress} ${slice.field}`)?.length ?? 0) > 1)
        this.#wrong("pragma", `${slice.field} is in several containers`);
      for (const other of slices.slice(i + 1)) {
        const meet = other.at < slice.at + slice.width && slice.at < other.at + other.width;
        const own = [slice, other].some(({ field }) => requests.of(gress, field)?.hasOwnPlace === true);
        if (meet && (own || requests.keepsApart(gress, slice.field, other.field)))
          this.#wrong("pragma", `${slice.field} and ${other.field} share the bits of ${name}`);
        const isParted =
          requests.parts(gress, slice.field, other.field) && !this.#isInByte(gress, slice, other);
        if (isParted && this.#isBeside(gress, slice, other))
          this.#wrong("pragma", `${slice.field} and ${other.field} are both in ${name}`);
      }
    }
  }
}

/** The value lives while the other one is in a dark container. */
const isDuring = ({ away }: PlacedSlice, { live }: PlacedSlice): boolean =>
  away !== undefined && away.from <= live.from && live.to <= away.to;

const areTogether = (a: PlacedSlice, b: PlacedSlice): boolean =>
  a.live.from < b.live.to && b.live.from < a.live.to && !isDuring(a, b) && !isDuring(b, a);

function keysOf(unit: Unit): Access[] {
  return [
    ...unit.key.map(({ access }) => access),
    ...(unit.condition?.reads ?? []),
    ...unit.hashes.flatMap(({ inputs }) => inputs),
    ...(unit.implementation?.selector?.inputs ?? []),
  ];
}

const readsOf = (unit: Unit): Access[] => [...keysOf(unit), ...unit.actions.flatMap(({ reads }) => reads)];
/** What a unit reads or writes. */
const accessesOf = (unit: Unit): Access[] => [
  ...readsOf(unit),
  ...unit.actions.flatMap(({ writes }) => writes),
];

const overlap = (slice: Access, access: Access): boolean =>
  slice.field === access.field && slice.lo < access.lo + access.width && access.lo < slice.lo + slice.width;

const isIgnored = (a: Unit, b: Unit): boolean => {
  const names = (one: Unit, other: Unit) =>
    one.pragmas.ignored.some((name) => other.table === name || other.table?.endsWith(`.${name}`) === true);
  return names(a, b) || names(b, a);
};
