/** Survivors as docs/mutants.md lists them: by file and function, which stay where they are when lines move. */
import { readFileSync } from "node:fs";
import ts from "typescript";

const LONGEST = 90;

/** The innermost function, method or class around a place of a file. */
function functionAt(source, offset) {
  let name = "";
  const visit = (node) => {
    if (offset < node.getStart(source) || offset >= node.getEnd()) return;
    const named = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isClassDeclaration(node) || ts.isAccessor(node);
    if (ts.isConstructorDeclaration(node)) name = `${name.split(".")[0]}.constructor`;
    else if (named && node.name !== undefined) {
      const own = node.name.getText(source);
      name = ts.isClassElement(node) && ts.isClassDeclaration(node.parent) ? `${node.parent.name?.text ?? ""}.${own}` : own;
    } else if (name === "" && ts.isVariableDeclaration(node)) name = node.name.getText(source);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return name;
}

const short = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)} ...`;
};

/** The survivors in the order of their places: what stood there, and what stands there with the mutant. */
export function describeSurvivors(mutants) {
  const sources = new Map();
  return mutants.map(({ file, location: { start, end }, replacement, status }) => {
    if (!sources.has(file)) sources.set(file, ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true));
    const source = sources.get(file);
    const [from, to] = [start, end].map(({ line, column }) => source.getPositionOfLineAndCharacter(line, column));
    return {
      file: file.replace(/^src\//, ""),
      function: functionAt(source, from),
      code: short(source.text.slice(from, to)),
      mutant: short(replacement),
      reached: status === "Survived",
    };
  });
}
