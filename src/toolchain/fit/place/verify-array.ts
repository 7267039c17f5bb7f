/**
 * Whether an arrangement of the array of SRAM holds, rule by rule: each memory has its blocks and map RAMs, none of them twice; blocks of one
 * word are in one column; what has an ALU is on the right, on its home row or on one of five below, and with other memories' data crosses no row
 * twice; data of a selector starts at or below its row, and the address of one selector at a time goes down to it.
 */
import { type ArrayUse, type Block, COLUMNS, LEFT_COLUMNS, ROWS } from "../memory/blocks.js";

const REACH = 5;
const SEARCH_BUSES = 2;

/** What is wrong with the arrangement, one sentence each. */
export function wrongInArray(
  uses: readonly ArrayUse[],
  blocks: readonly Block[],
  isSplit: boolean,
): string[] {
  return [
    ...wrongCells(blocks),
    ...wrongMaps(blocks),
    ...wrongCounts(uses, blocks, isSplit),
    ...wrongWords(blocks),
    ...wrongBuses(blocks),
    ...wrongHomes(uses, blocks, isSplit),
    ...wrongSelectors(uses, blocks, isSplit),
  ];
}

function wrongCells(blocks: readonly Block[]): string[] {
  const wrong: string[] = [];
  const cells = new Set<string>();
  for (const { owner, kind, row, column } of blocks.filter((block) => block.kind !== "colours")) {
    const cell = `row ${row}, column ${column}`;
    if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS) wrong.push(`${owner} is outside: ${cell}`);
    if (cells.has(cell)) wrong.push(`${cell} is used twice`);
    cells.add(cell);
    if (kind === "alu" && column < LEFT_COLUMNS) wrong.push(`${owner} has an ALU and is on the left`);
    if (kind === "indirection" && column >= LEFT_COLUMNS) wrong.push(`${owner} is on the right`);
  }
  return wrong;
}

/** Each column on the right has a map RAM a row, which the block of an ALU there takes, or the colours of a meter. */
function wrongMaps(blocks: readonly Block[]): string[] {
  const wrong: string[] = [];
  const maps = new Set<string>();
  for (const { owner, kind, row, column } of blocks) {
    if (kind !== "alu" && kind !== "colours") continue;
    const map = `row ${row}, column ${column}`;
    if (kind === "colours" && (row < 0 || row >= ROWS || column < LEFT_COLUMNS || column >= COLUMNS))
      wrong.push(`colours of ${owner} have no map RAM: ${map}`);
    if (maps.has(map)) wrong.push(`the map RAM of ${map} is used twice`);
    maps.add(map);
  }
  return wrong;
}

/** Each memory has its blocks; a meter of two ALUs has one spare more. */
function wrongCounts(uses: readonly ArrayUse[], blocks: readonly Block[], isSplit: boolean): string[] {
  const count = (kind: Block["kind"], owner: string) =>
    blocks.filter((block) => block.kind === kind && block.owner === owner).length;
  const sum = (list: readonly { readonly depth: number; readonly width: number }[]) =>
    list.reduce((all, { depth, width }) => all + depth * width, 0);
  return uses.flatMap(({ ways, partitions, indirection, action, alu }, table) => [
    ...missing(`entries of ${table}`, count("entries", `${table}`), sum(ways) + sum(partitions)),
    ...missing(`indirection of ${table}`, count("indirection", `${table}`), indirection),
    ...missing(`action data of ${table}`, count("action", `${table}`), sum(action)),
    ...alu.flatMap(({ name, kind, blocks: wanted, colours, isDirect }) => [
      ...missing(name, count("alu", name), wanted, isSplit && kind === "meter" && !isDirect ? 1 : 0),
      ...missing(`colours of ${name}`, count("colours", name), colours),
    ]),
  ]);
}

const missing = (what: string, has: number, wanted: number, spares = 0): string[] =>
  has < wanted || has > wanted + spares ? [`${what}: ${has} of ${wanted} blocks`] : [];

