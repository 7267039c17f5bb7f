/** The folder of a room: `students.txt` has one name a line; `tokens.csv`, which is made from it, the secret of each. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fail, SourceFile, type Span, systemErrorReason } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { writeInFolder } from "../folder.js";
import { newToken } from "../guard.js";

interface Student {
  /** Also the name of the folder of the student's files. */
  readonly name: string;
  readonly token: string;
}

export interface RoomList {
  readonly students: readonly Student[];
  /** The token of the page that shows all students. */
  readonly teacher: string;
}

const STUDENTS_FILE = "students.txt";
const TOKENS_FILE = "tokens.csv";

const MAX_STUDENTS = 100;
const MAX_BYTES = 2 ** 20;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
/** A token of the teacher's own list must not be guessable: 96 bits, if it is random. */
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;
/** The row of `tokens.csv` for the teacher. */
const TEACHER = "teacher";

/**
 * Reads the list and the tokens, and makes tokens for names that have none. Fails with P46070 (no list, or a wrong name) and P46071 (wrong
 * tokens).
 */
export function readRoom(folder: string): RoomList {
  const names = readNames(join(folder, STUDENTS_FILE));
  const known = readTokens(join(folder, TOKENS_FILE));
  const tokenOf = (name: string): string => known.get(name) ?? newToken();
  const list: RoomList = {
    teacher: tokenOf(TEACHER),
    students: names.map((name) => ({ name, token: tokenOf(name) })),
  };
  // A name that is left out for a while keeps its secret: links have been handed out.
  const present = new Set([TEACHER, ...names]);
  const others = [...known].flatMap(([name, token]) => (present.has(name) ? [] : { name, token }));
  const rows = [{ name: TEACHER, token: list.teacher }, ...list.students, ...others];
  writeInFolder(
    folder,
    TOKENS_FILE,
    `name,token\n${rows.map(({ name, token }) => `${name},${token}\n`).join("")}`,
    0o600,
  );
  return list;
}

function linesOf(path: string): { source: SourceFile; lines: { text: string; span: Span }[] } | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  if (!status.isFile() || status.size > MAX_BYTES)
    fail(CODES.roomList, undefined, `${path} is not a file of at most ${MAX_BYTES} bytes`);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return fail(CODES.roomList, undefined, `cannot read ${path}: ${systemErrorReason(error)}`);
  }
  const source = new SourceFile(path, text);
  let at = 0;
  const lines = text.split("\n").map((line) => {
    const span = { file: source, start: at, end: at + line.length };
    at += line.length + 1;
    return { text: line.trim(), span };
  });
  return { source, lines: lines.filter(({ text: line }) => line !== "" && !line.startsWith("#")) };
}

function readNames(path: string): string[] {
  const found = linesOf(path);
  if (found === undefined)
    return fail(CODES.roomList, undefined, `there is no file ${path}`, "write one with a name a line");
  const names = new Map<string, string>();
  for (const { text, span } of found.lines) {
    const right = "expected letters, digits, and . _ @ - inside, at most 64, such as anna or ab123";
    if (!NAME.test(text)) fail(CODES.roomList, span, `"${text}" is not the name of a student`, right);
    // names are folders, and some file systems do not distinguish case
    const key = text.toLowerCase();
    if (key === TEACHER) fail(CODES.roomList, span, `the name "${text}" is that of the teacher's page`);
    if (names.has(key)) fail(CODES.roomList, span, `the name "${text}" is there twice`);
    names.set(key, text);
  }
  if (names.size === 0 || names.size > MAX_STUDENTS)
    fail(CODES.roomList, undefined, `${path} has ${names.size} names`, `expected 1 to ${MAX_STUDENTS}`);
  return [...names.values()];
}

function readTokens(path: string): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const { text, span } of linesOf(path)?.lines ?? []) {
    if (text === "name,token") continue;
    const [name = "", token = "", ...rest] = text.split(",").map((part) => part.trim());
    if (rest.length > 0 || !NAME.test(name) || !TOKEN.test(token))
      fail(
        CODES.roomTokens,
        span,
        "this line is not a name and a token",
        "expected NAME,TOKEN with 16 to 64 letters, digits, _ and -",
      );
    if (tokens.has(name) || [...tokens.values()].includes(token))
      fail(
        CODES.roomTokens,
        span,
        "this name or token is there twice",
        "delete the line: a new token is made",
      );
    tokens.set(name, token);
  }
  return tokens;
}
