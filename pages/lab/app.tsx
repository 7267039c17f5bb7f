/** The page: the clock at the top, the network with its packets at the left, the panels at the right. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabView } from "../../src/course/lab/index.js";
import { LanguageChoice, type Languages } from "./language/choice.js";
import { language, t } from "./language/texts.js";
import { NetworkPart } from "./network/network-part.js";
import { ClockBar } from "./panels/clock-bar.js";
import { ExercisePanel } from "./panels/exercise.js";
import { HostsPanel } from "./panels/hosts.js";
import { DropList, LogList, PacketList } from "./panels/packets.js";
import { PlotsPanel } from "./panels/plots.js";
import { ProgramPanel } from "./panels/program.js";
import { SendPanel } from "./panels/send.js";
import { StatePanel } from "./panels/state.js";
import { StoryPanel } from "./panels/story.js";
import { LabContext, useLab, useLabState } from "./parts/context.js";
import { Help, useKeys } from "./parts/keys.js";
import { Message } from "./parts/message.js";
import { Splitter } from "./parts/splitter.js";
import { type Tab, Tabs } from "./parts/tabs.js";
import { ThemeToggle } from "./parts/theme.js";
import { countText } from "./parts/words.js";
import { ProjectChoice, type Projects } from "./projects.js";
import type { Lab } from "./state/lab.js";
import { slowMotion } from "./state/slow-motion.js";
import { useStore } from "./state/store.js";

interface AppProps {
  lab: Lab;
  projects: Projects | undefined;
  languages: Languages;
}

export function App({ lab, projects, languages }: AppProps) {
  // All of the page is drawn again in another language.
  useStore(language, (value) => value.code);
  return (
    <LabContext.Provider value={lab}>
      <Page projects={projects} languages={languages} />
    </LabContext.Provider>
  );
}

function Page({ projects, languages }: Omit<AppProps, "lab">) {
  const view = useLabState((state) => state.lab);
  const connection = useLabState((state) => state.connection);
  const reason = useLabState((state) => state.reason);
  if (view === undefined)
    return (
      <main class="waiting">
        <p role={connection === "lost" ? "alert" : "status"}>
          {connection === "lost" ? reason : t("page.starts")}
        </p>
      </main>
    );
  const lost = connection === "lost" ? reason : undefined;
  return <Work lab={view} {...{ projects, languages, lost }} />;
}

interface WorkProps extends Omit<AppProps, "lab"> {
  lab: LabView;
  lost: string | undefined;
}

function Work({ lab: view, projects, languages, lost }: WorkProps) {
  const lab = useLab();
  const exercise = useLabState((state) => state.exercise);
  const drops = useLabState((state) => state.drops);
  const changed = useLabState((state) => state.open.some(({ text, saved }) => text !== saved));
  const wrong = useLabState((state) =>
    Object.values(state.diagnostics).some((list) => list.some(({ severity }) => severity === "error")),
  );
  // Before a tab is chosen, the exercise comes after the network.
  const [chosenTab, setTab] = useState<string>();
  const tab = chosenTab ?? (exercise === undefined ? "program" : "exercise");
  const [below, setBelow] = useState("packets");
  const [left, setLeft] = useState(52);
  const [top, setTop] = useState(64);
  const [node, setNode] = useState<Record<string, string>>({});
  const help = useRef<HTMLDialogElement>(null);
  useKeys({
    help: () => help.current?.showModal(),
    run: () => view.can.clock && void lab.setClock({ running: !lab.store.value.lab?.clock.running }),
    step: () => view.can.clock && void lab.step(),
  });
  const go = (name: "state" | "hosts" | "send", which: string) => {
    setNode({ ...node, [name]: which });
    setTab(name);
  };
  const follow = (packet: number) => {
    void lab.showStory(packet).then(() => setTab("story"));
  };
  // A click on a packet in the network also opens its story.
  const story = useLabState((state) => state.story?.id);
  useEffect(() => {
    if (story !== undefined) setTab("story");
  }, [story]);
  const choose = (which: string) => (name: string) => setNode({ ...node, [which]: name });
  const tabs: Tab[] = [
    ...(exercise === undefined
      ? []
      : [
          {
            ...{ name: "exercise", title: t("tab.exercise") },
            content: () => <ExercisePanel exercise={exercise} canTest={view.can.tests} />,
          },
        ]),
    {
      ...{ name: "program", title: t("tab.program"), mark: wrong ? "!" : changed ? "*" : undefined },
      content: () => <ProgramPanel />,
    },
    { name: "story", title: t("tab.story"), content: () => <StoryPanel /> },
    {
      ...{ name: "state", title: t("tab.state") },
      content: () => <StatePanel lab={view} chosen={node["state"]} choose={choose("state")} />,
    },
    {
      ...{ name: "hosts", title: t("tab.hosts") },
      content: () => <HostsPanel lab={view} chosen={node["hosts"]} choose={choose("hosts")} />,
    },
    {
      ...{ name: "send", title: t("tab.send") },
      content: () => <SendPanel lab={view} from={node["send"]} follow={follow} />,
    },
    { name: "plots", title: t("tab.plots"), content: () => <PlotsPanel /> },
  ];
  const dropped = drops.reduce((sum, { packets }) => sum + packets, 0);
  const happenings: Tab[] = [
    { name: "packets", title: t("tab.packets"), content: () => <PacketList follow={follow} /> },
    {
      ...{ name: "drops", title: t("tab.drops"), mark: dropped === 0 ? undefined : countText(dropped) },
      content: () => <DropList />,
    },
    { name: "log", title: t("tab.log"), content: () => <LogList /> },
  ];
  return (
    <>
      <header class="bar">
        <h1>
          <span>p4loom lab</span> {exercise?.title ?? view.title}
        </h1>
        {projects === undefined ? null : <ProjectChoice projects={projects} />}
        <span class="room" />
        {view.can.clock ? <ClockBar clock={view.clock} slow={slowMotion(view)} /> : null}
        <span class="room" />
        <span class="chip">{t(`engine.${view.engine}`)}</span>
        {lost === undefined ? null : (
          <span class="chip bad" role="alert">
            {lost}
          </span>
        )}
        <button
          type="button"
          class="icon"
          aria-label={t("help.open")}
          title={`${t("help.open")} (?)`}
          onClick={() => help.current?.showModal()}
        >
          ?
        </button>
        <LanguageChoice offered={languages} />
        <ThemeToggle />
      </header>
      <main class="work" style={{ "--left": `${left}fr`, "--right": `${100 - left}fr` }}>
        <div class="left" style={{ "--top": `${top}fr`, "--bottom": `${100 - top}fr` }}>
          <NetworkPart lab={view} go={go} />
          <Splitter label={t("page.height")} orientation="horizontal" value={top} change={setTop} />
          <Tabs id="below" label={t("page.below")} tabs={happenings} chosen={below} choose={setBelow} />
        </div>
        <Splitter label={t("page.width")} orientation="vertical" value={left} change={setLeft} />
        <Tabs id="work" label={t("page.work")} tabs={tabs} chosen={tab} choose={setTab} />
      </main>
      <Message />
      <Help dialog={help} />
    </>
  );
}
