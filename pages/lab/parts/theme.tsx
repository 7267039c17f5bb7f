/** The theme, light or dark: that of the system, until the user chooses one. The browser stores the choice. */
import { t } from "../language/texts.js";
import { Store, useStore } from "../state/store.js";
import { keep, kept } from "./kept.js";

const KEY = "p4loom-lab-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

const initial = (): "light" | "dark" => {
  const value = kept(KEY);
  return value === "light" || value === "dark" ? value : dark.matches ? "dark" : "light";
};

/** The theme of the page; components that draw on a canvas watch it. */
export const theme = new Store<{ name: "light" | "dark" }>({ name: initial() });

function show(): void {
  document.documentElement.dataset["theme"] = theme.value.name;
}
show();
theme.watch(show);
dark.addEventListener("change", () => {
  if (kept(KEY) === null) theme.set({ name: dark.matches ? "dark" : "light" });
});

export function ThemeToggle() {
  const name = useStore(theme, (value) => value.name);
  const toggle = () => {
    const next = name === "dark" ? "light" : "dark";
    keep(KEY, next);
    theme.set({ name: next });
  };
  return (
    <button
      type="button"
      class="icon"
      aria-pressed={name === "dark"}
      aria-label={t("page.dark")}
      title={t("page.darkOrLight")}
      onClick={toggle}
    >
      {name === "dark" ? "☾" : "☀"}
    </button>
  );
}
