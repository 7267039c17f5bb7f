/** The teacher's page of a room: who works, and which tests pass. It asks the server every few seconds. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import "./style/theme.css";
import "./style/room.css";
import type { RoomStatus, StudentStatus } from "../../src/course/lab-server/index.js";
import { LanguageChoice, type Languages, readLanguages, startLanguage } from "./language/choice.js";
import { language, numberText, t } from "./language/texts.js";
import { pointsText } from "./parts/points.js";
import { SCROLLED } from "./parts/scrolled.js";
import { ThemeToggle } from "./parts/theme.js";
import { useStore } from "./state/store.js";

const EVERY_MS = 3000;

async function readStatus(): Promise<RoomStatus | undefined> {
  try {
    const answer = await fetch(`room.json${location.search}`);
    return answer.ok ? ((await answer.json()) as RoomStatus) : undefined;
  } catch {
    return undefined;
  }
}

function RoomPage({ languages }: { languages: Languages }) {
  useStore(language, (value) => value.code);
  const [status, setStatus] = useState<RoomStatus>();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    const look = async () => {
      const next = await readStatus();
      setLost(next === undefined);
      if (next !== undefined) setStatus(next);
    };
    void look();
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <header class="bar">
        <h1>
          <span>p4loom</span> {status === undefined ? t("room.title") : `${t("room.title")}: ${status.title}`}
        </h1>
        <span class="room" />
        {lost ? (
          <span class="chip bad" role="alert">
            {t("room.lost")}
          </span>
        ) : null}
        <LanguageChoice offered={languages} />
        <ThemeToggle />
      </header>
      <main class="room-page">{status === undefined ? null : <Overview status={status} />}</main>
    </>
  );
}

function Overview({ status: { students, tests, memoryMb } }: { status: RoomStatus }) {
  const all = tests.reduce((sum, { points }) => sum + points, 0);
  const here = students.filter(({ pages }) => pages > 0).length;
  return (
    <>
      <p>
        {t("room.summary", { here, count: students.length })}{" "}
        <span class="quiet">
          {t("room.memory", { used: sizeText(sumOf(students, "bytes")), most: sizeText(memoryMb * 2 ** 20) })}
        </span>
      </p>
      <div class="scroll" {...SCROLLED}>
        <table class="list" aria-label={t("room.title")}>
          <thead>
            <tr>
              <th scope="col">{t("room.student")}</th>
              <th scope="col">{t("room.state")}</th>
              <th scope="col" class="number">
                {t("room.points", { all: numberText(all) })}
              </th>
              {tests.map(({ name }, index) => (
                <th scope="col" key={name} title={name} class="test">
                  {numberText(index + 1)}
                  <span class="unseen"> {name}</span>
                </th>
              ))}
              <th scope="col">{t("room.last")}</th>
              <th scope="col" class="number">
                {t("room.used")}
              </th>
            </tr>
          </thead>
          <tbody>
            {students.map((student) => (
              <Row key={student.name} student={student} />
            ))}
          </tbody>
        </table>
      </div>
      <ol class="small quiet">
        {tests.map(({ name, points }) => (
          <li key={name}>{`${name} (${pointsText(points)})`}</li>
        ))}
      </ol>
    </>
  );
}

function Row({ student }: { student: StudentStatus }) {
  const { name, state, pages, points, results, at, bytes, peak, ended } = student;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class={ended === undefined ? "" : "bad"} title={ended}>
        {t(pages > 0 ? "room.state.open" : `room.state.${state}`)}
      </td>
      <td class="number">{numberText(points)}</td>
      {results.map((result, index) => (
        <td key={index} class={`test ${result === "passed" ? "good" : result === "none" ? "quiet" : "bad"}`}>
          <span aria-hidden="true">{result === "passed" ? "✓" : result === "none" ? "○" : "✕"}</span>
          <span class="unseen">{t(`room.test.${result}`)}</span>
        </td>
      ))}
      <td>{at === undefined ? "" : new Date(at).toLocaleTimeString(language.value.code)}</td>
      <td class="number" title={t("room.peak", { size: sizeText(peak) })}>
        {bytes === 0 ? "" : sizeText(bytes)}
      </td>
    </tr>
  );
}

const sumOf = (students: readonly StudentStatus[], key: "bytes"): number =>
  students.reduce((sum, student) => sum + student[key], 0);

const sizeText = (bytes: number): string => `${numberText(Math.round(bytes / 2 ** 20))} MiB`;

const languages = await readLanguages();
await startLanguage(languages);
const place = document.getElementById("page");
if (place !== null) render(<RoomPage languages={languages} />, place);
