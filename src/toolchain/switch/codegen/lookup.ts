/**
 * Lookups, one function for each table, generated for the key of the table: `NAME(x, k0, k1, ...)` returns the number of the
 * entry or -1. The data structures are those of ../tables. `record` is the number of words of an entry's record.
 */
import { defined } from "../../../base/index.js";
import { PREFIX_WORDS, STEP } from "../tables/prefix-trie.js";
import { HASH_FACTOR, type KeyShape } from "../tables/shape.js";
import { Emitter } from "./emitter.js";

function keys(shape: KeyShape): string[] {
  return Array.from({ length: shape.words }, (_, i) => `k${i}`);
}

/** Statements that leave the hash of the words in `h` (the same steps as `hashWords`). */
function hash(words: readonly string[]): string {
  let text = "0";
  words.forEach((w, i) => {
    text = i === 0 ? `Math.imul(${w}, ${HASH_FACTOR})` : `Math.imul(${text} ^ ${w}, ${HASH_FACTOR})`;
  });
  return `let h = ${text}; h ^= h >>> 15;`;
}

/** Probes the ExactIndex `x` for words. */
function probe(out: Emitter, words: readonly string[], record: number): void {
  out.line(`const slots = x.slots, mask = x.mask;`);
  out.line(hash(words));
  out.open("for (h &= mask; ; h = h + 1 & mask)");
  out.line(`const b = h * ${1 + words.length + record}, e = slots[b];`);
  out.line("if (e === 0) return -1;");
  const same = words.map((w, i) => `slots[b + ${i + 1}] === ${w}`).join(" && ");
  out.line(`if (${same}) { x.found = b + ${words.length + 1}; return e - 1; }`);
  out.close();
}

/** Follows the PrefixTrie `x`. */
function follow(out: Emitter, width: number, record: number): void {
  out.line("const slots = x.slots;");
  out.line(`const k = k0 << ${32 - width};`);
  out.line("let shift = x.shift, n = slots[x.first + (k >>> shift)];");
  out.open("while (n > 0)");
  out.open("if ((n & 1) === 1)");
  out.line(`const records = x.records, b = (n >> 1) * ${PREFIX_WORDS + record};`);
  out.line("if (((k ^ records[b]) & records[b + 1]) === 0) return n >> 1;");
  out.line("n = records[b + 2];");
  out.line("break;");
  out.close();
  out.line(`shift -= ${STEP};`);
  out.line(`n = slots[(n << ${STEP - 1}) + (k >>> shift & ${(1 << STEP) - 1})];`);
  out.close();
  out.line("return -n - 1;");
}

export function writeLookup(name: string, shape: KeyShape, record: number): string {
  const out = new Emitter();
  out.open(
    `function ${name}(x${keys(shape)
      .map((k) => `, ${k}`)
      .join("")})`,
  );
  switch (shape.index) {
    case "exact":
      probe(out, keys(shape), record);
      break;
    case "trie":
      follow(out, defined(shape.fields[0]).width, record);
      break;
    case "prefix": {
      out.line("const lengths = x.lengths, masks = x.masks, count = x.count, exact = x.exact;");
      out.open("for (let i = 0; i < count; i++)");
      const words = keys(shape).map((k, i) => `${k} & masks[i * ${shape.words} + ${i}]`);
      out.line(`const e = ${name}_exact(exact, ${[...words, "lengths[i]"].join(", ")});`);
      out.line("if (e >= 0) return e;");
      out.close();
      out.line("return -1;");
      break;
    }
    case "ternary":
      writeTernary(out, shape);
      break;
  }
  out.close();
  if (shape.index === "prefix") {
    const all = [...keys(shape), `k${shape.words}`];
    out.open(`function ${name}_exact(x, ${all.join(", ")})`);
    probe(out, all, record);
    out.close();
  }
  return out.toString();
}

/**
 * The record of the entry `e` that a lookup in `index` found last: an array and the first word of it.
 * @param record words of a record
 */
