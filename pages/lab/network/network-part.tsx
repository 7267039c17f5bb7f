import { useState } from "preact/hooks";
import type { LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
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
    <section class="card network-part" aria-label={t("network.title")}>
      <div class="network-head">
        <h2>{t("network.title")}</h2>
        <span class="room" />
        {broken === 0 ? null : (
          <button type="button" onClick={() => void mendAll()}>
            {t("network.repairAll")}
          </button>
        )}
        <button type="button" aria-pressed={asList} onClick={() => setAsList(!asList)}>
          {t("network.asList")}
        </button>
        <button type="button" title={t("network.restart.title")} onClick={() => void lab.restart()}>
          {t("network.restart")}
        </button>
      </div>
      {asList ? <NetworkList lab={view} /> : <NetworkView lab={view} />}
      {asList ? null : <ChoiceCard lab={view} go={go} />}
      {asList || chosen ? null : (
        <div class="legend" aria-hidden="true">
          <span>
            <i style={{ background: "var(--u0)" }} />
            {t("legend.idle")}
          </span>
          <span>
            <i style={{ background: "var(--u1)" }} />
            {t("legend.half")}
          </span>
          <span>
            <i style={{ background: "var(--u2)" }} />
            {t("legend.most")}
          </span>
          <span>
            <i style={{ background: "var(--u3)" }} />
            {t("legend.full")}
          </span>
          <span>
            <i class="queue" />
            {t("legend.queue")}
          </span>
          <span>{t("legend.how")}</span>
        </div>
      )}
    </section>
  );
}
