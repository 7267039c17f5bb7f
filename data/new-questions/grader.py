# The template of a CodeRunner question: it runs `p4loom grade` where CodeRunner runs programs (the Jobe host), and prints the points.
# Twig puts the answer in; the rest of the exercise is in the question's support file.
import html
import json
import os
import subprocess
import sys

ANSWER = """{{ STUDENT_ANSWER | e('py') }}"""
COMMAND = ["p4loom", "grade", "exercise", "--student", "--json", "--workers", "1"]
# Characters of the report below the table.
MOST = 60000


def write_exercise():
    """Writes the exercise with the student's files in place of the starters. Ends without a mark if one is missing."""
    with open("exercise.json", encoding="utf-8") as file:
        exercise = json.load(file)
    texts = exercise["files"]
    texts[exercise["answer"]] = ANSWER
    missing = [name for name in exercise["attachments"] if not os.path.isfile(name)]
    if missing:
        names = html.escape(", ".join(missing))
        print(json.dumps({"fraction": 0, "prologuehtml": f"<p>Missing, attach it to the answer: {names}</p>"}))
        sys.exit()
    for name in exercise["attachments"]:
        with open(name, encoding="utf-8", errors="replace") as file:
            texts[name] = file.read()
    for path, text in texts.items():
        place = os.path.join("exercise", path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)


def graded():
    """The student's view of the results. Without one, this program fails, and CodeRunner takes no points."""
    try:
        run = subprocess.run(COMMAND, capture_output=True, text=True, encoding="utf-8")
    except OSError as error:
        sys.exit(f"p4loom does not run on this host: {error}")
    try:
        return json.loads(run.stdout)["submissions"][0]
    except (ValueError, KeyError, IndexError):
        sys.exit(f"p4loom has not graded (status {run.returncode}):\n{run.stderr}")


def rows(view):
    """The table: a row for each visible test, one for the hidden ones together."""
    table = [["iscorrect", "Test", "Points", "Expected", "Got"]]
    for test in view["tests"]:
        expected, seen = ("", "") if test["passed"] else (test.get("expected", ""), test.get("seen", ""))
        points = f"{test['points']}/{test['of']}"
        table.append([1 if test["passed"] else 0, test["name"], points, expected, seen])
    hidden = view.get("hidden")
    if hidden is not None:
        name = f"{hidden['tests']} hidden tests, {hidden['failed']} failed"
        points = f"{hidden['points']}/{hidden['of']}"
        table.append([1 if hidden["failed"] == 0 else 0, name, points, "", ""])
    return table


def report(view):
    """Hints, messages and the way of the packets, of the tests that failed."""
    lines = []
    for test in view["tests"]:
        if test["passed"]:
            continue
        hint = [f"hint: {test['hint']}"] if "hint" in test else []
        lines += [test["name"], *(f"  {line}" for line in [*hint, *test["details"], *test["story"]]), ""]
    text = "\n".join(lines)
    return text if len(text) <= MOST else text[:MOST] + "\n..."


write_exercise()
view = graded()
text = report(view)
answer = {"fraction": view["points"] / max(view["of"], 1), "testresults": rows(view)}
if text:
    answer["epiloguehtml"] = f"<pre>{html.escape(text)}</pre>"
print(json.dumps(answer))