export function recordPlace(
  shape: KeyShape,
  record: number,
  index: string,
  e: string,
): { words: string; at: string } {
  // Without a key the only entry is in the first slot.
  if (shape.words === 0) return { words: `${index}.slots`, at: "1" };
  switch (shape.index) {
    case "exact":
      return { words: `${index}.slots`, at: `${index}.found` };
    case "prefix":
      return { words: `${index}.exact.slots`, at: `${index}.exact.found` };
    case "trie":
      return { words: `${index}.records`, at: `${e} * ${PREFIX_WORDS + record} + ${PREFIX_WORDS}` };
    case "ternary":
      return { words: `${index}.records`, at: `${e} * ${record}` };
  }
}

/** Condition that the range fields of the entry at base `b` hold the key. */
function inRanges(shape: KeyShape): string {
  const conditions = shape.fields
    .filter((field) => field.kind === "range")
    .map((field) => {
      const at = (array: string, i: number) => `${array}[b + ${field.at + i}]`;
      const key = (i: number) => `(k${field.at + i} ^ -2147483648)`;
      let low = `${at("lows", 0)} <= ${key(0)}`;
      let high = `${key(0)} <= ${at("highs", 0)}`;
      for (let i = 1; i < field.words; i++) {
        low = `(${at("lows", i)} < ${key(i)} || ${at("lows", i)} === ${key(i)} && ${low})`;
        high = `(${key(i)} < ${at("highs", i)} || ${key(i)} === ${at("highs", i)} && ${high})`;
      }
      return `${low} && ${high}`;
    });
  return conditions.join(" && ");
}

function writeTernary(out: Emitter, shape: KeyShape): void {
  const all = keys(shape);
  const n = shape.words;
  const ranges = inRanges(shape);
  const at = (i: number) => (i === 0 ? "b" : `b + ${i}`);
  out.line("const values = x.values, masks = x.masks;");
  if (shape.ranges) out.line("const lows = x.lows, highs = x.highs;");
  out.open("if (x.few)");
  out.line("const order = x.order, count = x.count;");
  out.open("for (let i = 0; i < count; i++)");
  out.line(`const e = order[i], b = e * ${n};`);
  const same = all.map((k, i) => `(${k} & masks[${at(i)}]) === values[${at(i)}]`).join(" && ");
  out.line(`if (${same}${shape.ranges ? ` && ${ranges}` : ""}) return e;`);
  out.close();
  out.line("return -1;");
  out.close();
  out.line("const blocks = x.groups.blocks, priorities = x.priorities, next = x.next;");
  out.line("let best = -1, priority = -Infinity;");
  out.open("for (let k = 0; k < blocks.length; k++)");
  out.line("const groups = blocks[k];");
  out.open("for (let g = 0; g < groups.length; g++)");
  out.line("const group = groups[g], m = group.mask, slots = group.slots, hashMask = group.hashMask;");
  out.line("if (best >= 0 && group.best < priority) return best;");
  all.forEach((k, i) => {
    out.line(`const j${i} = ${k} & m[${i}];`);
  });
  out.line(hash(all.map((_, i) => `j${i}`)));
  out.open("for (h &= hashMask; ; h = h + 1 & hashMask)");
  out.line("let e = slots[h] - 1;");
  out.line("if (e < 0) break;");
  out.line(`let b = e * ${n};`);
  out.line(`if (${all.map((_, i) => `values[${at(i)}] !== j${i}`).join(" || ")}) continue;`);
  if (shape.ranges) out.line(`while (e >= 0 && !(${ranges})) { e = next[e] - 1; b = e * ${n}; }`);
  out.line(
    "if (e >= 0 && (best < 0 || priorities[e] > priority || priorities[e] === priority && e < best)) {",
  );
  out.line("  best = e; priority = priorities[e];");
  out.line("}");
  out.line("break;");
  out.close();
  out.close();
  out.close();
  out.line("return best;");
}
