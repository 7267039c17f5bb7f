/** The present tables, groups, counters, meters and registers of a switch; users edit them with statements of the shell. */
import { useEffect, useState } from "preact/hooks";
import type { LabView, StateView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { ArrayPart } from "./state-arrays.js";
import { type Draft, StatementEditor } from "./state-statement.js";
import { TablePart } from "./state-table.js";

interface Props {
  lab: LabView;
  chosen: string | undefined;
  choose: (name: string) => void;
}

export function StatePanel({ lab: view, chosen, choose }: Props) {
  const lab = useLab();
  const switches = view.nodes.filter(({ kind }) => kind === "switch");
  const name = switches.some((one) => one.name === chosen) ? chosen! : switches[0]?.name;
  const state = useLabState((all) => (name === undefined ? undefined : all.states[name]));
  const [draft, setDraft] = useState<Draft>({ text: "", id: 0 });
  useEffect(() => {
    if (name === undefined) return;
    void lab.watch(name, true);
    return () => void lab.watch(name, false);
  }, [name]);
  useEffect(() => {
    if (name !== undefined && state === undefined) void lab.readState(name);
  }, [name, state === undefined]);
  if (name === undefined) return <p class="empty">{t("state.noSwitch")}</p>;
  const edit = (text: string) => setDraft({ text, id: draft.id + 1 });
  return (
    <>
      <div class="row">
        <label class="row">
          {t("state.switch")}
          <select value={name} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {switches.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        <span class="quiet small">{state?.program}</span>
        <span class="room" />
        <button type="button" disabled={(state?.undo ?? 0) === 0} onClick={() => void lab.undo(name)}>
          {(state?.undo ?? 0) > 0 ? t("state.undoCount", { steps: state!.undo }) : t("state.undo")}
        </button>
      </div>
      <StatementEditor key={name} name={name} draft={draft} />
      {state === undefined ? (
        <p class="empty">{t("state.reading", { name })}</p>
      ) : (
        <Contents state={state} edit={edit} />
      )}
    </>
  );
}

function Contents({ state, edit }: { state: StateView; edit: (text: string) => void }) {
  const lab = useLab();
  const run = (statement: string) => void lab.control(state.switch, statement);
  const empty = state.tables.length + state.profiles.length + state.arrays.length + state.others.length === 0;
  return (
    <div class="state fill">
      {empty ? <p class="empty">{t("state.empty")}</p> : null}
      {state.tables.map((table) => (
        <TablePart key={table.name} table={table} edit={edit} run={run} />
      ))}
      {state.profiles.map(({ name, members, groups }) => (
        <details key={name} open>
          <summary>
            <strong>{name}</strong>{" "}
            <span class="quiet">
              {t("state.profile", {
                members: t("state.members", { count: members.length }),
                groups: t("state.groups", { count: groups.length }),
              })}
            </span>
          </summary>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">{t("state.memberOrGroup")}</th>
                <th scope="col">{t("state.does")}</th>
                <th scope="col">
                  <span class="unseen">{t("state.actions")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {members.map(({ id, action, statement }) => (
                <tr key={`m${id}`}>
                  <td>{t("state.member", { id: String(id) })}</td>
                  <td class="mono">{action}</td>
                  <td>
                    <EditButton
                      what={t("state.what.member", { id: String(id), name })}
                      click={() => edit(statement)}
                    />
                  </td>
                </tr>
              ))}
              {groups.map(({ id, members: parts, statement }) => (
                <tr key={`g${id}`}>
                  <td>{t("state.group", { id: String(id) })}</td>
                  <td>
                    {parts
                      .map((part) => `${part.id}${part.weight === 1 ? "" : ` × ${part.weight}`}`)
                      .join(", ")}
                  </td>
                  <td>
                    <EditButton
                      what={t("state.what.group", { id: String(id), name })}
                      click={() => edit(statement)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
      {state.arrays.map((array) => (
        <ArrayPart key={array.name} node={state.switch} array={array} edit={edit} />
      ))}
      {state.others.length === 0 ? null : (
        <details open>
          <summary>
            <strong>{t("state.others")}</strong>
          </summary>
          <table class="list">
            <tbody>
              {state.others.map(({ kind, statement }) => (
                <tr key={statement}>
                  <td>{t(`others.${kind}`)}</td>
                  <td class="mono">{statement}</td>
                  <td>
                    <EditButton what={t(`others.${kind}`)} click={() => edit(statement)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </div>
  );
}

export function EditButton({ what, click }: { what: string; click: () => void }) {
  return (
    <button
      type="button"
      class="plain"
      aria-label={t("state.editWhat", { what })}
      title={t("state.edit.title")}
      onClick={click}
    >
      {t("state.edit")}
    </button>
  );
}