/** The sections of a table's words are in the same columns, each in rows of its own. */
function wrongWords(blocks: readonly Block[]): string[] {
  const wrong: string[] = [];
  const entries = blocks.filter(({ kind }) => kind === "entries");
  for (const owner of new Set(entries.map((block) => block.owner))) {
    const own = entries.filter((block) => block.owner === owner);
    const columnsOf = (section: number) =>
      own
        .filter((block) => block.section === section)
        .map(({ column }) => column)
        .sort((a, b) => a - b)
        .join();
    const sections = new Set(own.map(({ section }) => section));
    if (new Set([...sections].map(columnsOf)).size > 1) wrong.push(`words of ${owner} are not in one column`);
  }
  return wrong;
}

/** A row has two search buses, each for a section of a table's key. */
function wrongBuses(blocks: readonly Block[]): string[] {
  return Array.from({ length: ROWS }, (_, row) => row).flatMap((row) => {
    const here = blocks.filter((block) => block.kind === "entries" && block.row === row);
    const buses = new Set(here.map(({ owner, section }) => `${owner} ${section}`));
    return buses.size > SEARCH_BUSES ? [`row ${row} has ${buses.size} search buses`] : [];
  });
}

function wrongHomes(uses: readonly ArrayUse[], blocks: readonly Block[], isSplit: boolean): string[] {
  const wrong: string[] = [];
  const moving = blocks.filter(({ kind }) => kind === "alu" || kind === "action");
  const starts = new Set(moving.map(({ owner, section, home }) => `${owner} ${section} ${home}`));
  const kinds = new Map(uses.flatMap(({ alu }) => alu.map(({ name, kind }) => [name, kind] as const)));
  const homes = new Map<number, Set<string>>();
  for (const { owner, kind, row, home, section } of blocks) {
    if (kind === "entries" || kind === "indirection") continue;
    if (kind === "colours" && !starts.has(`${owner} ${section} ${home}`))
      wrong.push(`colours of ${owner} have another row than its ALU: ${home}`);
    const isFar = row > home || row < home - REACH;
    const isAcross = isSplit && row < ROWS / 2 !== home < ROWS / 2;
    if (isFar || isAcross) wrong.push(`${owner} on row ${row} is not in reach of row ${home}`);
    if (kind !== "alu") continue;
    if ((kinds.get(owner) === "statistics") !== (home % 2 === 0))
      wrong.push(`${owner} starts on row ${home}, which has no ALU of its kind`);
    homes.set(home, (homes.get(home) ?? new Set()).add(`${owner} ${section}`));
  }
  for (const [home, owners] of homes)
    if (owners.size > 1) wrong.push(`${[...owners].join(" and ")} start on row ${home}`);
  for (let row = 0; row < ROWS - 1; row++) {
    const up = moving.filter((block) => block.row <= row && block.home > row);
    const crossing = new Set(up.map(({ owner, kind, section }) => `${kind} ${owner} ${section}`));
    if (crossing.size > 1) wrong.push(`data of ${[...crossing].join(" and ")} goes up from row ${row}`);
  }
  return wrong;
}

/** Data of a selector starts at or below its row (Tofino 2: in its half), and down to there no other selector starts. */
function wrongSelectors(uses: readonly ArrayUse[], blocks: readonly Block[], isSplit: boolean): string[] {
  const wrong: string[] = [];
  const ranges: { readonly name: string; readonly from: number; readonly to: number }[] = [];
  for (const [table, { action }] of uses.entries()) {
    const name = action.find(({ selector }) => selector !== undefined)?.selector;
    const from = blocks.find(({ kind, owner }) => kind === "alu" && owner === name)?.home;
    if (name === undefined || from === undefined) continue;
    const data = blocks.filter(({ kind, owner }) => kind === "action" && owner === `${table}`);
    for (const { home } of data)
      if (home > from || (isSplit && home < ROWS / 2 !== from < ROWS / 2))
        wrong.push(`data of ${name} starts on row ${home}, and the selector on row ${from}`);
    ranges.push({ name, from, to: Math.min(from, ...data.map(({ home }) => home)) });
  }
  for (const one of ranges)
    for (const other of ranges)
      if (one.name !== other.name && other.from <= one.from && other.from >= one.to)
        wrong.push(`the address of ${one.name} goes down past row ${other.from}, where ${other.name} starts`);
  return wrong;
}
