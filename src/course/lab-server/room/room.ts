/**
 * A room: one exercise for a list of students, each with a session of their own by a token, and a page for the teacher that shows where each
 * one stands.
 */
import { join, resolve } from "node:path";
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
export async function openRoom({ exercise, folder, seed, ...limits }: RoomOptions): Promise<Room> {
  const { title, tests } = await roomExercise(exercise);
  const { students, teacher } = readRoom(folder);
  const progress = new Progress(folder, () => new Date());
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
