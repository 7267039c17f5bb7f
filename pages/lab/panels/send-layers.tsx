/**
 * The headers of a packet to build, each with its fields. An empty field gets the value that follows from the rest of
 * the packet.
 */
import type { HeaderView, LabReply, LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import type { Layer } from "./send-presets.js";

type Built = Extract<LabReply<"packet.build">, { ok: true }>["value"];

/** The well-known headers and those of the programs, each once. */
export function knownHeaders({ headers, programs }: LabView): readonly HeaderView[] {
  const known = new Map(headers.map((header) => [header.name, header]));
  for (const program of programs)
    for (const header of program.headers) if (!known.has(header.name)) known.set(header.name, header);
  return [...known.values()];
}

interface Props {
  layers: readonly Layer[];
  headers: readonly HeaderView[];
  change: (layers: readonly Layer[]) => void;
  /** The packet as it was built, with the values of the empty fields. */
  built: Built | undefined;
}

export function LayerEditor({ layers, headers, change, built }: Props) {
  const replace = (index: number, layer: Layer | undefined) =>
    change(layers.flatMap((one, at) => (at === index ? (layer === undefined ? [] : [layer]) : [one])));
  const move = (index: number, by: number) => {
    const next = [...layers];
    const [one] = next.splice(index, 1);
    next.splice(index + by, 0, one!);
    change(next);
  };
  return (
    <div class="layers">
      {layers.map((layer, index) => {
        const known = headers.find(({ name }) => name === layer.header);
        const values = built?.layers[index]?.header === layer.header ? built.layers[index]!.fields : {};
        return (
          <fieldset key={index}>
            <legend>{layer.header}</legend>
            <div class="row fields">
              {(known?.fields ?? []).map(({ name, bits }) => (
                <label key={name} class="field">
                  {name}
                  {bits === 0 ? "" : ` (${bits})`}
                  <input
                    type="text"
                    class="mono"
                    value={layer.fields[name] ?? ""}
                    placeholder={values[name] ?? ""}
                    spellcheck={false}
                    onInput={({ currentTarget }) =>
                      replace(index, { ...layer, fields: { ...layer.fields, [name]: currentTarget.value } })
                    }
                  />
                </label>
              ))}
            </div>
            <div class="moves small">
              <button
                type="button"
                class="plain"
                disabled={index === 0}
                aria-label={t("layer.earlier", { name: layer.header })}
                onClick={() => move(index, -1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="plain"
                disabled={index === layers.length - 1}
                aria-label={t("layer.later", { name: layer.header })}
                onClick={() => move(index, 1)}
              >
                ↓
              </button>
              <button
                type="button"
                class="plain"
                aria-label={t("layer.remove", { name: layer.header })}
                disabled={layers.length === 1}
                onClick={() => replace(index, undefined)}
              >
                ✕
              </button>
            </div>
          </fieldset>
        );
      })}
      <label class="row small">
        {t("layer.add")}
        <select
          value=""
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "") change([...layers, { header: currentTarget.value, fields: {} }]);
          }}
        >
          <option value="">{t("layer.which")}</option>
          {headers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
