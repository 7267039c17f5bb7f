/** The story of one packet: its path over all hops, the actions of each switch, and their P4 lines. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { HopView, StoryView } from "../../../src/course/lab/index.js";
import type { PacketTrace } from "../../../src/toolchain/switch/index.js";
import { type StoryLine, storyLines } from "../../../src/toolchain/trace/index.js";
import { SourceView } from "../editor/source-view.js";
import { rich, t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { bytesText, clockText, timeText } from "../parts/words.js";
import { endText } from "./packets.js";

type SwitchHop = Extract<HopView, { kind: "switch" }>;

export function StoryPanel() {
  const story = useLabState((state) => state.story);
  if (story === undefined) return <p class="empty">{t("story.none")}</p>;
  return <Story key={story.id} story={story} />;
}

function Story({ story }: { story: StoryView }) {
  const lab = useLab();
  const switches = story.hops.filter((hop): hop is SwitchHop => hop.kind === "switch");
  const [place, setPlace] = useState<{ hop: number; line: number | undefined }>();
  const [outcomes, setOutcomes] = useState<{ hop: number; trace: PacketTrace }>();
  const hop = place === undefined ? switches.at(-1) : (story.hops[place.hop] as SwitchHop | undefined);
  const traceOf = (index: number): PacketTrace | undefined =>
    outcomes?.hop === index ? outcomes.trace : (story.hops[index] as SwitchHop).trace;
  const trace = hop === undefined ? undefined : traceOf(story.hops.indexOf(hop));
  const lines = useMemo(() => (trace === undefined ? [] : storyLines(trace)), [trace]);
  const ask = async (index: number, all: boolean): Promise<void> => {
    setPlace({ hop: index, line: undefined });
    const answer = all ? await lab.ask({ op: "packet.outcomes", packet: story.id, hop: index }) : undefined;
    setOutcomes(answer && { hop: index, trace: answer.trace });
  };
  const lit = useMemo(
    () => new Set(lines.flatMap(({ source }) => (source === undefined ? [] : [source.line]))),
    [lines],
  );
  const now = place?.line === undefined ? endLine(story, hop) : lines[place.line]?.source?.line;
  const program = useProgram(hop?.program);
  return (
    <>
      <div class="row">
        <strong>{story.label}</strong>
        <span
          class={story.end.kind === "dropped" ? "bad" : story.end.kind === "delivered" ? "good" : "quiet"}
        >
          {endText(story.end)}
        </span>
        <span class="room" />
        {story.parent === undefined ? null : (
          <button type="button" class="plain" onClick={() => void lab.showStory(story.parent!)}>
            {t("story.parent", { id: String(story.parent) })}
          </button>
        )}
        {story.copies.map((copy) => (
          <button key={copy} type="button" class="plain" onClick={() => void lab.showStory(copy)}>
            {t("story.copy", { id: String(copy) })}
          </button>
        ))}
        <button type="button" onClick={() => void lab.showStory(story.id)}>
          {t("story.refresh")}
        </button>
      </div>
      <div class="story fill">
        <ol class="hops" aria-label={t("story.path")} onKeyDown={moveByArrows}>
          {story.hops.map((one, index) =>
            one.kind === "switch" ? (
              <SwitchPart
                key={index}
                hop={one}
                trace={traceOf(index)}
                all={outcomes?.hop === index}
                show={(all) => void ask(index, all)}
                open={one === hop}
                current={one === hop ? place?.line : undefined}
                choose={(line) => setPlace({ hop: index, line })}
              />
            ) : (
              <li key={index} class="hop">
                <PlainHop hop={one} />
              </li>
            ),
          )}
        </ol>
      </div>
      {hop !== undefined && program !== undefined ? (
        <>
          <div class="row small quiet">
            {t(trace === hop.trace ? "story.lit" : "story.litAll", {
              program: hop.program ?? "",
              node: hop.node,
            })}
          </div>
          <SourceView
            text={program}
            label={t("story.source", { program: hop.program ?? "" })}
            lit={lit}
            now={now}
          />
        </>
      ) : null}
    </>
  );
}

/** The line that dropped the packet, if it was at this hop. */
function endLine(story: StoryView, hop: SwitchHop | undefined): number | undefined {
  const { end } = story;
  return end.kind === "dropped" && hop !== undefined && end.node === hop.node ? end.place?.line : undefined;
}

