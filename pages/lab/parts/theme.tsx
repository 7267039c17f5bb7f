/** The theme, light or dark: that of the system, until the user chooses one. The browser stores the choice. */
import { Store, useStore } from "../state/store.js";

const KEY = "p4loom-lab-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function kept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // The browser does not store data for this page.
    return null;
  }
}

const initial = (): "light" | "dark" => {
  const value = kept();
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
  if (kept() === null) theme.set({ name: dark.matches ? "dark" : "light" });
});

export function ThemeToggle() {
  const name = useStore(theme, (value) => value.name);
  const toggle = () => {
    const next = name === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // The choice is lost when the page is closed.
    }
    theme.set({ name: next });
  };
  return (
    <button
      type="button"
      class="icon"
      aria-pressed={name === "dark"}
      aria-label="Dark theme"
      title="Dark or light"
      onClick={toggle}
    >
      {name === "dark" ? "☾" : "☀"}
    </button>
  );
}
