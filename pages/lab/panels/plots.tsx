/** The charts: throughput, queues, round-trip times, congestion windows and completion times. */
import { useMemo } from "preact/hooks";
import type { FlowView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLabState } from "../parts/context.js";
import { bytesText, rateText, timeText } from "../parts/words.js";
import { Plot, type Series } from "./plot.js";
import { columns } from "./plot-columns.js";

/** Maximum number of flows and queues in a chart: those with the maxLengths bytes or the longest queues are shown. */
const MAX_SERIES = 8;

export function PlotsPanel() {
  const flows = useLabState((state) => state.flows);
  const history = useLabState((state) => state.history);
  const shown = useMemo(() => flows.filter(({ points }) => points.length > 0).slice(-MAX_SERIES), [flows]);
  const senders = useMemo(() => shown.filter(({ kind }) => kind !== "ping"), [shown]);
  const throughput = useMemo(() => columns(senders, (point) => point.bitsPerSecond), [senders]);
  const tcp = useMemo(() => shown.filter(({ kind }) => kind === "tcp"), [shown]);
  const windows = useMemo(() => columns(tcp, (point) => point.windowBytes ?? null), [tcp]);
  const trips = useMemo(() => columns(shown, (point) => point.rttNs ?? null), [shown]);
  const names = useMemo(() => busiest(history), [history]);
  const times = useMemo(() => history.map(({ at }) => at / 1e9), [history]);
  const queues: Series[] = names.map((name, colour) => ({
    ...{ name, colour, values: history.map((point) => point.queues[name] ?? 0) },
  }));
  const done = flows.filter(({ fctNs, kind }) => fctNs !== undefined && kind === "tcp");
  if (flows.length === 0 && history.length === 0) return <p class="empty">{t("plots.none")}</p>;
  return (
    <>
      <Plot
        title={t("plots.throughput")}
        times={throughput.times}
        series={named(senders, throughput.values)}
        text={rateText}
      />
      <Plot
        title={t("plots.delivered")}
        times={times}
        series={[{ name: t("plots.all"), colour: 0, values: history.map((point) => point.bitsPerSecond) }]}
        text={rateText}
      />
      <Plot
        title={t("plots.queues")}
        times={times}
        series={queues}
        text={(value) => t("plots.packets", { count: Math.round(value) })}
      />
      {trips.values.some((one) => one.some((value) => value !== null)) ? (
        <Plot
          title={t("plots.rtt")}
          times={trips.times}
          series={named(shown, trips.values)}
          text={timeText}
        />
      ) : null}
      {tcp.length === 0 ? null : (
        <Plot
          title={t("plots.windows")}
          times={windows.times}
          series={named(tcp, windows.values)}
          text={bytesText}
        />
      )}
      {done.length === 0 ? null : (
        <Plot
          title={t("plots.fct")}
          times={[...done].sort(byEnd).map(({ endedAt }) => (endedAt ?? 0) / 1e9)}
          series={[
            { name: "FCT", colour: 2, dots: true, values: [...done].sort(byEnd).map(({ fctNs }) => fctNs!) },
          ]}
          text={timeText}
        />
      )}
    </>
  );
}

const byEnd = (a: FlowView, b: FlowView): number => (a.endedAt ?? 0) - (b.endedAt ?? 0);

const named = (flows: readonly FlowView[], values: readonly (readonly (number | null)[])[]): Series[] =>
  flows.map(({ label, id }, index) => ({ name: label, colour: id, values: values[index] ?? [] }));

/** The queues with the largest lengths. */
function busiest(history: readonly { readonly queues: Readonly<Record<string, number>> }[]): string[] {
  const maxLengths = new Map<string, number>();
  for (const { queues } of history)
    for (const [name, packets] of Object.entries(queues))
      maxLengths.set(name, Math.max(maxLengths.get(name) ?? 0, packets));
  return [...maxLengths]
    .sort(([a, p], [b, q]) => q - p || a.localeCompare(b))
    .slice(0, MAX_SERIES)
    .map(([name]) => name)
    .sort();
}
