/** Parts of statements: keys, actions, options, durations, elements of arrays. */
import { defined, fail, fromHex, given, type Span } from "../../../base/index.js";
import type { ActionCall, Match, TableAction, TableEntry, WeightedAction } from "../../device/index.js";
import type { ActionInfo, FieldInfo, Slot, TableInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import { actionsOf, type Context, count, profileActions, slotNames } from "../context.js";
import { candidatesFor, findNamed } from "../names.js";
import { readInteger, readMatch, readSlot, readValue } from "../values.js";
import { partOf, type Word } from "../words.js";
import { OPTIONS } from "./statements.js";

/** The two parts of a word `name=value`; undefined for any other word. */
export function assignment(word: Word): { name: Word; value: Word } | undefined {
  const at = word.text.indexOf("=");
  if (at <= 0) return undefined;
  return { name: partOf(word, 0, at), value: partOf(word, at + 1) };
}

/** Splits words into options by name and the others in their order. `taken`: names that mean an option only after an `@`. */
export function takeOptions<Name extends string>(
  words: readonly Word[],
  names: readonly Name[],
  taken: readonly Slot[] = [],
): { options: Partial<Record<Name, Word>>; rest: Word[] } {
  const options: Partial<Record<Name, Word>> = {};
  const rest: Word[] = [];
  for (const word of words) {
    const pair = assignment(word);
    const marked = pair?.name.text.startsWith("@") ?? false;
    const name = names.find((one) => one === pair?.name.text.replace(/^@/, ""));
    if (pair === undefined || name === undefined || (!marked && candidatesFor(taken, name).length > 0)) {
      rest.push(word);
      continue;
    }
    if (options[name] !== undefined) fail(CODES.form, word.span, `\`${name}\` is given twice`);
    options[name] = pair.value;
  }
  return { options, rest };
}

/** Values by slot: words `name=value` by their names, plain values in the order of the remaining slots. */
function assign<T extends Slot>(
  kind: string,
  slots: readonly T[],
  words: readonly Word[],
  owner: string,
): Map<T, Word> {
  const found = new Map<T, Word>();
  const bare: Word[] = [];
  for (const word of words) {
    const pair = assignment(word);
    if (pair === undefined) {
      bare.push(word);
      continue;
    }
    const slot = findNamed(kind, slots, pair.name, owner);
    if (found.has(slot)) fail(CODES.form, word.span, `${kind} ${slot.name} is given twice`);
    found.set(slot, pair.value);
  }
  const open = slots.filter((slot) => !found.has(slot));
  for (const [i, word] of bare.entries()) {
    if (open[i] === undefined)
      fail(
        CODES.form,
        word.span,
        `${owner} has ${count(slots.length, kind)}${slots.length === 0 ? "" : ` (${slotNames(slots)})`}: this value is too many`,
      );
    found.set(open[i], word);
  }
  return found;
}

function readKey(context: Context, table: TableInfo, words: readonly Word[], at: Word): Match[] {
  const fields = table.fields.list;
  const given = assign<FieldInfo>("match field", fields, words, `table ${table.name}`);
  const missing = fields.filter((field) => field.kind === "exact" && !given.has(field));
  if (missing.length > 0)
    fail(
      CODES.form,
      words.at(-1)?.span ?? at.span,
      `the key lacks ${slotNames(missing)}: an exact field cannot be left out`,
    );
  return fields.flatMap((field) => {
    const word = given.get(field);
    return word === undefined ? [] : (readMatch(field, word, { naming: context.naming, plain: true }) ?? []);
  });
}

/** `name param=value ...`, or the values in their order. */
export function readCall(
  context: Context,
  actions: readonly ActionInfo[],
  owner: string,
  words: readonly Word[],
  at: Span,
): ActionCall {
  const [name, ...values] = words;
  if (name === undefined) fail(CODES.form, at, "an action is missing");
  const action = findNamed("action", actions, name, owner);
  const slots = action.params.list;
  const given = assign("parameter", slots, values, `action ${action.name}`);
  const missing = slots.filter((slot) => !given.has(slot));
  if (missing.length > 0)
    fail(
      CODES.form,
      values.at(-1)?.span ?? name.span,
      `action ${action.name} lacks ${count(missing.length, "parameter")}: ${slotNames(missing)}`,
    );
  const params: Record<string, bigint> = {};
  for (const slot of slots)
    params[slot.name] = readSlot(`parameter ${slot.name}`, slot, defined(given.get(slot)), context);
  return { action: action.name, params };
}

/** What follows `=>`: an action, `member N`, `group N`, or actions with weights, separated by bars. */
function readTarget(context: Context, table: TableInfo, words: readonly Word[], at: Span): TableAction {
  const { profile } = table;
  const [first, second] = words;
  if (profile !== undefined && words.length === 2 && /^(member|group)$/.test(first!.text)) {
    const id = readInteger(`the ${first!.text}`, second!);
    return first!.text === "member" ? { kind: "member", memberId: id } : { kind: "group", groupId: id };
  }
  const owner = `table ${table.name}`;
  if (profile === undefined)
    return { kind: "action", ...readCall(context, actionsOf(table), owner, words, at) };
  const sets: Word[][] = [[]];
  for (const word of words) {
    if (word.text === "|") sets.push([]);
    else defined(sets.at(-1)).push(word);
  }
  const actions = sets.map((set): WeightedAction => {
    const slots = set[0] === undefined ? [] : candidatesFor(profileActions(profile), set[0].text);
    const taken = slots.flatMap(({ params }) => params.list);
    const { options, rest } = takeOptions(set, ["weight", "watch"], taken);
    const { weight, watch } = options;
    return {
      ...readCall(context, actionsOf(table), owner, rest, at),
      weight: weight === undefined ? 1 : readInteger("the weight", weight, 0x7fffffff, 1),
      ...given({ watchPort: watch && readInteger("the port", watch) }),
    };
  });
  return { kind: "oneShot", actions };
}

const UNITS: Readonly<Record<string, bigint>> = { ns: 1n, us: 1000n, ms: 1_000_000n, s: 1_000_000_000n };

/** `500ms`, `2s`: whole nanoseconds. */
export function readDuration(what: string, word: Word): bigint {
  const match = /^(\d+)(?:\.(\d+))?(ns|us|ms|s)$/.exec(word.text);
  if (match === null)
    fail(CODES.value, word.span, `${what} is \`${word.text}\`; give a time like 500ms or 2s`);
  const [, whole, fraction = "", unit] = match;
  return (BigInt(whole! + fraction) * defined(UNITS[unit!])) / 10n ** BigInt(fraction.length);
}

/** An entry of a table from the words after the table: the key, optionally `=>` with an action, and options. */
export function readEntry(
  context: Context,
  table: TableInfo,
  key: readonly Word[],
  target: readonly Word[] | undefined,
  at: Word,
): TableEntry {
  const named = target?.[0] === undefined ? [] : candidatesFor(actionsOf(table), target[0].text);
  const front = takeOptions(key, OPTIONS, table.fields.list);
  const back = takeOptions(
    target ?? [],
    OPTIONS,
    named.flatMap(({ params }) => params.list),
  );
  for (const name of OPTIONS) {
    const twice = front.options[name] !== undefined ? back.options[name] : undefined;
    if (twice !== undefined) fail(CODES.form, twice.span, `\`${name}\` is given twice`);
  }
  const options = { ...front.options, ...back.options };
  const match = readKey(context, table, front.rest, at);
  const { priority, timeout, metadata, controller_metadata } = options;
  const rank = priority === undefined ? 0 : readInteger("the priority", priority, 0x7fffffff);
  if (rank > 0 && !table.hasPriority)
    fail(CODES.form, priority!.span, `entries of table ${table.name} have no priority`);
  if (rank === 0 && table.hasPriority)
    fail(
      CODES.form,
      priority?.span ?? at.span,
      `an entry of table ${table.name} needs \`priority=\` above 0; the larger wins`,
    );
  const bytes = metadata === undefined ? undefined : fromHex(metadata.text.replace(/^0x/, ""));
  if (metadata !== undefined && bytes === undefined)
    fail(
      CODES.value,
      metadata.span,
      `the metadata is \`${metadata.text}\`; give an even number of hex digits`,
    );
  return {
    kind: "tableEntry",
    table: table.name,
    match,
    priority: rank,
    ...given({
      action: target && readTarget(context, table, back.rest, at.span),
      idleTimeoutNs: timeout && readDuration("the timeout", timeout),
      metadata: bytes,
      controllerMetadata:
        controller_metadata && readValue("the controller metadata", controller_metadata, 64),
    }),
  };
}

/** `NAME[3]`, `NAME[*]`, `NAME`: the name, and the index if there is one. */
export function element(word: Word): { name: Word; index?: Word } {
  const match = /^(.*)\[([^[\]]+)\]$/.exec(word.text);
  if (match === null || match[1] === "") return { name: word };
  const end = defined(match[1]).length;
  const index = partOf(word, end + 1, word.text.length - 1);
  return { name: partOf(word, 0, end), ...given({ index: index.text === "*" ? undefined : index }) };
}
