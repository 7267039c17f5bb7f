/** Finds the kind of a file without the key `kind` from its other keys, and names the candidates where they do not decide. */
import type { z } from "zod";
import type { SchemeSet } from "./experiment.js";
import type { RegisteredKind } from "./loaded.js";

export type KindOfFile =
  | { readonly kind: RegisteredKind }
  /** `key`: the first key that leads to a kind, which other keys contradict. */
  | {
      readonly candidates: readonly [RegisteredKind, RegisteredKind, ...RegisteredKind[]];
      readonly key: string;
    };

/**
 * Some keys of a file lead to a kind: those of the kind's list. The kind of the file is the one to which a key leads and that knows all such keys
 * of the file. The candidates are named where there is no such kind, or several, or where another kind fits the file better: it knows all
 * keys of the file, or it also finds all that it requires, and this kind does not. A file without such a key is of the first kind.
 */
export function kindOfFile(
  contents: Readonly<Record<string, unknown>>,
  kinds: readonly [RegisteredKind, ...RegisteredKind[]],
  schemes: SchemeSet,
): KindOfFile {
  const leading = Object.keys(contents).filter((key) => kinds.some(({ keys }) => keys.includes(key)));
  const [key] = leading;
  if (key === undefined) return { kind: kinds[0] };
  const led = kinds.filter(({ keys }) => keys.some((one) => one in contents));
  const shapes = new Map(
    kinds.map((kind) => [kind, (kind.schemaWith(schemes) as unknown as z.ZodObject).shape]),
  );
  const owners = led.filter((kind) => leading.every((one) => one in shapes.get(kind)!));
  const closeness = (kind: RegisteredKind) => closenessOf(contents, shapes.get(kind)!);
  const best = Math.max(...kinds.map(closeness));
  const [first] = owners;
  const candidates =
    first === undefined
      ? led
      : owners.length > 1
        ? owners
        : closeness(first) === best
          ? [first]
          : [first, ...kinds.filter((kind) => closeness(kind) === best)];
  const [one, other, ...more] = candidates as [RegisteredKind, ...RegisteredKind[]];
  return other === undefined ? { kind: one } : { candidates: [one, other, ...more], key };
}

/** 2: the file has only keys of this shape, and all that it requires; 1: only keys of this shape; 0: others too. Values are not looked at. */
function closenessOf(contents: Readonly<Record<string, unknown>>, shape: z.ZodRawShape): number {
  if (!Object.keys(contents).every((key) => key in shape)) return 0;
  const lacks = Object.entries(shape).some(
    ([key, value]) => !(key in contents) && !(value as z.ZodType).safeParse(undefined).success,
  );
  return lacks ? 1 : 2;
}
