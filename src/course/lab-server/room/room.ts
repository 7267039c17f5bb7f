/**
 * A room: one exercise for a list of students, each with a session of their own by a token, and a page for the teacher that shows where each
 * one stands.
 */
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Place } from "../connection.js";
import { Progress } from "./progress.js";
import { Seat, type SeatLimits, type SeatState } from "./seat.js";
import { roomExercise } from "./seat-project.js";
import { readRoom } from "./students.js";

/** Pages that a student may have open. */
const MAX_PAGES = 4;
/** Folder of the students' files, in that of the room. */
const WORK = "work";

interface RoomOptions extends SeatLimits {
  /** The exercise. */
  readonly exercise: string;
  /** The folder of the room: its list of students, their tokens, files and results. */
  readonly folder: string;
  readonly seed: number;
  /** Receives lines for the teacher. */
  log(line: string): void;
}

/** What the teacher's page shows. */
export interface RoomStatus {
  readonly title: string;
  readonly memoryMb: number;
  readonly tests: readonly { readonly name: string; readonly points: number }[];
  readonly students: readonly StudentStatus[];
}

export interface StudentStatus extends SeatState {
  readonly name: string;
  readonly points: number;
  /** By the index of the test; none: not run yet. */
  readonly results: readonly ("passed" | "failed" | "none")[];
  /** Time of the last result (ISO 8601). */
  readonly at?: string;
}

export interface Room {
  readonly places: readonly {
    readonly name: string | undefined;
    readonly token: string;
    readonly place: Place;
  }[];
  close(): void;
}

/** The first place is that of the teacher. Fails with P46070 to P46072. */
export async function openRoom({ exercise, folder, seed, log, ...limits }: RoomOptions): Promise<Room> {
  checkApart(exercise, folder);
  const { title, tests } = await roomExercise(exercise);
  const { students, teacher } = readRoom(folder);
  const progress = new Progress(
    folder,
    () => new Date(),
    (reason) => log(`the results are not kept: ${reason}`),
  );
  const seats = students.map(({ name, token }) => {
    const seat = new Seat({
      ...limits,
      ...{ exercise: resolve(exercise), folder: resolve(join(folder, WORK, name)), seed },
      tested: ({ name: test, state, points }) =>
        progress.add(name, test, { points, passed: state === "passed" }),
    });
    return { name, token, seat };
  });
  const status = (): RoomStatus => ({
    ...{ title, tests, memoryMb: limits.memoryMb },
    students: seats.map(({ name, seat }) => standing(name, seat.state, tests, progress)),
  });
  return {
    places: [
      { name: undefined, token: teacher, place: { kind: "overview", status } },
      ...seats.map(({ name, token, seat }) => ({
        ...{ name, token },
        place: { kind: "lab", maxPages: MAX_PAGES, join: (page) => seat.join(page) } satisfies Place,
      })),
    ],
    close: () => {
      for (const { seat } of seats) seat.close();
      progress.write();
    },
  };
}

/** The files of an exercise go to every student: a room within it would show each the files of all. */
function checkApart(exercise: string, room: string): void {
  const place = (path: string) => {
    try {
      return realpathSync(path);
    } catch {
      return resolve(path);
    }
  };
  const way = relative(place(exercise), place(room));
  if (way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)))
    fail(
      CODES.roomExercise,
      undefined,
      `the room ${room} is within the folder of the exercise ${exercise}, whose files every student reads`,
      "name a folder beside it",
    );
}

function standing(
  name: string,
  state: SeatState,
  tests: RoomStatus["tests"],
  progress: Progress,
): StudentStatus {
  const own = progress.of(name);
  const results = tests.map((test) => own.get(test.name));
  const at = results
    .flatMap((result) => result?.at ?? [])
    .sort()
    .at(-1);
  return {
    ...{ name, ...state },
    points: results.reduce((sum, result) => sum + (result?.points ?? 0), 0),
    results: results.map((result) => (result === undefined ? "none" : result.passed ? "passed" : "failed")),
    ...(at === undefined ? {} : { at }),
  };
}
