/**
 * Pragmas of tables that ask the compiler for a place or a layout. Rules: p4c, backends/tofino/bf-p4c: ir (get_provided_stage),
 * mau/table_placement.cpp (is_better), mau/table_seqdeps.cpp (ignore_dep), mau/resource_estimate.cpp (ways_provided), mau/table_layout.cpp.
 */

/** What a table's pragmas ask for. */
export interface TablePragmas {
  /** `@stage`: stages that are asked for; the table waits for the first of them that is not passed. */
  readonly stages: readonly number[];
  /** `@placement_priority(N)`: larger first. */
  readonly priority: number;
  /** `@placement_priority("t")`: tables that this one comes before. */
  readonly before: readonly string[];
  /** `@ignore_table_dependency("t")`. */
  readonly ignored: readonly string[];
  /** `@ways`: hash ways of an exact table. */
  readonly ways: number | undefined;
  /** `@pack`: entries of a word of an exact table. */
  readonly pack: number | undefined;
  /** `@ternary(1)`. */
  readonly isTernary: boolean;
  /** `@no_field_initialization`: its actions write no zeros with which values begin. */
  readonly writesNoZeros: boolean;
  /** `@alpm(1)`, with `@alpm_partitions` and `@alpm_subtrees_per_partition` where they are stated. */
  readonly alpm:
    | {
        readonly partitions: number | undefined;
        readonly subtrees: number | undefined;
        readonly texts: readonly string[];
      }
    | undefined;
  /** `@atcam_partition_index("key")` and `@atcam_number_partitions(N)`; `texts` are the pragmas as written, here and above. */
  readonly atcam:
    | { readonly index: string; readonly partitions: number | undefined; readonly texts: readonly string[] }
    | undefined;
  /** Pragmas as written that ask for a place or a layout and are not considered. */
  readonly passedOver: readonly string[];
}

export const NO_PRAGMAS: TablePragmas = {
  stages: [],
  priority: 0,
  before: [],
  ignored: [],
  ways: undefined,
  pack: undefined,
  isTernary: false,
  writesNoZeros: false,
  alpm: undefined,
  atcam: undefined,
  passedOver: [],
};

const MAX_WAYS = 8;
const MAX_PACK = 9;
const MAX_PARTITIONS = 65_536;
/** Pragmas with a number that lay a table out in partitions, with the least and the largest number that fit follows. */
const ALGORITHMIC: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ["alpm", [0, 1]],
  ["alpm_partitions", [1, MAX_PARTITIONS]],
  ["alpm_subtrees_per_partition", [1, MAX_PARTITIONS]],
  ["atcam_number_partitions", [1, MAX_PARTITIONS]],
]);
/** A range without a number. */
const NO_NUMBER: readonly [least: number, most: number] = [1, 0];
/** A stage that no chip has. */
const MAX_STAGE = 1000;

/** Pragmas of tables that change a layout and that fit does not follow, or not with every value. */
const PASSED_OVER =
  /^(stage|ways|pack|ternary|alpm|(alpm|atcam)_\w+|use_hash_action|force_immediate|immediate|simul_lookups|idletime_\w+|entries_with_ranges|dynamic_table_key_masks|no_versioning|selector_enable_scramble|chain_address|proxy_hash_\w+|min_width|max_actions)$/;

