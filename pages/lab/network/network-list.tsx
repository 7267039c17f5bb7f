/** The network as text, with everything that the drawing shows, for screen readers and for users who prefer text. */
import { useEffect, useState } from "preact/hooks";
import type { LabView } from "../../../src/course/lab/index.js";
import { useLab, useLabState } from "../parts/context.js";
import { countText, percentText } from "../parts/words.js";
import { Fault } from "./choice-card.js";

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
      <h3 id="list-nodes">Switches and hosts</h3>
      <table aria-labelledby="list-nodes">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">What it is</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Drops
            </th>
            <th scope="col">
              <span class="unseen">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {view.nodes.map((node) => (
            <tr key={node.name}>
              <th scope="row">{node.name}</th>
              <td>
                {node.kind === "host"
                  ? `host ${node.ipv4 ?? node.ipv6 ?? ""}`
                  : `switch, ${node.program ?? "no program"}`}
              </td>
              <td class={node.up ? "" : "bad"}>{node.up ? "up" : "broken"}</td>
              <td class="number">{countText(dropped(node.name))}</td>
              <td>
                {node.kind === "switch" ? (
                  <Fault
                    up={node.up}
                    what={`switch ${node.name}`}
                    set={(up) => void lab.setSwitch(node.name, up)}
                  />
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3 id="list-links">Links</h3>
      <table aria-labelledby="list-links">
        <thead>
          <tr>
            <th scope="col">Link</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Load there
            </th>
            <th scope="col" class="number">
              Load back
            </th>
            <th scope="col">
              <span class="unseen">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {view.links.map(({ id, a, b, up, silent }) => {
            const [there, back] = lab.live.lanes(id);
            const name = `${a.node} port ${a.port} – ${b.node} port ${b.port}`;
            return (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td class={up ? "" : "bad"}>{up ? "up" : silent ? "broken, without a signal" : "broken"}</td>
                <td class="number">{percentText(there.load)}</td>
                <td class="number">{percentText(back.load)}</td>
                <td>
                  <Fault
                    up={up}
                    what={`link ${a.node} – ${b.node}`}
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
