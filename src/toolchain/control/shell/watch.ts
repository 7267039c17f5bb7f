/** `watch`: reports the messages that the switch sends, and the changes of a table, until it is stopped. */
import { fail } from "../../../base/index.js";
import {
  DeviceError,
  type DeviceEvent,
  type DigestConfigEntry,
  type TableEntry,
} from "../../device/index.js";
import type { TableInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import type { Context } from "../context.js";
import { entriesIn } from "../entities.js";
import { keyText } from "../entry-handles.js";
import { readInteger } from "../values.js";
import { dataOf, plain } from "./data.js";
import { readDuration, takeOptions } from "./parts.js";
import { digestLines, entryStatement, packetText } from "./statements.js";

/** Words after `watch`, and the events that each means. */
const EVENTS: Readonly<Record<string, DeviceEvent["kind"]>> = {
  packets: "packetIn",
  digests: "digest",
  idle: "idleTimeout",
  ports: "portState",
};

/** Time between two reads of a table. */
const LOOK_MS = 500;
/** A switch does not send further digest lists while a list is not acknowledged. */
const ACK_NS = 1_000_000_000n;

function eventLines(context: Context, event: DeviceEvent): string[] {
  switch (event.kind) {
    case "packetIn":
      return [packetText(context, event.packet)];
    case "digest":
      return digestLines(context, event.list);
    case "idleTimeout":
      return event.entries.map((entry) => `idle ${entryStatement(context, entry)}`);
    case "portState":
      return [`port ${event.port} is ${event.up ? "up" : "down"}`];
  }
}

/** Ends after a number of events, after a time, or when the user stops it. */
class Watch {
  #left: number;
  readonly #ended = new AbortController();

  constructor(
    readonly context: Context,
    events: number | undefined,
  ) {
    this.#left = events ?? Number.POSITIVE_INFINITY;
    const { stop } = context;
    if (stop.aborted) this.#ended.abort();
    else stop.addEventListener("abort", () => this.#ended.abort(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(): void {
    this.#ended.abort();
  }

  tell(lines: readonly string[], data: unknown): void {
    if (this.signal.aborted) return;
    for (const line of lines) this.context.print(line);
    this.context.data(data);
    if (--this.#left <= 0) this.#ended.abort();
  }
}

/** Switches on the digests that are off; returns a function that switches them off again. */
async function startDigests(context: Context): Promise<() => Promise<void>> {
  const { device, index } = context;
  const on = new Set(
    (await device.read([{ kind: "digest" }])).flatMap((one) => (one.kind === "digest" ? [one.digest] : [])),
  );
  const started = index.digests.list
    .filter(({ name }) => !on.has(name))
    .map(
      ({ name }): DigestConfigEntry => ({
        kind: "digest",
        digest: name,
        maxListSize: 1,
        maxTimeoutNs: 0n,
        ackTimeoutNs: ACK_NS,
      }),
    );
  if (started.length > 0) await device.write(started.map((entity) => ({ type: "insert", entity })));
  return async () => {
    if (started.length > 0) await device.write(started.map((entity) => ({ type: "delete", entity })));
  };
}

async function watchEvents(
  context: Context,
  watch: Watch,
  kinds: ReadonlySet<DeviceEvent["kind"]>,
  rest: () => Promise<void>,
): Promise<void> {
  const { device } = context;
  const acknowledge = (digest: string, listId: bigint): void => {
    device.acknowledgeDigest(digest, listId).catch((error: unknown) => {
      if (!(error instanceof DeviceError)) throw error;
    });
  };
  const stop = device.watch((event) => {
    if (!kinds.has(event.kind)) return;
    watch.tell(eventLines(context, event), plain(event));
    if (event.kind === "digest") acknowledge(event.list.digest, event.list.listId);
  });
  let stopDigests = async (): Promise<void> => {};
  try {
    if (kinds.has("digest")) stopDigests = await startDigests(context);
    await rest();
  } finally {
    stop();
    await stopDigests();
  }
}

async function readTable(context: Context, table: TableInfo): Promise<Map<string, TableEntry>> {
  const counter = table.directCounter === undefined ? {} : { counter: true };
  const found = await context.device.read([{ kind: "tableEntry", table: table.name, ...counter }]);
  return new Map(entriesIn(found).map((entry) => [keyText(entry), entry]));
}

/** P4Runtime does not report changes of tables: this reads the table repeatedly and reports the differences. */
async function watchTable(
  context: Context,
  watch: Watch,
  table: TableInfo,
  pause: (milliseconds: number) => Promise<void>,
): Promise<void> {
  let before = await readTable(context, table);
  while (!watch.signal.aborted) {
    await pause(LOOK_MS);
    const now = await readTable(context, table);
    for (const [key, entry] of now) {
      const old = before.get(key);
      const text = entryStatement(context, entry);
      if (old === undefined) watch.tell([`+ ${text}`], { change: "added", ...entryData(context, entry) });
      else if (entryStatement(context, old) !== text)
        watch.tell([`~ ${text}`], { change: "changed", ...entryData(context, entry) });
    }
    for (const [key, entry] of before) {
      if (!now.has(key))
        watch.tell([`- ${entryStatement(context, entry)}`], {
          change: "deleted",
          ...entryData(context, entry),
        });
    }
    before = now;
  }
}

function entryData(context: Context, entry: TableEntry): object {
  return dataOf(context, entry) as object;
}

export const watchStatements: Commands = {
  watch: {
    usage: "watch packets|digests|idle|ports|<table> [events=N] [for=TIME]",
    summary: "report what happens until Ctrl-C, N events or a time like 10s",
    least: 0,
    most: MANY,
    async run(context, words, name) {
      const wait = context.surroundings.wait;
      if (wait === undefined) fail(CODES.unable, name.span, "`watch` has no clock here");
      const { options, rest } = takeOptions(words, ["events", "for"]);
      const events = options.events === undefined ? undefined : readInteger("the number", options.events);
      const time = options.for === undefined ? undefined : readDuration("the time", options.for);
      const tables: TableInfo[] = [];
      const kinds = new Set<DeviceEvent["kind"]>();
      for (const word of rest) {
        const kind = Object.hasOwn(EVENTS, word.text) ? EVENTS[word.text] : undefined;
        if (kind !== undefined) kinds.add(kind);
        else tables.push(context.table(word));
      }
      if (rest.length === 0) for (const kind of Object.values(EVENTS)) kinds.add(kind);
      const watch = new Watch(context, events);
      const pause = (milliseconds: number): Promise<void> => wait(milliseconds, watch.signal);
      /** Maximum delay of a timer. */
      const forever = 2 ** 31 - 1;
      const limit = time === undefined ? forever : Number(time / 1_000_000n);
      try {
        await watchEvents(context, watch, kinds, async () => {
          const timer = wait(limit, watch.signal);
          const looks = tables.map((table) => watchTable(context, watch, table, pause));
          await Promise.race([timer, ...(looks.length === 0 ? [] : [Promise.all(looks)])]);
          watch.end();
          await Promise.all([timer, ...looks]);
        });
      } finally {
        watch.end();
      }
    },
  },
};
