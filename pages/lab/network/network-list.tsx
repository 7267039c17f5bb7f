/** The network as text, with everything that the drawing shows, for screen readers and for users who prefer text. */
import { useEffect, useState } from "preact/hooks";
import type { LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { countText, percentText } from "../parts/words.js";
import { Fault } from "./choice-card.js";
import { endsOf } from "./ends.js";

export function NetworkList({ lab: view }: { lab: LabView }) {
  const lab = useLab();
  const drops = useLabState((state) => state.drops);
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const dropped = (place: string) =>
    drops.filter((drop) => drop.place === place).reduce((sum, { packets }) => sum + packets, 0);
  return (
    <div class="network-list">
      <h3 id="list-nodes">{t("list.nodes")}</h3>
      <table aria-labelledby="list-nodes">
        <thead>
          <tr>
            <th scope="col">{t("list.name")}</th>
            <th scope="col">{t("list.kind")}</th>
            <th scope="col">{t("list.state")}</th>
            <th scope="col" class="number">
              {t("tab.drops")}
            </th>
            <th scope="col">
              <span class="unseen">{t("list.action")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {view.nodes.map((node) => (
            <tr key={node.name}>
              <th scope="row">{node.name}</th>
              <td>
                {node.kind === "host"
                  ? t("list.host", { address: node.ipv4 ?? node.ipv6 ?? "" })
                  : t("list.switch", { program: node.program ?? t("element.noProgram") })}
              </td>
              <td class={node.up ? "" : "bad"}>{t(node.up ? "element.up" : "element.broken")}</td>
              <td class="number">{countText(dropped(node.name))}</td>
              <td>
                {node.kind === "switch" ? (
                  <Fault
                    up={node.up}
                    of={{ kind: "switch", name: node.name }}
                    set={(up) => void lab.setSwitch(node.name, up)}
                  />
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3 id="list-links">{t("list.links")}</h3>
      <table aria-labelledby="list-links">
        <thead>
          <tr>
            <th scope="col">{t("list.link")}</th>
            <th scope="col">{t("list.state")}</th>
            <th scope="col" class="number">
              {t("list.there")}
            </th>
            <th scope="col" class="number">
              {t("list.back")}
            </th>
            <th scope="col">
              <span class="unseen">{t("list.action")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {view.links.map(({ id, a, b, up, silent }) => {
            const [there, back] = lab.live.lanes(id);
            const name = t("list.ends", endsOf({ a, b }));
            return (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td class={up ? "" : "bad"}>
                  {t(up ? "element.up" : silent ? "element.brokenSilently" : "element.broken")}
                </td>
                <td class="number">{percentText(there.load)}</td>
                <td class="number">{percentText(back.load)}</td>
                <td>
                  <Fault
                    up={up}
                    of={{ kind: "link", a: a.node, b: b.node }}
                    set={(next) => void lab.setLink(id, next)}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
