/**
 * Hash and checksum inputs. BMv2 joins the inputs bit by bit and leaves out fields of invalid headers. So there are two
 * bodies: one with the positions known at load time for when all headers are valid, and a loop over bits otherwise.
 */
import type { bmv2 } from "../../program/index.js";
import { type BitPart, chunk, totalBits } from "./bits.js";
import { Emitter } from "./emitter.js";
import { ExpressionWriter, phv, Unsupported } from "./expression.js";
import type { HeaderSlot, Layout } from "./layout.js";
import { NumberWriter } from "./number.js";

interface Input {
  /** Header whose validity decides; undefined for constants and metadata. */
  readonly header: HeaderSlot | undefined;
  readonly parts: readonly BitPart[];
  /** Maximum number of bytes that the varbits add; those parts have width 0. */
  readonly varbitBytes: number;
}

export interface CalculationCode {
  /** Text of `function NAME(s)`, which returns an int32. */
  readonly text: string;
  /** Maximum length of the input in bytes without payload. */
  readonly bytes: number;
}

/** Algorithms that fold words, and so need no bytes when positions are known. */
const FOLDS: Readonly<Record<string, number>> = { csum16: 16, cksum16: 16, xor16: 16, xor32: 32 };

function inputsOf(
  layout: Layout,
  list: readonly bmv2.CalculationInput[],
  guarded: boolean,
): { inputs: Input[]; payload: boolean } {
  const expressions = new ExpressionWriter({ layout, numbers: new NumberWriter(new Emitter()) });
  const inputs: Input[] = [];
  let payload = false;
  for (const input of list) {
    switch (input.type) {
      case "payload":
        payload = true;
        break;
      case "field": {
        const [header, name] = input.value;
        const field = layout.field(header, name);
        const slot = layout.headers.get(field?.header ?? header);
        if (slot === undefined) throw new Unsupported(`there is no header ${header}`);
        const guard = slot.metadata || !guarded ? undefined : slot;
        if (field?.varbit) {
          inputs.push({
            header: guard,
            parts: [{ words: [phv(field.at)], width: 0 }],
            varbitBytes: field.width / 8,
          });
        } else {
          const { words, range } = expressions.field(input.value);
          inputs.push({ header: guard, parts: [{ words, width: range.width }], varbitBytes: 0 });
        }
        break;
      }
      case "hexstr": {
        const num = expressions.number(input);
        const width = input.bitwidth ?? 4 * input.value.replace(/^0x/, "").length;
        const words = expressions.scope.numbers.cut(num, width);
        inputs.push({ header: undefined, parts: [{ words, width }], varbitBytes: 0 });
        break;
      }
      case "header": {
        const { slot } = expressions.header(input.value);
        const parts = slot.fields.map((field) => ({
          words: Array.from({ length: field.words }, (_, i) => phv(field.at + i)),
          width: field.varbit ? 0 : field.width,
        }));
        inputs.push({
          header: slot.metadata || !guarded ? undefined : slot,
          parts,
          varbitBytes: (slot.varbit?.width ?? 0) / 8,
        });
        break;
      }
      default:
        throw new Unsupported(`a hash input of type ${input.type}`);
    }
  }
  return { inputs, payload };
}

export interface CalculationParts {
  readonly name: string;
  readonly algorithm: string;
  readonly list: readonly bmv2.CalculationInput[];
  /** The text that runs the algorithm. */
  readonly hash: string;
  /** Fields of invalid headers are left out. */
  readonly guarded: boolean;
}

/** Writes one calculation as a function over the packet state `s`. */
export function writeCalculation(
  layout: Layout,
  { name, algorithm, list, hash, guarded }: CalculationParts,
): CalculationCode {
  const { inputs, payload } = inputsOf(layout, list, guarded);
  const bits = inputs.reduce((sum, input) => sum + totalBits(input.parts), 0);
  const varbits = inputs.reduce((sum, input) => sum + input.varbitBytes, 0);
  const bytes = Math.ceil(bits / 8) + varbits;
  const out = new Emitter();
  out.open(`function ${name}(s)`);
  out.line(`const P = s.phv, H = ${payload ? `s.hashRoom(${bytes} + s.end - s.start)` : "s.hashInput"};`);
  const guards = [...new Set(inputs.flatMap(({ header }) => (header === undefined ? [] : [header.valid])))];
  const varies = inputs.some((input) => input.varbitBytes > 0) || payload;
  if (!varies) {
    if (guards.length > 0) out.open(`if ((${guards.map((valid) => `P[${valid}]`).join(" & ")}) === 1)`);
    else out.open("");
    writeStatic(
      out,
      inputs.flatMap((input) => input.parts),
      algorithm,
      hash,
    );
    out.close();
  }
  if (varies || guards.length > 0) writeDynamic(out, inputs, bytes, payload, hash);
  out.close();
  return { text: out.toString(), bytes };
}

function writeStatic(out: Emitter, parts: readonly BitPart[], algorithm: string, hash: string): void {
  const bits = totalBits(parts);
  const size = FOLDS[algorithm];
  if (size === undefined) {
    const bytes = Math.ceil(bits / 8);
    for (let i = 0; i < bytes; i++) out.line(`H[${i}] = ${chunk(parts, 8 * i, 8, true)};`);
    out.line(`return ${hash.replace("LENGTH", String(bytes))};`);
    return;
  }
  const words: string[] = [];
  for (let at = 0; at < bits; at += size) words.push(chunk(parts, at, size, false));
  if (words.length === 0) words.push("0");
  if (algorithm.startsWith("xor")) {
    out.line(`return ${words.join(" ^ ")};`);
    return;
  }
  // Up to 2^15 words of 16 bits: the sum stays below 2^31.
  if (words.length > 32768) throw new Unsupported("a checksum over more than 64 kB of fields");
  out.line(`let sum = ${words.join(" + ")};`);
  out.line("sum = (sum & 65535) + (sum >>> 16);");
  out.line("sum = (sum & 65535) + (sum >>> 16);");
  out.line("return ~sum & 65535;");
}

function writeDynamic(
  out: Emitter,
  inputs: readonly Input[],
  bytes: number,
  payload: boolean,
  hash: string,
): void {
  out.line(`H.fill(0, 0, ${bytes});`);
  out.line("let at = 0;");
  for (const { header, parts, varbitBytes } of inputs) {
    if (header !== undefined) out.open(`if (P[${header.valid}] === 1)`);
    for (const part of parts) {
      if (varbitBytes > 0 && part.width === 0) {
        const index = Number(/^P\[(\d+)\]$/.exec(part.words[0]!)![1]);
        out.line(`at = putVarbit(H, at, P, ${index});`);
        continue;
      }
      for (let i = part.words.length - 1; i >= 0; i--) {
        const count = Math.min(32, part.width - 32 * i);
        out.line(`at = putBits(H, at, ${part.words[i]}, ${count});`);
      }
    }
    if (header !== undefined) out.close();
  }
  out.line("let length = (at + 7) >>> 3;");
  if (payload) {
    out.line("for (let i = s.start; i < s.end; i++) H[length++] = s.frame[i];");
  }
  out.line(`return ${hash.replace("LENGTH", "length")};`);
}
