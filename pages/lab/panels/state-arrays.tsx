import { useState } from "preact/hooks";
import type { ArrayView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab } from "../parts/context.js";
import { EditButton } from "./state.js";

interface Props {
  node: string;
  array: ArrayView;
  edit: (text: string) => void;
}

const cellsText = ({ kind, size, bits }: ArrayView): string =>
  bits === undefined
    ? t("array.cells", { kind: t(`array.kind.${kind}`), count: size })
    : t("array.cellsOfBits", { kind: t(`array.kind.${kind}`), count: size, bits });

/** A counter, meter or register with some of its cells: those that are not 0, or those from a given index. */
export function ArrayPart({ node, array, edit }: Props) {
  const lab = useLab();
  const [from, setFrom] = useState<ArrayView>();
  const [first, setFirst] = useState("0");
  const shown = from ?? array;
  const show = async () => {
    const state = await lab.ask({
      op: "state.read",
      switch: node,
      cells: { array: array.name, from: Math.max(0, Math.trunc(Number(first)) || 0) },
    });
    setFrom(state?.arrays.find(({ name }) => name === array.name));
  };
  return (
    <details open>
      <summary>
        <strong>{array.name}</strong> <span class="quiet">{cellsText(array)}</span>
      </summary>
      <table class="list" aria-label={t("array.label", { name: array.name })}>
        <thead>
          <tr>
            <th scope="col" class="number narrow">
              {t("array.index")}
            </th>
            <th scope="col">{t("array.value")}</th>
            <th scope="col">
              <span class="unseen">{t("state.edit")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.cells.map(({ index, value, statement }) => (
            <tr key={index}>
              <td class="number">{index}</td>
              <td class="mono">{value}</td>
              <td>
                <EditButton
                  what={t("state.what.cell", { index: String(index), name: array.name })}
                  click={() => edit(statement)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {array.size > array.cells.length ? (
        <form
          class="row small"
          onSubmit={(event) => {
            event.preventDefault();
            void show();
          }}
        >
          <label>
            {t("array.from")}{" "}
            <input
              type="number"
              min={0}
              max={array.size - 1}
              value={first}
              onInput={({ currentTarget }) => setFirst(currentTarget.value)}
            />
          </label>
          <button type="submit">{t("array.show")}</button>
          {from === undefined ? null : (
            <button type="button" onClick={() => setFrom(undefined)}>
              {t("array.live")}
            </button>
          )}
        </form>
      ) : null}
    </details>
  );
}
