import { useState } from "preact/hooks";
import type { LabView } from "../../../src/course/lab/index.js";
import { useLab, useLabState } from "../parts/context.js";
import { ChoiceCard } from "./choice-card.js";
import { NetworkList } from "./network-list.js";
import { NetworkView } from "./network-view.js";

interface Props {
  lab: LabView;
  go: (tab: "state" | "hosts" | "send", node: string) => void;
}

/** The network as a drawing or as a list. */
export function NetworkPart({ lab: view, go }: Props) {
  const lab = useLab();
  const chosen = useLabState((state) => state.choice !== undefined);
  const [asList, setAsList] = useState(false);
  const broken =
    view.links.filter(({ up }) => !up).length +
    view.nodes.filter(({ up, kind }) => kind === "switch" && !up).length;
  const mendAll = async () => {
    for (const { id, up } of view.links) if (!up) await lab.setLink(id, true);
    for (const { name, up, kind } of view.nodes)
      if (kind === "switch" && !up) await lab.setSwitch(name, true);
  };
  return (
    <section class="card network-part" aria-label="Network">
      <div class="network-head">
        <h2>Network</h2>
        <span class="room" />
        {broken === 0 ? null : (
          <button type="button" onClick={() => void mendAll()}>
            Repair all
          </button>
        )}
        <button type="button" aria-pressed={asList} onClick={() => setAsList(!asList)}>
          As a list
        </button>
        <button
          type="button"
          title="Creates the network from its files again, with the clock at 0"
          onClick={() => void lab.restart()}
        >
          Restart
        </button>
      </div>
      {asList ? <NetworkList lab={view} /> : <NetworkView lab={view} />}
      {asList ? null : <ChoiceCard lab={view} go={go} />}
      {asList || chosen ? null : (
        <div class="legend" aria-hidden="true">
          <span>
            <i style={{ background: "var(--u0)" }} />
            idle
          </span>
          <span>
            <i style={{ background: "var(--u1)" }} />
            up to half full
          </span>
          <span>
            <i style={{ background: "var(--u2)" }} />
            up to 85 %
          </span>
          <span>
            <i style={{ background: "var(--u3)" }} />
            full
          </span>
          <span>
            <i class="queue" />
            queue
          </span>
          <span>click a packet for its story; double click breaks and repairs</span>
        </div>
      )}
    </section>
  );
}
