import type { EntryView, TableView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { EditButton } from "./state.js";

interface Props {
  table: TableView;
  edit: (text: string) => void;
  run: (statement: string) => void;
}

const entriesText = ({ entries, more, size }: TableView): string =>
  t("table.entries", { used: entries.length + more, count: size });

/** A table with its entries; `edit` puts a statement into the line above, `run` runs it. */
export function TablePart({ table, edit, run }: Props) {
  const counted =
    table.entries.some(({ counter }) => counter !== undefined) || table.defaultEntry?.counter !== undefined;
  const prioritised = table.fields.some(
    ({ match }) => match === "ternary" || match === "range" || match === "optional",
  );
  return (
    <details open class="table">
      <summary>
        <strong>{table.name}</strong>{" "}
        <span class="quiet">
          {table.isConst ? t("table.constant", { entries: entriesText(table) }) : entriesText(table)}
        </span>
      </summary>
      <table class="list" aria-label={t("table.label", { name: table.name })}>
        <thead>
          <tr>
            {table.fields.map(({ name, match, bits }) => (
              <th scope="col" key={name} title={t("table.key", { match, bits })}>
                {name} <span class="quiet">{match}</span>
              </th>
            ))}
            {prioritised ? (
              <th scope="col" class="number">
                {t("table.priority")}
              </th>
            ) : null}
            <th scope="col">{t("table.action")}</th>
            {counted ? (
              <th scope="col" class="number">
                {t("table.packets")}
              </th>
            ) : null}
            <th scope="col">
              <span class="unseen">{t("state.edit")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {table.entries.map((entry) => (
            <Row
              key={entry.statement}
              {...{ table, entry, counted, prioritised, edit, run }}
              keys={table.fields.map(({ name }) => entry.key[name] ?? t("table.any"))}
            />
          ))}
          {table.defaultEntry === undefined ? null : (
            <Row
              {...{ table, counted, prioritised, edit, run }}
              entry={table.defaultEntry}
              keys={undefined}
            />
          )}
        </tbody>
      </table>
      {table.more === 0 ? null : <p class="quiet small">{t("table.more", { count: table.more })}</p>}
      {table.isConst ? null : (
        <button type="button" class="plain" onClick={() => edit(newEntry(table))}>
          {t("table.add")}
        </button>
      )}
    </details>
  );
}

interface RowProps extends Props {
  entry: EntryView;
  counted: boolean;
  prioritised: boolean;
  /** Absent: the default entry. */
  keys: readonly string[] | undefined;
}

function Row({ table, entry, counted, prioritised, keys, edit, run }: RowProps) {
  const { deletion } = entry;
  const what =
    keys === undefined
      ? t("state.what.default", { name: table.name })
      : t("state.what.entry", { keys: keys.join(" "), name: table.name });
  return (
    <tr>
      {keys === undefined ? (
        <td class="quiet" colSpan={table.fields.length + (prioritised ? 1 : 0)}>
          {t("table.otherwise")}
        </td>
      ) : (
        <>
          {keys.map((key, index) => (
            <td key={index} class="mono">
              {key}
            </td>
          ))}
          {prioritised ? <td class="number">{entry.priority}</td> : null}
        </>
      )}
      <td class="mono">{entry.action}</td>
      {counted ? <td class="number">{entry.counter?.packets ?? ""}</td> : null}
      <td class="buttons">
        {entry.isConst || table.isConst ? (
          <span class="quiet small">const</span>
        ) : (
          <>
            <EditButton what={what} click={() => edit(asModify(entry.statement))} />
            {deletion === undefined ? null : (
              <button
                type="button"
                class="plain"
                aria-label={t("state.deleteWhat", { what })}
                onClick={() => run(deletion)}
              >
                {t("state.delete")}
              </button>
            )}
          </>
        )}
      </td>
    </tr>
  );
}

/** The statement that changes an existing entry, from the one that inserts it. */
const asModify = (statement: string): string => statement.replace(/^insert /, "modify ");

/** The start of a statement, with the names of keys and parameters to fill in. */
function newEntry({ name, fields, actions }: TableView): string {
  const action = actions.find(({ name: one }) => one !== "NoAction") ?? actions[0];
  const keys = fields.map((field) => `${field.name}=`).join(" ");
  const params = (action?.params ?? []).map((param) => `${param.name}=`).join(" ");
  const priority = fields.some(
    ({ match }) => match === "ternary" || match === "range" || match === "optional",
  );
  return `insert ${name} ${keys} => ${action?.name ?? ""} ${params}${priority ? " priority=10" : ""}`.trimEnd();
}
