/**
 * Lookups, one function a table, spelled out for the table's key: `NAME(x, k0, k1, ...)` gives the entry's
 * number or -1. The data structures are those of ../tables.
 */
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

/** Probes an ExactIndex for words; leaves through `found(entry)` or, when there is none, `missed`. */
function probe(out: Emitter, index: string, words: readonly string[], missed: string): void {
  const stride = words.length;
  out.line(`const slots = ${index}.slots, mask = ${index}.mask, keys = ${index}.keys;`);
  out.line(hash(words));
  out.open("for (h &= mask; ; h = h + 1 & mask)");
  out.line("const e = slots[h] - 1;");
  out.line(`if (e < 0) ${missed}`);
  const base = stride === 1 ? "e" : "b";
  if (stride > 1) out.line(`const b = e * ${stride};`);
  const same = words.map((w, i) => `keys[${base}${i === 0 ? "" : ` + ${i}`}] === ${w}`).join(" && ");
  out.line(`if (${same}) return e;`);
  out.close();
}

export function writeLookup(name: string, shape: KeyShape): string {
  const out = new Emitter();
  out.open(
    `function ${name}(x${keys(shape)
      .map((k) => `, ${k}`)
      .join("")})`,
  );
  switch (shape.index) {
    case "exact":
      probe(out, "x", keys(shape), "return -1;");
      break;
    case "trie":
      out.line("const nodes = x.nodes;");
      out.line(`let k = k0 << ${32 - shape.fields[0]!.width}, n = 0;`);
      out.open("for (;;)");
      out.line("n = nodes[n << 4 | k >>> 28];");
      out.line("if (n <= 0) return -n - 1;");
      out.line("k <<= 4;");
      out.close();
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
    probe(out, "x", all, "return -1;");
    out.close();
  }
  return out.toString();
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
  return conditions.length === 0 ? "true" : conditions.join(" && ");
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
  out.line("const groups = x.groups, priorities = x.priorities, next = x.next;");
  out.line("let best = -1, priority = -Infinity;");
  out.open("for (let g = 0; g < groups.length; g++)");
  out.line("const group = groups[g], m = group.mask, slots = group.slots, hashMask = group.hashMask;");
  out.line("if (best >= 0 && group.best < priority) break;");
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
  out.line("return best;");
}