/** Reads annotations as P4Info has them: `@stage(3)`, `@pragma stage 3`, `@placement_priority("t")`. */
export function pragmasOf(annotations: readonly string[]): TablePragmas {
  const found = { stages: [] as number[], before: [] as string[], ignored: [] as string[] };
  const passedOver: string[] = [];
  let more: Partial<TablePragmas> = {};
  const stated = new Map<string, { readonly value: number; readonly text: string }>();
  let index: { readonly value: string; readonly text: string } | undefined;
  for (const text of annotations) {
    const match = /^@(?:pragma\s+)?(\w+)\s*(?:\((.*)\)|(.*))$/s.exec(text.trim());
    if (match === null) continue;
    const name = match[1]!;
    const args = (match[2] ?? match[3] ?? "").split(/[,\s]+/).filter((arg) => arg !== "");
    const names = args
      .filter((arg) => arg.startsWith('"'))
      .map((arg) => arg.replaceAll('"', "").replace(/^\./, ""))
      .filter((arg) => arg !== "");
    const [value] = args.map(Number).filter(Number.isInteger);
    const isIn = (low: number, high: number) => value !== undefined && value >= low && value <= high;
    if (name === "stage" && isIn(0, MAX_STAGE)) {
      found.stages.push(value!);
      if (args.length > 1) passedOver.push(text);
    } else if (name === "placement_priority") {
      found.before.push(...names);
      if (value !== undefined) more = { ...more, priority: value };
    } else if (name === "ignore_table_dependency") found.ignored.push(...names);
    else if (name === "ways" && isIn(1, MAX_WAYS)) more = { ...more, ways: value };
    else if (name === "pack" && isIn(1, MAX_PACK)) more = { ...more, pack: value };
    else if (isIn(...(ALGORITHMIC.get(name) ?? NO_NUMBER))) stated.set(name, { value: value!, text });
    else if (name === "atcam_partition_index")
      index = { value: (match[2] ?? match[3] ?? "").replaceAll('"', "").trim(), text };
    else if (name === "ternary" && value === 1) more = { ...more, isTernary: true };
    else if (name === "no_field_initialization") more = { ...more, writesNoZeros: true };
    else if (PASSED_OVER.test(name)) passedOver.push(text);
  }
  const alpm = stated.get("alpm");
  const partitions = stated.get("alpm_partitions");
  const subtrees = stated.get("alpm_subtrees_per_partition");
  const ofAlpm = textsOf(partitions, subtrees);
  if (alpm?.value === 1) {
    const texts = [alpm.text, ...ofAlpm];
    more = { ...more, alpm: { partitions: partitions?.value, subtrees: subtrees?.value, texts } };
  } else if (alpm === undefined) passedOver.push(...ofAlpm);
  const number = stated.get("atcam_number_partitions");
  if (index === undefined) passedOver.push(...textsOf(number));
  else
    more = {
      ...more,
      atcam: { index: index.value, partitions: number?.value, texts: textsOf(index, number) },
    };
  return { ...NO_PRAGMAS, ...found, ...more, passedOver };
}

/**
 * The groups of a selector, as pragmas of its table or of itself state them: members of a group, groups, and whether a member that
 * fails leaves the packets of the others alone (p4c, common/extract_maupipe.cpp, createAttached; arch/v1model.cpp, `@mode`). What an
 * `ActionSelector` of TNA states has the same form, with its name. A `@max_group_size` of P4Runtime below one is no statement.
 */
export function selectorPragmas(annotations: readonly string[]): {
  readonly name: string | undefined;
  readonly maxGroup: number | undefined;
  readonly groups: number | undefined;
  readonly isResilient: boolean;
} {
  const statedBy = (pattern: RegExp) =>
    annotations.map((text) => pattern.exec(text.trim())?.[1]).find((value) => value !== undefined);
  const numberOf = (pattern: RegExp) => {
    const stated = statedBy(pattern);
    return stated === undefined ? undefined : Number(stated);
  };
  return {
    name: statedBy(/^@selector_name[\s("]+([\w.$]+)/),
    maxGroup:
      numberOf(/^@(?:pragma\s+)?selector_max_group_size[\s(]+(\d+)/) ??
      (numberOf(/^@(?:pragma\s+)?max_group_size[\s(]+(\d+)/) || undefined),
    groups: numberOf(/^@(?:pragma\s+)?selector_num_max_groups[\s(]+(\d+)/),
    isResilient: annotations.some((text) => /^@(?:pragma\s+)?mode[\s("]+resilient\b/.test(text.trim())),
  };
}

function textsOf(...pragmas: readonly ({ readonly text: string } | undefined)[]): string[] {
  return pragmas.flatMap((one) => (one === undefined ? [] : [one.text]));
}

/** With the stage that the innermost of the blocks around a table asks for, where the table asks for none (p4c, bf-p4c/midend/copy_block_pragmas.cpp). */
export function ofBlocks(own: TablePragmas, around: readonly string[] = []): TablePragmas {
  const stages = own.stages.length > 0 ? own.stages : pragmasOf(around).stages.slice(0, 1);
  return { ...own, stages };
}

/** The stage that the table waits for; the present one where it waits for none. */
export function stageFor({ stages }: TablePragmas, present: number): number {
  const later = stages.filter((stage) => stage >= present);
  return later.length === 0 ? present : Math.min(...later);
}

/** A pragma names a table by its name, or by the last parts of it. */
export const isNamed = (names: readonly string[], table: string | undefined): boolean =>
  table !== undefined && names.some((name) => table === name || table.endsWith(`.${name}`));
