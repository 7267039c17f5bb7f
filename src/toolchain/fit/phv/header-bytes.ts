/** What is known of the bytes of a header before they are cut for containers. */
import type { Access, FieldInfo, FitModel } from "../model/model.js";

/** Bytes of a header that a table reads or writes. */
export function bytesTouched(
  fields: readonly FieldInfo[],
  ranges: ReadonlyMap<string, readonly Access[]>,
  isWhole: boolean,
): Set<number> {
  const bytes = new Set<number>();
  for (const { name, offset, width } of fields)
    for (const access of ranges.get(name) ?? []) {
      const { lo, width: bits } = isWhole ? { lo: 0, width } : access;
      const end = offset + width - lo;
      for (let byte = (end - Math.min(bits, width - lo)) >> 3; 8 * byte < end; byte++) bytes.add(byte);
    }
  return bytes;
}

/**
 * The field takes three bytes of its own, all of which tables touch: where the deparser does not send the header, it stands in one container of
 * 32 bits, of which the rest is free (p4c, phv/slicing/phv_slicing_dfs_iterator.cpp: without exact_containers a list need not fill its containers).
 */
export function isWide(
  { name, offset, width }: FieldInfo,
  kept: readonly FieldInfo[],
  touchedBytes: ReadonlySet<number>,
): boolean {
  const [from, to] = [offset >> 3, (offset + width + 7) >> 3];
  if (to - from !== 3 || width > 24) return false;
  if (kept.some((one) => one.name !== name && one.offset < 8 * to && 8 * from < one.offset + one.width))
    return false;
  return [from, from + 1, from + 2].every((byte) => touchedBytes.has(byte));
}

/** Fields of a header that the program marks as padding. */
export function paddingOf(
  { program }: FitModel,
  header: string,
  fields: readonly FieldInfo[],
): readonly FieldInfo[] {
  const type = program.headers.find(({ name }) => name === header)?.header_type ?? "";
  const names = program.architecture?.paddings?.[type] ?? [];
  return fields.filter(({ name }) => names.some((one) => name === `${header}.${one}`));
}
