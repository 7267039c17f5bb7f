/**
 * Exercises as questions for CodeRunner, a question type of Moodle: a file in Moodle's XML form. A program that the sandbox runs
 * (`data/new-questions/grader.py`) grades the answer with `p4loom grade`, and gives the part of the points as the mark.
 *
 * Names and meanings of the fields: `extra_question_fields` and `import_from_xml` of trampgeek/moodle-qtype_coderunner (questiontype.php),
 * `question/format/xml/format.php` and `lib/xmlize.php` of moodle/moodle.
 */
import { fail } from "../../base/index.js";
import { type Exercise, maximumPoints } from "../exercises/index.js";
import { CODES } from "./codes.js";
import { isPython } from "./controller/on-this-machine.js";

/** An exercise with what a question shows of it. */
interface QuestionSource {
  readonly exercise: Exercise;
  /** What the student reads, as Markdown. */
  readonly text: string;
  /** All files that tests need, by their paths in the folder; those that are handed in are the starters. */
  readonly files: Readonly<Record<string, string>>;
}

/** Limits of the sandbox: Node needs more address space and threads than a small program. 0: no limit of memory. */
const SECONDS = 120;
const MEMORY_MB = 0;
const PARAMETERS = { numprocs: 200, disklimit: 100 };
const MAX_ATTACHMENT_BYTES = 1 << 20;

/**
 * The file that Moodle imports.
 * @param category name of the category in the question bank
 * @param grader the program of the sandbox, with `STUDENT_ANSWER` in Twig
 * @throws DiagnosticError P46318 for an exercise whose controller is written in Python
 */
export function coderunnerXml(sources: readonly QuestionSource[], category: string, grader: string): string {
  const questions = sources.map((source) => questionXml(source, grader));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<quiz>",
    '  <question type="category">',
    `    <category>${textXml(`$course$/top/${category}`)}</category>`,
    "  </question>",
    ...questions,
    "</quiz>",
    "",
  ].join("\n");
}

function questionXml({ exercise, text, files }: QuestionSource, grader: string): string {
  const { title, handsIn, controller } = exercise;
  if (controller !== undefined && isPython(controller))
    fail(
      CODES.noQuestion,
      undefined,
      `${exercise.folder}: ${controller} is written in Python, and no question of CodeRunner can be made of the exercise`,
      "only root can isolate such a controller, and CodeRunner's host runs programs as another user",
    );
  const [answer = "", ...attachments] = handsIn;
  const support = { answer, attachments, files };
  return [
    '  <question type="coderunner">',
    `    <name>${textXml(title)}</name>`,
    `    <questiontext format="markdown">${textXml(text)}</questiontext>`,
    `    <generalfeedback format="html">${textXml("")}</generalfeedback>`,
    `    <defaultgrade>${maximumPoints(exercise)}</defaultgrade>`,
    "    <penalty>0</penalty>",
    "    <hidden>0</hidden>",
    ...Object.entries({
      ...FIELDS,
      ...ofAnswer(answer, files),
      ...ofAttachments(attachments),
      template: grader,
    }).map(([name, value]) => `    <${name}>${cdata(String(value))}</${name}>`),
    "    <testcases>",
    // A template that grades by itself runs once, with all test cases: one without a text will do.
    '      <testcase testtype="0" useasexample="0" hiderestiffail="0" mark="1.0000000">',
    ...["testcode", "stdin", "expected", "extra"].map((name) => `        <${name}>${textXml("")}</${name}>`),
    `        <display>${textXml("SHOW")}</display>`,
    "      </testcase>",
    `      <file name="exercise.json" path="/" encoding="base64">${base64(JSON.stringify(support))}</file>`,
    "    </testcases>",
    "  </question>",
  ].join("\n");
}

/** What is the same in all questions; other fields are those of the built-in type of Python programs. */
const FIELDS = {
  coderunnertype: "python3",
  prototypetype: 0,
  allornothing: 0,
  penaltyregime: "0",
  precheck: 0,
  hidecheck: 0,
  showsource: 0,
  answerboxlines: 30,
  useace: 1,
  iscombinatortemplate: 1,
  allowmultiplestdins: 0,
  // Moodle shows the sample answer where a quiz shows right answers.
  answer: "",
  validateonsave: 0,
  language: "python3",
  grader: "TemplateGrader",
  cputimelimitsecs: SECONDS,
  memlimitmb: MEMORY_MB,
  sandboxparams: JSON.stringify(PARAMETERS),
  twigall: 0,
  uiplugin: "ace",
  displayfeedback: 1,
  giveupallowed: 0,
};

function ofAnswer(answer: string, files: Readonly<Record<string, string>>): Record<string, string> {
  const javascript = /\.m?js$/.test(answer);
  return { answerpreload: files[answer] ?? "", acelang: javascript ? "javascript" : "c_cpp" };
}

/** The files beyond the first one are attached to the answer, under their names. */
function ofAttachments(names: readonly string[]): Record<string, string | number> {
  return {
    attachments: names.length,
    attachmentsrequired: names.length,
    maxfilesize: MAX_ATTACHMENT_BYTES,
    filenamesregex: names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"),
    filenamesexplain: names.join(", "),
  };
}

const textXml = (text: string): string => `<text>${cdata(text)}</text>`;

/**
 * Always CDATA: Moodle's reader drops what lies between two entities if it is only white space, as in `a &lt; b &amp;&amp; c`. Characters
 * that XML has not become the replacement character.
 */
function cdata(text: string): string {
  if (text === "") return "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has none of these
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return `<![CDATA[${allowed.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