function useProgram(path: string | undefined): string | undefined {
  const lab = useLab();
  const [text, setText] = useState<{ path: string; text: string }>();
  useEffect(() => {
    if (path === undefined) return;
    let current = true;
    void lab.ask({ op: "files.read", path }).then((file) => {
      if (current && file !== undefined) setText({ path, text: file.text });
    });
    return () => {
      current = false;
    };
  }, [path]);
  return text !== undefined && text.path === path ? text.text : undefined;
}

function PlainHop({ hop }: { hop: Exclude<HopView, SwitchHop> }) {
  if (hop.kind === "link")
    return (
      <span class="quiet">
        {hop.arrives === undefined
          ? t("story.onWire", { from: hop.from, to: hop.to })
          : `${hop.from} → ${hop.to}${hop.arrives > hop.departs ? `, ${timeText(hop.arrives - hop.departs)}` : ""}`}
      </span>
    );
  return (
    <span>
      {rich(hop.kind === "send" ? "story.sends" : "story.receives", {
        node: <strong>{hop.node}</strong>,
        bytes: bytesText(hop.bytes.length / 2),
        at: <span class="quiet">{t("story.at", { time: clockText(hop.at) })}</span>,
      })}
      <details>
        <summary class="small quiet">{t("story.bytes")}</summary>
        <code class="bytes">{(hop.bytes.match(/../g) ?? []).join(" ")}</code>
      </details>
    </span>
  );
}

interface SwitchProps {
  hop: SwitchHop;
  /** What the packet did, or with `all` what it can do. */
  trace: PacketTrace | undefined;
  all: boolean;
  show: (all: boolean) => void;
  open: boolean;
  current: number | undefined;
  choose: (line: number | undefined) => void;
}

function SwitchPart({ hop, trace, all, show, open, current, choose }: SwitchProps) {
  const can = useLabState(({ lab }) => lab?.can.outcomes ?? false);
  const lines = useMemo(() => (open && trace !== undefined ? storyLines(trace).slice(1) : []), [trace, open]);
  const count = trace?.outcomes ?? 0;
  return (
    <li class="hop">
      <button type="button" class="plain" aria-expanded={open} onClick={() => choose(undefined)}>
        <strong>{hop.node}</strong> <span class="quiet">{t("story.at", { time: clockText(hop.at) })}</span>
      </button>
      {hop.trace === undefined && open ? <span class="quiet"> {t("story.inSwitch")}</span> : null}
      {can && open && hop.trace !== undefined ? (
        <button
          type="button"
          class="plain"
          aria-pressed={all}
          title={t("story.every.title")}
          onClick={() => show(!all)}
        >
          {all ? t("story.outcomes", { count }) : t("story.every")}
        </button>
      ) : null}
      {open ? (
        <ol class="steps">
          {lines.map((line, index) => (
            <Step key={index} line={line} now={current === index + 1} choose={() => choose(index + 1)} />
          ))}
        </ol>
      ) : null}
    </li>
  );
}

function Step({ line, now, choose }: { line: StoryLine; now: boolean; choose: () => void }) {
  const text = <span class={`tone-${line.style ?? "plain"}`}>{line.text}</span>;
  const indent = { paddingLeft: `${(line.depth - 1) * 14 + 4}px` };
  return (
    <li>
      {line.source === undefined ? (
        <span class="step" style={indent}>
          {text}
        </span>
      ) : (
        <button
          type="button"
          class="plain step"
          style={indent}
          aria-current={now ? "step" : undefined}
          onClick={choose}
          onFocus={choose}
        >
          {text}
          <span class="line">{line.source.line}</span>
        </button>
      )}
    </li>
  );
}

/** Up and down move between the steps. */
function moveByArrows(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const steps = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("button")];
  const index = steps.indexOf(document.activeElement as HTMLElement);
  if (index < 0) return;
  event.preventDefault();
  steps[index + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
}
